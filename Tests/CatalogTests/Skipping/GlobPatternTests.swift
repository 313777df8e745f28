import Testing

@testable import Catalog

@Suite struct GlobPatternTests {
    private func matches(_ pattern: String, _ path: String, isFolder: Bool = false) throws -> Bool {
        let pattern = try #require(try GlobPattern(pattern))
        return pattern.matches(
            path.utf8.split(separator: UInt8(ascii: "/")).map { GlobPattern.scalars(of: Array($0)) }[...],
            isFolder: isFolder)
    }

    @Test(
        arguments: [
            // A name at any depth.
            ("a", ["a", "x/a", "x/y/a"], ["b", "ab", "a/b", "A"]),
            ("*.jpg", ["a.jpg", "x/.jpg", "x/a.b.jpg"], ["a.jpeg", "a.jpg/x", "a.JPG"]),
            // A slash at the beginning or inside fixes the place.
            ("/a", ["a"], ["x/a"]), ("x/a", ["x/a"], ["a", "y/x/a"]), ("/x/*", ["x/a"], ["x", "x/a/b"]),
            // Stars do not cross slashes, double stars do.
            ("x/*/a", ["x/y/a"], ["x/a", "x/y/z/a"]), ("x/**/a", ["x/a", "x/y/a", "x/y/z/a"], ["a", "x/b"]),
            ("**/a", ["a", "x/a", "x/y/a"], ["ab"]), ("**/x/a", ["x/a", "y/x/a"], ["a"]),
            ("x/**", ["x/a", "x/y/a"], ["x", "y/x/a"]), ("**/x/**", ["x/a", "y/x/z/a"], ["x", "y/x"]),
            ("a**b", ["ab", "axb", "y/axxb"], ["a/b"]), ("**", ["a", "x/a"], []),
            ("a/**/**/b", ["a/b", "a/x/b"], ["b"]),
            // Single characters and sets.
            ("a?c", ["abc", "a\u{e9}c", "a\u{1f600}c"], ["ac", "abbc"]), ("[a-c]x", ["ax", "cx"], ["dx", "x", "abx"]),
            ("[!a-c]x", ["dx"], ["ax"]), ("[^a]x", ["bx"], ["ax"]), ("[]a]", ["]", "a"], ["b"]),
            ("[a-]", ["a", "-"], ["b"]),
            ("[[:digit:]x]", ["5", "x"], ["d", ":"]), ("[\\]]", ["]"], ["\\"]), ("[\u{e0}-\u{ef}]", ["\u{e9}"], ["e"]),
            ("[[:upper:][:space:]]", ["A", " "], ["a"]), ("IMG_????.jpg", ["IMG_1234.jpg"], ["IMG_123.jpg"]),
            // Escapes, comments, spaces.
            ("\\#recycle", ["#recycle"], ["\\#recycle"]), ("\\!a", ["!a"], ["a"]), ("\\*", ["*"], ["a"]),
            ("a\\?", ["a?"], ["ab"]), ("a ", ["a"], ["a "]), ("a\\ ", ["a "], ["a"]), ("a b", ["a b"], ["ab"]),
            ("a\r", ["a"], []), ("a\\\\ ", ["a\\"], ["a\\ "]),
        ])
    func `paths`(pattern: String, matched: [String], others: [String]) throws {
        for path in matched { #expect(try matches(pattern, path), "\(pattern) matches \(path)") }
        for path in others { #expect(try !matches(pattern, path), "\(pattern) does not match \(path)") }
    }

    @Test func `a slash at the end means folders only`() throws {
        #expect(try matches("a/", "a", isFolder: true) && matches("a/", "x/a", isFolder: true))
        #expect(try !matches("a/", "a") && !matches("/a/", "x/a", isFolder: true))
        #expect(try matches("**/", "x", isFolder: true) && !matches("**/", "x"))
    }

    @Test func `blank lines and comments are no patterns`() throws {
        for line in ["", "   ", "#a", "\r", "# b"] { #expect(try GlobPattern(line) == nil) }
    }

    @Test(
        arguments: [
            ("[a", "["), ("a[", "["), ("[]", "["), ("[a/b]", "["), ("[z-a]", "backwards"), ("a\\", "backslash"),
            ("/", "names nothing"), ("!", "names nothing"), ("!/", "names nothing"), ("a//b", "empty name"),
            ("./a", ". or .."), ("a/../b", ". or .."), ("[[:letter:]]", "unknown set"),
            (String(repeating: "a", count: 1025), "longer"),
        ])
    func `a pattern that cannot be used says why`(pattern: String, reason: String) throws {
        let error = #expect(throws: GlobPattern.Invalid.self) { try GlobPattern(pattern) }
        #expect(error?.reason.contains(reason) == true)
    }

    @Test(.timeLimit(.minutes(1))) func `hostile patterns take no exponential time`() throws {
        let name = String(repeating: "a", count: 255)
        #expect(try !matches(String(repeating: "*a", count: 500) + "b", name))
        #expect(try !matches(String(repeating: "a*", count: 500) + "b", name))
        let deep = String(repeating: "a/", count: 2000) + "a"
        #expect(try !matches(String(repeating: "**/a/", count: 200) + "b", deep))
        #expect(try !matches(String(repeating: "**/*a*/", count: 140) + "b", deep))
    }

    /// Compares random patterns with a definition that is obviously right, and takes exponential time.
    @Test func `stars match as defined`() throws {
        func isMatch(_ pattern: ArraySlice<Character>, _ text: ArraySlice<Character>) -> Bool {
            guard let first = pattern.first else { return text.isEmpty }
            let rest = pattern.dropFirst()
            if first == "*" {
                return isMatch(rest, text) || text.first.map { $0 != "/" && isMatch(pattern, text.dropFirst()) } == true
            }
            return text.first == first && isMatch(rest, text.dropFirst())
        }
        var dice = SystemRandomNumberGenerator()
        var matched = 0
        for _ in 0..<20_000 {
            let pattern = (0..<Int.random(in: 1...6, using: &dice)).map { _ in "ab*".randomElement(using: &dice) ?? "a"
            }
            let text = (0..<Int.random(in: 1...7, using: &dice)).map { _ in "ab".randomElement(using: &dice) ?? "a" }
            let expected = isMatch(pattern[...], text[...])
            matched += expected ? 1 : 0
            #expect(try matches(String(pattern), String(text)) == expected, "\(String(pattern)) and \(String(text))")
        }
        #expect(matched > 500)
    }
}
