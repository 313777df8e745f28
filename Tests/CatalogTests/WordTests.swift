import Images
import Testing

@testable import Catalog

@Suite struct SourceWordTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func reason(_ word: String, count: Int? = nil, first: Int = 0) -> String? {
        do {
            _ = try Source.parse([word], count: count, first: first)
            return nil
        } catch {
            guard case .badSource(word, let reason) = error else { return nil }
            return reason
        }
    }

    @Test func `folders, lists and templates are distinguished`() throws {
        let folder = try scratch.folder("pictures")
        let list = try scratch.file("A List.TXT", "")
        let lines = try scratch.file("b.jsonl", "")
        let table = try scratch.file("c.tsv", "")
        let template = "https://a.test/{index}.jpg"
        #expect(
            try Source.parse([folder, list, lines, table, template], count: 5) == [
                .folder(path: folder), .list(path: list, format: .text), .list(path: lines, format: .jsonLines),
                .list(path: table, format: .csv), .template(try URLTemplate(template, count: 5)),
            ])
    }

    @Test func `an argument that names no source is refused with advice`() throws {
        #expect(throws: CatalogError.self) { try Source.parse([]) }
        #expect(reason("/nowhere/at all")?.contains("does not exist") == true)
        #expect(reason("")?.contains("not a file or folder name") == true)
        #expect(reason("https://a.test/x.jpg", count: 3)?.contains("{index}") == true)
        #expect(reason("https://a.test/{index}.jpg")?.contains("--count") == true)
        #expect(reason("https://a.test/{index}.jpg", count: 0)?.contains("--count must be") == true)
        #expect(reason("https://a.test/{index}.jpg", count: .max)?.contains("--count must be") == true)
        for word in ["{index:4}", "{index:00}", "{index:019}", "{index:0x}", "{index", "{index}/{page}", "{index}}"] {
            #expect(reason("https://a.test/\(word).jpg", count: 3)?.contains("{index:04}") == true, "\(word)")
        }
        #expect(reason("https://b\u{fc}cher{index}.test/", count: 3)?.contains("xn--") == true)
        #expect(reason("https://a.test/{index}.jpg", count: 3, first: -1)?.contains("--first must be") == true)
        #expect(reason("https://a.test/{index}.jpg", count: 3, first: .max)?.contains("--first must be") == true)
        #expect(reason("ftp://a.test/{index}.jpg", count: 3)?.contains("http://") == true)
        #expect(reason("https://me:pw@a.test/{index}", count: 3)?.contains("password") == true)
        #expect(reason(try scratch.file("x.jpg"))?.contains("folder that contains it") == true)
        #expect(reason(try scratch.file("x.doc"))?.contains(".jsonl") == true)
        #expect(reason("/dev/null")?.contains("neither a folder nor a list") == true)
    }

    @Test(arguments: [
        "http://a.test", "https://a.test/x?y=1&z=%20", "HTTPS://A.test/", "http://[::1]:8080/x", "http://127.0.0.1:1/",
        "https://xn--bcher-kva.test/a",
    ]) func `a valid URL is accepted unchanged`(url: String) throws {
        #expect(try WebAddress.parse(url.utf8) == url)
    }

    @Test(arguments: [
        "", "http://", "http:///x", "http://:80/", "http://a.test:0/", "http://a.test:x/", "http://a@b/",
        "file:///etc/passwd",
        "javascript:alert(1)", "//a.test/x", "http://a.test/\u{0}", "http://a.test/\r\nHost: b", "http://[::1",
        "http://[]/",
        "http://[::1]x/", "http://b\u{fc}cher\u{ff0f}.test/", "http://a.test\\@b.test/", "http://a.test\\b.test/",
        "http://a b.test/", "http://a%2eb.test/", "http://b\u{fc}cher.test:0/", "http://a.test/1 http://a.test/2",
        "http://a.test/a\tb", "http://\u{fc}@a.test/",
    ]) func `an invalid URL is refused`(url: String) {
        #expect(throws: WebAddress.Fault.self) { try WebAddress.parse(url.utf8) }
    }

    @Test func `non-ASCII letters are percent-encoded, and the fragment is dropped`() throws {
        #expect(try WebAddress.parse("http://a.test/\u{e9}?\u{e9}#x".utf8) == "http://a.test/%C3%A9?%C3%A9")
        #expect(throws: WebAddress.Fault.self) { try WebAddress.parse(Array("http://a.test/".utf8) + [0xff]) }
    }

    @Test(arguments: [
        ("http://a.test/a b.jpg", "http://a.test/a%20b.jpg"), ("http://a.test/?a b", "http://a.test/?a%20b"),
        ("http://a.test/{x}|^`\"<>", "http://a.test/%7Bx%7D%7C%5E%60%22%3C%3E"),
        ("http://a.test/a\\b?c\\d", "http://a.test/a/b?c%5Cd"), ("http://a.test/100%", "http://a.test/100%"),
        ("http://a.test/a%20b[1].jpg", "http://a.test/a%20b[1].jpg"),
        ("https://B\u{fc}cher.test:80/\u{fc}", "https://xn--bcher-kva.test:80/%C3%BC"),
        ("https://\u{4f8b}\u{3048}.\u{30c6}\u{30b9}\u{30c8}", "https://xn--r8jz45g.xn--zckzah"),
        ("https://\u{ff11}\u{ff12}\u{ff17}.0.0.1/", "https://127.0.0.1/"),
    ]) func `what browsers encode in a URL is encoded`(text: String, url: String) throws {
        #expect(try WebAddress.parse(text.utf8) == url)
        #expect(try WebAddress.parse(url.utf8) == url)
    }

    @Test func `a remote image is named by the last part of its path`() {
        #expect(WebAddress.name(of: "http://a.test/b/c%20d.jpg?x=/y") == "c d.jpg")
        #expect(WebAddress.name(of: "http://a.test/") == "a.test")
        #expect(WebAddress.name(of: "http://a.test/%00%ff") == "%00%ff")
    }
}

@Suite struct TemplateTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    @Test(arguments: [
        "https://a.test/{index}.jpg", "https://a.test/{index}/200/300?seed={index}",
        "http://a.test/bücher/{index}-ü.jpg",
        "https://a.test/a%20{index}.jpg", "https://a.test/%{index}0.jpg", "https://a.test/x?{index}#y{index}",
        "https://a.test/{index}{index}", "https://a.test/x#{index}", "https://a.test/{index}/",
        "https://a.test/\u{202e}{index}", "https://a.test/a b/{index}|?x\\{index}", "https://a.test/x\\{index}.jpg",
        "https://b\u{fc}cher.test:80/{index}.jpg", "https://{index}.a.test/x y", "http://a.test:80/?a\\b={index}",
    ])
    func `a template's URLs and names equal those of the same URLs given alone`(pattern: String) throws {
        let template = try URLTemplate(pattern, count: 1_000)
        for index in [0, 7, 999] {
            let url = try WebAddress.parse(pattern.replacing("{index}", with: "\(index)").utf8)
            #expect(template.url(at: index) == url)
            let name = template.name(at: index)
            #expect(name == WebAddress.name(of: url) || name == "Image \(index)")
            #expect(name == FilePath.printable(name))
        }
    }

    @Test func `numbers are padded with zeros, and begin with the first one`() throws {
        let template = try URLTemplate("https://a.test/{index:03}/IMG_{index:0004}-{index}.jpg", count: 1_000, first: 9)
        #expect(template.url(at: 0) == "https://a.test/009/IMG_0009-9.jpg")
        #expect(template.url(at: 999) == "https://a.test/1008/IMG_1008-1008.jpg")
        #expect(template.name(at: 1) == "IMG_0010-10.jpg")
        #expect(try URLTemplate("https://a.test/{index:02}/x", count: 2, first: 7).name(at: 1) == "Image 8")
    }

    @Test func `an image keeps its id and its metadata if the first number changes`() async throws {
        let pattern = "https://a.test/{index:04}.jpg"
        var catalog = try await scratch.catalog([.template(try URLTemplate(pattern, count: 10))])
        let image = try await catalog.images(at: 7..<8)[0]
        #expect(image.url == "https://a.test/0007.jpg")
        await catalog.close()
        catalog = try await scratch.catalog([.template(try URLTemplate(pattern, count: 10, first: 5))])
        #expect(try await catalog.position(of: image.id, in: .plain) == 2)
        #expect(try await catalog.images(at: 2..<3)[0] == image)
        await catalog.close()
        catalog = try await scratch.catalog([.template(try URLTemplate(pattern, count: 10, first: 8))])
        #expect(try await catalog.image(image.id) == nil)
    }

    @Test func `series with large numbers share no ids`() throws {
        let template = try URLTemplate("https://a.test/{index}", count: 10, first: URLTemplate.maximumFirst)
        let series = Series(template, attempt: 0)
        #expect((0..<10).allSatisfy { series.position(of: series.id(at: $0)) == $0 })
        #expect(series.collides(with: series) && !series.collides(with: Series(template, attempt: 1)))
    }

    @Test func `a template has its count of URLs, numbered from 0, without memory for each`() async throws {
        let template = try URLTemplate("https://a.test/{index}/200/300", count: 1_000_000_000)
        let catalog = try await scratch.catalog([.template(template)])
        let page = try await catalog.page(offset: 999_999_998, limit: 10)
        #expect(page.total == 1_000_000_000)
        #expect(page.images.map(\.url) == ["https://a.test/999999998/200/300", "https://a.test/999999999/200/300"])
        #expect(page.images.map(\.name) == ["Image 999999998", "Image 999999999"])
        #expect(page.next == nil)
        let image = try #require(try await catalog.image(page.images[1].id))
        #expect(image == page.images[1])
    }

    @Test func `an id of a series gives its position, and no position in another series`() throws {
        let template = try URLTemplate("https://a.test/{index}.jpg", count: 1000)
        let series = Series(template, attempt: 0)
        for position in 0..<1000 { #expect(series.position(of: series.id(at: position)) == position) }
        #expect(series.position(of: series.id(at: 1000)) == nil)
        #expect(Series(template, attempt: 1).position(of: series.id(at: 5)) == nil)
    }

    @Test func `sizes known in advance are used in pages and shapes until metadata is learned`() async throws {
        let template = try URLTemplate("https://a.test/{index}.jpg", count: 600)
        let catalog = try await scratch.catalog([.template(template)]) { configuration in
            configuration.templateSize = { asked, index in
                asked == template && index > 0 ? (200, 100 + 100 * (index % 2)) : nil
            }
        }
        let images = try await catalog.images(at: 0..<3)
        #expect(images.map(\.metadata.width) == [nil, 200, 200] && images.map(\.metadata.height) == [nil, 200, 100])
        let (_, bytes) = try await catalog.ratios(of: .plain, at: 0..<3)
        #expect(bytes == [0, AspectRatio.byte(width: 1, height: 1), AspectRatio.byte(width: 2, height: 1)])
        let shape = try await catalog.shape(of: .plain)
        #expect(shape.sums.count == 3 && abs(shape.sums[1] - 128 * (1 + 2)) < 4)
        var metadata = ImageMetadata()
        (metadata.width, metadata.height) = (70, 30)
        catalog.learned(metadata, version: ContentVersion(rawValue: 1), of: images[1].id)
        #expect(try await catalog.image(images[1].id)?.metadata.height == 30)
    }

    @Test func `metadata of a template's image survives a restart with a larger count`() async throws {
        let pattern = "https://a.test/{index}.jpg"
        var catalog = try await scratch.catalog([.template(try URLTemplate(pattern, count: 10))])
        let image = try await catalog.images(at: 7..<8)[0]
        var metadata = ImageMetadata()
        metadata.mediaType = "image/png"
        catalog.learned(metadata, version: ContentVersion(rawValue: 1), of: image.id)
        await catalog.close()
        catalog = try await scratch.catalog([.template(try URLTemplate(pattern, count: 20))])
        #expect(try await catalog.image(image.id)?.metadata.mediaType == "image/png")
        #expect(try await catalog.position(of: image.id, in: .plain) == 7)
    }
}
