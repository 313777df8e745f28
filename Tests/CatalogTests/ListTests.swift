import Images
import TestSupport
import Testing

@testable import Catalog

/// What a list of one format says, fed in pieces of any size.
func entries(_ text: [UInt8], _ format: Source.ListFormat, limit: Int = 4096, piece: Int = .max) throws -> [ListEntry] {
    var reader = format.reader(limit: limit)
    var splitter = LineSplitter(limit: limit)
    var entries: [ListEntry] = []
    var rest = text[...]
    while !rest.isEmpty {
        let next = Array(rest.prefix(piece))
        rest = rest.dropFirst(next.count)
        try next.withUnsafeBytes { try splitter.read($0) { try reader.read($0) { entries.append($0) } } }
    }
    try splitter.finish { try reader.read($0) { entries.append($0) } }
    try reader.finish { entries.append($0) }
    return entries.filter { $0 != .nothing }
}

private func urls(_ entries: [ListEntry]) -> [String] {
    entries.compactMap { if case .image(let sighting) = $0 { sighting.location } else { nil } }
}

private func badLines(_ entries: [ListEntry]) -> [Int] {
    entries.compactMap { if case .bad(let line, _) = $0 { line } else { nil } }
}

@Suite struct ListTests {
    @Test func `a text list has one URL a line, with blank lines and comments between them`() throws {
        let text = "\u{feff}https://a.test/1.jpg\r\n\r\n# more\n  http://b.test/2.jpg \nhttps://c.test/3.jpg#top"
        let found = try entries(Array(text.utf8), .text)
        #expect(urls(found) == ["https://a.test/1.jpg", "http://b.test/2.jpg", "https://c.test/3.jpg"])
    }

    @Test func `each bad line is named by its number and its reason, and the rest is served`() throws {
        let lines = [
            "https://a.test/1.jpg", "ftp://a.test/2.jpg", "not a URL", "https://user:secret@a.test/3.jpg",
            "https:///nothing", "https://a.test:99999/", "https://a.test/" + String(repeating: "x", count: 9000),
            "https://a.test/a b.jpg", "https://a.test/4.jpg",
        ]
        let found = try entries(Array(lines.joined(separator: "\n").utf8), .text, limit: 8500)
        #expect(urls(found) == ["https://a.test/1.jpg", "https://a.test/4.jpg"])
        #expect(badLines(found) == [2, 3, 4, 5, 6, 7, 8])
    }

    @Test func `a CSV's header says which column has the URL and which the name`() throws {
        let text =
            "id,Title,Image_URL\n1,\"A, \"\"quoted\"\" name\",https://a.test/1.jpg\n2,\"two\nlines\",https://a.test/2.jpg"
        let found = try entries(Array(text.utf8), .csv)
        #expect(urls(found) == ["https://a.test/1.jpg", "https://a.test/2.jpg"])
        guard case .image(let first) = found.first else { throw CatalogError.closed }
        #expect(first.stated.name == "A, \"quoted\" name")
    }

    @Test func `a CSV without a header has its URLs in the first column where one is met`() throws {
        let found = try entries(Array("7,https://a.test/1.jpg,x\n8,https://a.test/2.jpg\n9\n".utf8), .csv)
        #expect(urls(found) == ["https://a.test/1.jpg", "https://a.test/2.jpg"])
        #expect(badLines(found) == [3])
    }

    @Test func `a quote that is never closed costs its own line and no other`() throws {
        let lines = ["url,name", "https://a.test/1.jpg,\"open"] + (2...300).map { "https://a.test/\($0).jpg,n" }
        let found = try entries(Array(lines.joined(separator: "\n").utf8), .csv)
        #expect(badLines(found) == [2])
        #expect(urls(found) == (2...300).map { "https://a.test/\($0).jpg" })
    }

    @Test func `JSON lines are URLs or objects with what is known of the picture`() throws {
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
    func `whatever pieces a list comes in, it says the same`(format: Source.ListFormat) throws {
        let alphabet = Array("\"\"\",,\r\n\n#{}:hurl/. \u{feff}é".utf8) + [0, 0xff]
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
            // No line is counted twice, and none beyond the text.
            let lines = text.count { $0 == UInt8(ascii: "\n") } + 1
            #expect(
                badLines(whole) == badLines(whole).sorted() && badLines(whole).allSatisfy { (1...lines).contains($0) })
            images += whole.count { if case .image = $0 { true } else { false } }
            bad += badLines(whole).count
        }
        #expect(images > 20 && bad > 20, "of \(format) nothing much was read: \(images) images, \(bad) bad lines")
    }
}

@Suite struct ListSourceTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    @Test func `a URL that is listed twice is two images with ids of their own, the same after a restart`() async throws
    {
        let list = Source.list(path: try scratch.file("a.txt", "http://a.test/x\nhttp://a.test/x\n"), format: .text)
        let catalog = try await scratch.catalog([list, list])
        let ids = try await catalog.all().map(\.id)
        #expect(Set(ids).count == 4)
        await catalog.close()
        #expect(try await scratch.catalog([list, list], data: "other data").all().map(\.id) == ids)
    }

    @Test(.timeLimit(.minutes(1))) func `a list of one URL many times is read in time`() async throws {
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

    @Test func `a list that has changed is read again, and its images keep their ids`() async throws {
        let list = Source.list(path: try scratch.file("a.txt", "http://a.test/1\nhttp://a.test/3\n"), format: .text)
        let catalog = try await scratch.catalog([list])
        let before = try await catalog.all()
        try scratch.file("a.txt", "http://a.test/0\nhttp://a.test/1\nhttp://a.test/2\nhttp://a.test/3\n")
        await catalog.rescanned()
        let after = try await catalog.all()
        #expect(after.compactMap(\.url) == (0...3).map { "http://a.test/\($0)" })
        #expect([after[1].id, after[3].id] == before.map(\.id))
    }

    @Test func `what a list states is shown until the picture itself is looked into`() async throws {
        let line = #"{"url":"http://a.test/x","name":"X","width":4,"height":3}"#
        let list = Source.list(path: try scratch.file("a.jsonl", line), format: .jsonLines)
        let catalog = try await scratch.catalog([list])
        var image = try #require(try await catalog.all().first)
        #expect(image.name == "X" && image.facts.width == 4 && image.facts.height == 3 && image.version == nil)
        var facts = ImageFacts()
        facts.width = 40
        facts.height = 20
        catalog.learned(facts, version: ContentVersion(rawValue: 9), of: image.id)
        image = try #require(try await catalog.image(image.id))
        #expect(image.facts.width == 40 && image.facts.height == 20 && image.version?.rawValue == 9)
    }

    @Test func `an empty list is an empty gallery that says so`() async throws {
        let list = Source.list(path: try scratch.file("a.csv", ""), format: .csv)
        let state = try await scratch.catalog([list]).state
        #expect(state.total == 0)
        #expect(state.problems.first.first?.reason == "holds no usable URL.")
    }
}
