import Testing

@testable import Catalog

@Suite struct SkipPatternsTests {
    private func out(_ patterns: [String], _ path: String) throws -> Bool {
        try SkipPatterns(patterns).leavesOut(file: Array(path.utf8))
    }

    @Test func `the last pattern that matches decides`() throws {
        #expect(try out(["*.gif", "!keep.gif"], "a/b.gif"))
        #expect(try !out(["*.gif", "!keep.gif"], "a/keep.gif"))
        #expect(try out(["!keep.gif", "*.gif"], "a/keep.gif"))
        #expect(try !out([], "a"))
    }

    @Test func `nothing beneath a folder that is left out is shown again`() throws {
        #expect(try out(["a/", "!a/b.jpg"], "a/b.jpg"))
        #expect(try !out(["a/*", "!a/b.jpg"], "a/b.jpg"))
        #expect(try out(["private/"], "x/private/y/z.jpg") && !out(["private/"], "x/private"))
    }

    @Test(arguments: [("#recycle", "\\#recycle"), ("", "is empty"), ("[a", "["), ("a\nb", "line break")])
    func `a pattern of the operator that cannot be used is named`(pattern: String, part: String) throws {
        let error = #expect(throws: SkipPatterns.Invalid.self) { try SkipPatterns(["ok", pattern]) }
        #expect(error?.pattern == pattern && error?.description.contains(part) == true)
    }

    @Test func `there is a limit to the number of patterns`() throws {
        #expect(throws: SkipPatterns.Invalid.self) { try SkipPatterns(Array(repeating: "a", count: 1001)) }
    }

    @Test func `the patterns of a file are limited, so that matching a name is quick`() {
        // Each would be tried from every letter of a name.
        let line = Array((String(repeating: "*a", count: 60) + "b\n").utf8)
        let file = Array("# not counted\n".utf8) + (0..<900).flatMap { _ in line }
        var ignored: [Int] = []
        let patterns = SkipPatterns(lines: file) { number, _ in ignored.append(number) }
        #expect(ignored == [2 + SkipPatterns.maximumBytes / 121])
        #expect(!patterns.isEmpty && !patterns.leavesOut(file: String(repeating: "a", count: 255).utf8))
    }

    @Test func `bad lines of a file are named, and the others count`() {
        var bad: [Int] = []
        let text = "\u{feff}# comment\n[a\n\n*.gif\r\na//b\n!c.gif"
        let patterns = SkipPatterns(lines: Array(text.utf8)) { line, _ in bad.append(line) }
        #expect(bad == [2, 5])
        #expect(patterns.leavesOut(file: Array("x/y.gif".utf8)) && !patterns.leavesOut(file: Array("c.gif".utf8)))
        var most: [Int] = []
        _ = SkipPatterns(lines: Array(String(repeating: "a\n", count: 2000).utf8)) { line, _ in most.append(line) }
        #expect(most == [1001])
    }

    @Test func `other patterns have another digest`() throws {
        let digests = try [[], ["a"], ["b"], ["a", "b"], ["ab"], ["b", "a"]].map { try SkipPatterns($0).digest }
        #expect(Set(digests).count == digests.count)
    }
}
