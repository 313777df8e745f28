import Testing
import XML

@Suite struct XMLScannerTests {
    private func tokens(_ text: String) -> (tokens: [String], rest: String) {
        var (scanner, tokens) = (XMLScanner(Array(text.utf8)[...]), [String]())
        func word(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }
        while let token = scanner.next() {
            switch token {
            case .start(let tag):
                var attributes = ""
                tag.forEachAttribute { attributes += " \(word($0))=\(word($1))" }
                tokens.append("<\(word(tag.name))\(attributes)\(tag.isEmpty ? "/" : "")>")
            case .end(let name): tokens.append("</\(word(name))>")
            case .text(let text): tokens.append(word(text))
            case .literal(let text): tokens.append("[\(word(text))]")
            case .declaration: tokens.append("!")
            }
        }
        return (tokens, word(scanner.rest))
    }

    @Test func `tags are read with their names and attributes`() {
        let text = "<!DOCTYPE a><a x = '1>2' y:z=\"&lt;\"><!-- <b> -->c<?d <e>?><f/><![CDATA[<g>&]]></a >"
        #expect(
            tokens(text).tokens == ["!", "<a x=1>2 y:z=&lt;>", "c", "<f/>", "[<g>&]", "</a>"])
    }

    @Test(arguments: ["text", "<", "<a x='>", "<!", "<!-- a", "<![CDATA[ b >", "<?a ", "</a"])
    func `an incomplete token is left in the rest`(text: String) {
        #expect(tokens("<a>" + text).tokens == ["<a>"] && tokens("<a>" + text).rest == text)
    }

    @Test(arguments: [
        ("a", "a"), ("&lt;&gt;&amp;&quot;&apos;", "<>&\"'"), ("&#65;&#x263a;", "A☺"), ("&amp", "&amp"), ("&", "&"),
        ("&bogus;", "&bogus;"), ("&#0;", "&#0;"), ("&#xd800;", "&#xd800;"), ("&#+5;", "&#+5;"), ("&&lt;", "&<"),
    ])
    func `known references are resolved, and others are left unchanged`(text: String, resolved: String) {
        #expect(String(decoding: XMLReferences.resolved(in: Array(text.utf8)[...]), as: UTF8.self) == resolved)
    }
}
