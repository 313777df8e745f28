import Images
import Testing

@testable import Catalog

@Suite struct SourceWordTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func reason(_ word: String, count: Int? = nil) -> String? {
        do {
            _ = try Source.parse([word], count: count)
            return nil
        } catch {
            guard case .badSource(word, let reason) = error else { return nil }
            return reason
        }
    }

    @Test func `folders, lists and templates are told apart`() throws {
        let folder = try scratch.folder("pictures")
        let list = try scratch.file("A List.TXT", "")
        let lines = try scratch.file("b.jsonl", "")
        let template = "https://a.test/{index}.jpg"
        #expect(
            try Source.parse([folder, list, lines, template], count: 5) == [
                .folder(path: folder), .list(path: list, format: .text), .list(path: lines, format: .jsonLines),
                .template(try URLTemplate(template, count: 5)),
            ])
    }

    @Test func `a word that names no source says what to do`() throws {
        #expect(throws: CatalogError.self) { try Source.parse([]) }
        #expect(reason("/nowhere/at all")?.contains("does not exist") == true)
        #expect(reason("")?.contains("no name") == true)
        #expect(reason("https://a.test/x.jpg", count: 3)?.contains("{index}") == true)
        #expect(reason("https://a.test/{index}.jpg")?.contains("--count") == true)
        #expect(reason("https://a.test/{index}.jpg", count: 0)?.contains("--count must be") == true)
        #expect(reason("https://a.test/{index}.jpg", count: .max)?.contains("--count must be") == true)
        #expect(reason("ftp://a.test/{index}.jpg", count: 3)?.contains("http://") == true)
        #expect(reason("https://me:pw@a.test/{index}", count: 3)?.contains("password") == true)
        #expect(reason(try scratch.file("x.jpg"))?.contains("folder that it lies in") == true)
        #expect(reason(try scratch.file("x.doc"))?.contains(".jsonl") == true)
        #expect(reason("/dev/null")?.contains("neither a folder nor a list") == true)
    }

    @Test(arguments: [
        "http://a.test", "https://a.test/x?y=1&z=%20", "HTTPS://A.test/", "http://[::1]:8080/x", "http://127.0.0.1:1/",
        "https://xn--bcher-kva.test/a",
    ]) func `a URL that can be fetched is taken as it is`(url: String) throws {
        #expect(try WebAddress.parse(url.utf8) == url)
    }

    @Test(arguments: [
        "", "http://", "http:///x", "http://:80/", "http://a.test:0/", "http://a.test:x/", "http://a@b/",
        "file:///etc/passwd",
        "javascript:alert(1)", "//a.test/x", "http://a.test/\u{0}", "http://a.test/\r\nHost: b", "http://[::1",
        "http://[]/",
        "http://[::1]x/", "http://b\u{fc}cher.test/", "http://a.test\\@b.test/", "http://a.test/{x}",
    ]) func `a URL that cannot be fetched is refused`(url: String) {
        #expect(throws: WebAddress.Fault.self) { try WebAddress.parse(url.utf8) }
    }

    @Test func `letters beyond ASCII are percent-encoded, and the fragment is dropped`() throws {
        #expect(try WebAddress.parse("http://a.test/\u{e9}?\u{e9}#x".utf8) == "http://a.test/%C3%A9?%C3%A9")
        #expect(throws: WebAddress.Fault.self) { try WebAddress.parse(Array("http://a.test/".utf8) + [0xff]) }
    }

    @Test func `a remote picture is called by the last part of its path`() {
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
        "https://a.test/\u{202e}{index}",
    ])
    func `what a template makes is what its URL is when it stands alone`(pattern: String) throws {
        let template = try URLTemplate(pattern, count: 1_000)
        for index in [0, 7, 999] {
            let url = try WebAddress.parse(pattern.replacing("{index}", with: "\(index)").utf8)
            #expect(template.url(at: index) == url)
            let name = template.name(at: index)
            #expect(name == WebAddress.name(of: url) || name == "Image \(index)")
            #expect(name == FilePath.printable(name))
        }
    }

    @Test func `a template stands for its count of URLs, numbered from 0, and needs no memory for each`() async throws {
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

    @Test func `an id of a series tells its position, and no other series'`() throws {
        let template = try URLTemplate("https://a.test/{index}.jpg", count: 1000)
        let series = Series(template, attempt: 0)
        for position in 0..<1000 { #expect(series.position(of: series.id(at: position)) == position) }
        #expect(series.position(of: series.id(at: 1000)) == nil)
        #expect(Series(template, attempt: 1).position(of: series.id(at: 5)) == nil)
    }

    @Test func `sizes that are known beforehand are those of pages and shapes, until more is learnt`() async throws {
        let template = try URLTemplate("https://a.test/{index}.jpg", count: 600)
        let catalog = try await scratch.catalog([.template(template)]) { configuration in
            configuration.templateSize = { asked, index in
                asked == template && index > 0 ? (200, 100 + 100 * (index % 2)) : nil
            }
        }
        let images = try await catalog.images(at: 0..<3)
        #expect(images.map(\.facts.width) == [nil, 200, 200] && images.map(\.facts.height) == [nil, 200, 100])
        let (_, bytes) = try await catalog.ratios(of: .plain, at: 0..<3)
        #expect(bytes == [0, AspectRatio.byte(width: 1, height: 1), AspectRatio.byte(width: 2, height: 1)])
        let shape = try await catalog.shape(of: .plain)
        #expect(shape.sums.count == 3 && abs(shape.sums[1] - 128 * (1 + 2)) < 4)
        var facts = ImageFacts()
        (facts.width, facts.height) = (70, 30)
        catalog.learned(facts, version: ContentVersion(rawValue: 1), of: images[1].id)
        #expect(try await catalog.image(images[1].id)?.facts.height == 30)
    }

    @Test func `what was learnt of a template's image outlives a restart and a greater count`() async throws {
        let pattern = "https://a.test/{index}.jpg"
        var catalog = try await scratch.catalog([.template(try URLTemplate(pattern, count: 10))])
        let image = try await catalog.images(at: 7..<8)[0]
        var facts = ImageFacts()
        facts.mediaType = "image/png"
        catalog.learned(facts, version: ContentVersion(rawValue: 1), of: image.id)
        await catalog.close()
        catalog = try await scratch.catalog([.template(try URLTemplate(pattern, count: 20))])
        #expect(try await catalog.image(image.id)?.facts.mediaType == "image/png")
        #expect(try await catalog.position(of: image.id, in: .plain) == 7)
    }
}
