import Testing

@testable import XML

@Suite struct XMLReaderTests {
    private func events(_ text: String, pieces: Int = .max) throws -> [XMLReader.Event] {
        var (reader, events) = (XMLReader(), [XMLReader.Event]())
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let piece = Array(rest.prefix(pieces))
            rest = rest.dropFirst(piece.count)
            try piece.withUnsafeBytes { bytes in try reader.read(bytes) { events.append($0) } }
        }
        try reader.finish()
        return events
    }

    @Test(arguments: [1, 2, 3, 7, 1000])
    func `the events do not depend on how the document is split`(_ pieces: Int) throws {
        let text = """
            \u{feff}<?xml version="1.0" encoding="UTF-8"?>
            <!-- a > comment --><a xmlns="http://a/b" x='>'><s3:b>1 &lt;&amp;&#x263a;&#33;</s3:b><c/><d y="/"></d ></a>
            """
        #expect(
            try events(text, pieces: pieces) == [
                .begin("a"), .begin("b"), .text(Array("1 <&☺!".utf8)), .end("b"), .begin("c"), .end("c"), .begin("d"),
                .end("d"), .end("a"),
            ])
    }

    @Test(arguments: [
        "", "text", "<a>", "<a></b>", "</a>", "<a/><b/>", "<a>&bogus;</a>", "<a>&#xd800;</a>", "<a>&#0;</a>",
        "<a>& b</a>", "<a><b</a>", "<>", "<a></a>b", "<!DOCTYPE a><a/>", "<a><![CDATA[b]]></a>", "<a", "<!-- a",
        "<a/b>",
    ])
    func `an invalid document is rejected`(_ text: String) {
        #expect(throws: XMLReader.Fault.self) { try events(text) }
    }

    @Test func `text length and nesting depth are limited`() {
        let long = String(repeating: "x", count: XMLReader.longestText + 1)
        let deep = String(repeating: "<a>", count: XMLReader.deepest + 1)
        for text in ["<a>\(long)</a>", "<a b='\(long)'/>", "<\(long)/>", deep] {
            #expect(throws: XMLReader.Fault.self) { try events(text) }
        }
    }
}
