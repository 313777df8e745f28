import Images
import TestSupport
import Testing

@testable import Catalog

/// The entries of a list of one format, parsed in pieces of any size.
func entries(_ text: [UInt8], _ format: Source.ListFormat, limit: Int = 4096, piece: Int = .max) throws -> [ListEntry] {
    var reader = format.reader(limit: limit)
    var decoder = ListDecoder()
    var splitter = LineSplitter(limit: limit)
    var entries: [ListEntry] = []
    func take(_ bytes: UnsafeRawBufferPointer) throws {
        try splitter.read(bytes) { try reader.read($0) { entries.append($0) } }
    }
    var rest = text[...]
    while !rest.isEmpty {
        let next = Array(rest.prefix(piece))
        rest = rest.dropFirst(next.count)
        try next.withUnsafeBytes { try decoder.read($0, emit: take) }
    }
    try decoder.finish(emit: take)
    try splitter.finish { try reader.read($0) { entries.append($0) } }
    try reader.finish { entries.append($0) }
    return entries.filter { $0 != .nothing }
}

private func urls(_ entries: [ListEntry]) -> [String] {
    entries.compactMap { if case .image(let scannedImage) = $0 { scannedImage.location } else { nil } }
}

private func badLines(_ entries: [ListEntry]) -> [Int] {
    entries.compactMap { if case .bad(let line, _) = $0 { line } else { nil } }
}

@Suite struct ListTests {
    @Test func `a name is cut to 1,024 bytes, however few characters they are`() throws {
        let name = "a" + String(repeating: "\u{323}", count: 20_000)
        let found = try entries(
            Array(#"{"url":"https://a.test/1.jpg","name":"\#(name)"}"#.utf8), .jsonLines, limit: 65_536)
        let images = found.compactMap { if case .image(let image) = $0 { image } else { nil } }
        #expect(images.map { $0.stated.name?.utf8.count } == [1_023])
    }

    @Test func `a text list has one URL per line, with blank lines and comments in between`() throws {
        let text = "\u{feff}https://a.test/1.jpg\r\n\r\n# more\n  http://b.test/2.jpg \nhttps://c.test/3.jpg#top"
        let found = try entries(Array(text.utf8), .text)
        #expect(urls(found) == ["https://a.test/1.jpg", "http://b.test/2.jpg", "https://c.test/3.jpg"])
    }

    @Test func `bad lines are reported with their numbers, and the rest is used`() throws {
        let lines = [
            "https://a.test/1.jpg", "ftp://a.test/2.jpg", "not a URL", "https://user:secret@a.test/3.jpg",
            "https:///nothing", "https://a.test:99999/", "https://a.test/" + String(repeating: "x", count: 9000),
            "https://a.test/a.jpg https://a.test/b.jpg", "https://a.test/4.jpg",
        ]
        let found = try entries(Array(lines.joined(separator: "\n").utf8), .text, limit: 8500)
        #expect(urls(found) == ["https://a.test/1.jpg", "https://a.test/4.jpg"])
        #expect(badLines(found) == [2, 3, 4, 5, 6, 7, 8])
    }

    @Test func `a CSV header names the columns of the URL and the name`() throws {
        let text =
            "id,Title,Image_URL\n1,\"A, \"\"quoted\"\" name\",https://a.test/1.jpg\n2,\"two\nlines\",https://a.test/2.jpg"
        let found = try entries(Array(text.utf8), .csv)
        #expect(urls(found) == ["https://a.test/1.jpg", "https://a.test/2.jpg"])
        guard case .image(let first) = found.first else { throw CatalogError.closed }
        #expect(first.stated.name == "A, \"quoted\" name")
    }

    @Test func `in a CSV without a header, the first column with a URL is used`() throws {
        let found = try entries(Array("7,https://a.test/1.jpg,x\n8,https://a.test/2.jpg\n9\n".utf8), .csv)
        #expect(urls(found) == ["https://a.test/1.jpg", "https://a.test/2.jpg"])
        #expect(badLines(found) == [3])
    }

    @Test(arguments: [
        "name;url\r\nFirst;https://a.test/1.jpg\r\nSecond;https://a.test/2.jpg\r\n",
        "sep=;\r\nname;url\r\nFirst;https://a.test/1.jpg\r\nSecond;https://a.test/2.jpg",
        "\"sep=|\"\nname|url\nFirst|https://a.test/1.jpg\nSecond|https://a.test/2.jpg",
        "sep=\t\nname\turl\nFirst\thttps://a.test/1.jpg\nSecond\thttps://a.test/2.jpg",
        "SEP=,\nname,url\nFirst,https://a.test/1.jpg\nSecond,https://a.test/2.jpg",
        "url\tname\nhttps://a.test/1.jpg\tFirst\nhttps://a.test/2.jpg\tSecond",
        "\"name\";\"url\"\n\"First\";\"https://a.test/1.jpg\"\n\"Second\";\"https://a.test/2.jpg\"",
        "\"na\nme\";name;url\n1,5;First;https://a.test/1.jpg\n2,5;Second;https://a.test/2.jpg",
        "# exported\n\nname;url\nFirst;https://a.test/1.jpg\n;;\nSecond;https://a.test/2.jpg",
        "\u{feff}sep=;\nname;url\nFirst;https://a.test/1.jpg\nSecond;https://a.test/2.jpg",
    ]) func `fields are separated by what the file uses`(text: String) throws {
        let found = try entries(Array(text.utf8), .csv)
        #expect(badLines(found) == [])
        #expect(urls(found) == ["https://a.test/1.jpg", "https://a.test/2.jpg"])
        let names = found.compactMap { if case .image(let image) = $0 { image.stated.name } else { nil } }
        #expect(names == ["First", "Second"])
    }

    @Test(arguments: [
        ("https://a.test/1.jpg;One\nhttps://a.test/2.jpg;Two", ["https://a.test/1.jpg", "https://a.test/2.jpg"]),
        ("One;https://a.test/w_1,h_2/1.jpg", ["https://a.test/w_1,h_2/1.jpg"]),
        ("https://a.test/1.jpg;Berlin, Mitte", ["https://a.test/1.jpg"]),
        (
            "https://a.test/a;v=1/1.jpg\nhttps://a.test/a;v=2/2.jpg",
            [
                "https://a.test/a;v=1/1.jpg", "https://a.test/a;v=2/2.jpg",
            ]
        ),
        ("https://a.test/1;v=1.jpg,One", ["https://a.test/1;v=1.jpg"]),
        ("url\nhttps://a.test/1;2.jpg", ["https://a.test/1;2.jpg"]),
        ("Bild;Titel\nhttps://a.test/1.jpg;One", ["https://a.test/1.jpg"]),
        ("https://a.test/f?a=1|2", ["https://a.test/f?a=1%7C2"]),
        ("One\thttps://a.test/1.jpg", ["https://a.test/1.jpg"]),
    ]) func `without a header, the separator is the one that leaves whole URLs`(text: String, expected: [String])
        throws
    {
        #expect(urls(try entries(Array(text.utf8), .csv)) == expected)
    }

    @Test func `names in the encoding of an old spreadsheet are read`() throws {
        let text = Array("name;url\nK".utf8) + [0xf6] + Array("ln ".utf8) + [0x80] + Array(";https://a.test/1.jpg".utf8)
        guard case .image(let image) = try entries(text, .csv).first else { throw CatalogError.closed }
        #expect(image.stated.name == "Köln €")
    }

    @Test func `a list without URLs is told how to name its columns`() throws {
        guard case .bad(1, let reason) = try entries(Array("a;b\n".utf8), .csv).first else { throw CatalogError.closed }
        #expect(reason.contains("name,url"))
    }

    @Test(arguments: Source.ListFormat.allCases, [false, true])
    func `a list in UTF-16 is read like one in UTF-8, with a byte order mark and without`(
        format: Source.ListFormat, isMarked: Bool
    ) throws {
        let text =
            switch format {
            case .text: "https://a.test/1.jpg\r\nhttps://a.test/\u{1F426}\u{e9}.jpg\n"
            case .csv: "sep=;\r\nurl;name\r\nhttps://a.test/1.jpg;\"\u{1F426}\u{20ac}\r\nx\"\r\nhttps://a.test/2.jpg;b"
            case .jsonLines: "{\"url\":\"https://a.test/1.jpg\",\"name\":\"\u{1F426}\"}\n\"https://a.test/2.jpg\""
            }
        let expected = try entries(Array(text.utf8), format)
        #expect(expected.count == 2 && badLines(expected) == [])
        for isBigEndian in [false, true] {
            let mark: [UInt16] = isMarked ? [0xfeff] : []
            var bytes: [UInt8] = []
            for unit in mark + Array(text.utf16) {
                let (high, low) = (UInt8(unit >> 8), UInt8(unit & 0xff))
                bytes += isBigEndian ? [high, low] : [low, high]
            }
            for piece in [1, 2, 3, 7, .max] { #expect(try entries(bytes, format, piece: piece) == expected) }
        }
    }

    @Test func `a broken character of UTF-16 loses only itself`() throws {
        let text: [UInt16] = Array("url,name\nhttps://a.test/1.jpg,a".utf16) + [0xd83d] + Array("b\n".utf16)
        var bytes: [UInt8] = [0xff, 0xfe]
        for unit in text { bytes += [UInt8(unit & 0xff), UInt8(unit >> 8)] }
        bytes.append(0x41)
        guard case .image(let image) = try entries(bytes, .csv).first else { throw CatalogError.closed }
        #expect(image.stated.name == "a\u{fffd}b")
    }

    @Test func `an unclosed quote loses only its own line`() throws {
        let lines = ["url,name", "https://a.test/1.jpg,\"open"] + (2...300).map { "https://a.test/\($0).jpg,n" }
        let found = try entries(Array(lines.joined(separator: "\n").utf8), .csv)
        #expect(badLines(found) == [2])
        #expect(urls(found) == (2...300).map { "https://a.test/\($0).jpg" })
    }

    @Test func `JSON lines are URLs, or objects that describe an image`() throws {
        let text = """
            "https://a.test/1.jpg"
            {"url":"https://a.test/2.jpg","name":"Two","width":40,"height":30,"takenAt":"2024-05-01T10:00:00Z","x":[{}]}

            {"href":"https://a.test/3.jpg"}
            {"url":5}
            {"url":"https://a.test/4.jpg"
            {"url":"https://a.test/5.jpg","width":-1,"height":1e300,"takenAt":"yesterday"}
            """
        let found = try entries(Array(text.utf8), .jsonLines)
        #expect(urls(found) == ["https://a.test/1.jpg", "https://a.test/2.jpg", "https://a.test/5.jpg"])
        #expect(badLines(found) == [4, 5, 6])
        guard case .image(let second) = found[1], case .image(let last) = found[5] else { throw CatalogError.closed }
        #expect(
            second.stated
                == .init(name: "Two", width: 40, height: 30, takenAt: "2024-05-01T10:00:00Z"))
        #expect(last.stated == .init())
    }

    @Test(arguments: Source.ListFormat.allCases)
    func `a list parses the same however it is split`(format: Source.ListFormat) throws {
        let alphabet = Array("\"\"\",,;\t\r\n\n#{}:hurl/. \u{feff}é".utf8) + [0, 0xff]
        var random = SeededRandom(seed: 7)
        var (images, bad) = (0, 0)
        for _ in 0..<400 {
            var text: [UInt8] = []
            for _ in 0..<Int.random(in: 0..<20, using: &random) {
                switch Int.random(in: 0..<4, using: &random) {
                case 0: text += Array("https://a.test/\(Int.random(in: 0..<9, using: &random)),".utf8)
                case 1: text += Array("{\"url\":\"https://a.test/x\"}\n".utf8)
                default: text += (0..<8).compactMap { _ in alphabet.randomElement(using: &random) }
                }
            }
            let whole = try entries(text, format, limit: 64)
            for piece in [1, 2, 7] { #expect(try entries(text, format, limit: 64, piece: piece) == whole) }
            // No line is reported twice, and none beyond the text.
            let lines = text.count { $0 == UInt8(ascii: "\n") } + 1
            #expect(
                badLines(whole) == badLines(whole).sorted() && badLines(whole).allSatisfy { (1...lines).contains($0) })
            images += whole.count { if case .image = $0 { true } else { false } }
            bad += badLines(whole).count
        }
        #expect(images > 20 && bad > 20, "too little of \(format) was parsed: \(images) images, \(bad) bad lines")
    }
}

@Suite struct ListSourceTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    @Test func `a URL listed twice is two images with distinct, stable ids`() async throws {
        let list = Source.list(path: try scratch.file("a.txt", "http://a.test/x\nhttp://a.test/x\n"), format: .text)
        let catalog = try await scratch.catalog([list, list])
        let ids = try await catalog.all().map(\.id)
        #expect(Set(ids).count == 4)
        await catalog.close()
        #expect(try await scratch.catalog([list, list], data: "other data").all().map(\.id) == ids)
    }

    @Test(.timeLimit(.minutes(1))) func `a list that repeats one URL many times is read quickly`() async throws {
        let text = String(repeating: "http://a.test/x\n", count: 10_000)
        let list = Source.list(path: try scratch.file("a.txt", text), format: .text)
        #expect(try await scratch.catalog([list]).state.total == 10_000)
    }

    @Test func `bad lines are counted, and the first twenty are named, also after a restart`() async throws {
        let text = (1...50).map { $0.isMultiple(of: 2) ? "bad \($0)" : "http://a.test/\($0)" }.joined(separator: "\n")
        let list = Source.list(path: try scratch.file("a.txt", text), format: .text)
        var catalog = try await scratch.catalog([list])
        for _ in 0..<2 {
            #expect(catalog.state.total == 25)
            #expect(catalog.state.problems.count == 25)
            #expect(catalog.state.problems.first.map(\.line) == (1...20).map { $0 * 2 })
            await catalog.close()
            catalog = try await scratch.catalog([list])
        }
    }

    @Test func `a changed list is read again, and its images keep their ids`() async throws {
        let list = Source.list(path: try scratch.file("a.txt", "http://a.test/1\nhttp://a.test/3\n"), format: .text)
        let catalog = try await scratch.catalog([list])
        let before = try await catalog.all()
        try scratch.file("a.txt", "http://a.test/0\nhttp://a.test/1\nhttp://a.test/2\nhttp://a.test/3\n")
        await catalog.rescanned()
        let after = try await catalog.all()
        #expect(after.compactMap(\.url) == (0...3).map { "http://a.test/\($0)" })
        #expect([after[1].id, after[3].id] == before.map(\.id))
    }

    @Test func `metadata stated by a list is shown until the image itself is read`() async throws {
        let line = #"{"url":"http://a.test/x","name":"X","width":4,"height":3}"#
        let list = Source.list(path: try scratch.file("a.jsonl", line), format: .jsonLines)
        let catalog = try await scratch.catalog([list])
        var image = try #require(try await catalog.all().first)
        #expect(image.name == "X" && image.metadata.width == 4 && image.metadata.height == 3 && image.version == nil)
        var metadata = ImageMetadata()
        metadata.width = 40
        metadata.height = 20
        catalog.learned(metadata, version: ContentVersion(rawValue: 9), of: image.id)
        image = try #require(try await catalog.image(image.id))
        #expect(image.metadata.width == 40 && image.metadata.height == 20 && image.version?.rawValue == 9)
    }

    @Test func `an empty list is an empty gallery that says so`() async throws {
        let list = Source.list(path: try scratch.file("a.csv", ""), format: .csv)
        let state = try await scratch.catalog([list]).state
        #expect(state.total == 0)
        #expect(state.problems.first.first?.reason == "contains no usable URL.")
    }
}
