import Testing

@testable import HTTPServer

@Suite struct ScriptScannerTests {
    private func tokens(_ script: String) throws -> [(kind: ScriptScanner.Kind, text: String)] {
        let tokens = try ScriptScanner.tokens(of: Array(script.utf8))
        #expect(tokens.map(\.text).joined() == script)
        return tokens.filter { $0.kind != .space && $0.kind != .lineEnd }.map { ($0.kind, $0.text) }
    }

    @Test(arguments: [
        "a = /[/'\"]+/g.exec(b)", "return /`/", "f(/'/)", "x = y ? /\"/ : /'/u", "[/'/]", "typeof /'/",
    ])
    func `a slash where a value is due begins a regular expression`(script: String) throws {
        #expect(try tokens(script).contains { $0.kind == .regularExpression })
    }

    @Test(arguments: ["a / b / 2", "f(x) / 2 / y", "a[0] / 2 / 1", "1 / 2 / 3", "'a' / 2 / 3"])
    func `a slash after a value divides`(script: String) throws {
        #expect(try !tokens(script).contains { $0.kind == .regularExpression })
    }

    @Test(arguments: ["'//'", #"'it\'s /* none */'"#, #""\\""#, "`// ${ `}` + '}' } /* */`", #"`\``"#, "`${{ a: 1 }}`"])
    func `what looks like a comment in a text is none`(script: String) throws {
        let tokens = try tokens(script)
        #expect(tokens.count == 1)
        #expect(tokens[0].text == script)
    }

    @Test func `comments are space, and end a line if a line ends in them`() throws {
        let kinds = try ScriptScanner.tokens(of: Array("a /* b */ c // d\n e /*\n*/ f".utf8)).map(\.kind)
        #expect(kinds == [.word, .space, .word, .lineEnd, .word, .lineEnd, .word])
    }

    @Test(arguments: [
        ("\n'a\n'", 2, "a string"), ("/* a", 1, "a comment"), ("\n\n`${'a'", 3, "a template"),
        ("x = /a\n/", 1, "a regular expression"),
    ])
    func `what does not end is an error that says where it began`(script: String, line: Int, what: String) {
        #expect(throws: ScriptError(line: line, reason: "\(what) does not end")) {
            try ScriptScanner.tokens(of: Array(script.utf8))
        }
    }
}
