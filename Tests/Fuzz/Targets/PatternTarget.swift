@testable import Catalog

/// Patterns of what to leave out, one a line, and a path in the last line.
enum PatternTarget: FuzzTarget {
    static func run(_ input: [UInt8]) {
        let lines = input.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        guard let path = lines.last else { return }
        var bad: [Int] = []
        let text = Array(lines.dropLast().joined(separator: [UInt8(ascii: "\n")]))
        let patterns = SkipPatterns(lines: text) { line, reason in
            precondition(!reason.isEmpty && line > (bad.last ?? 0) && line <= max(1, lines.count - 1))
            bad.append(line)
        }
        let isLeftOut = patterns.leavesOut(file: path)
        precondition(!isLeftOut || !patterns.isEmpty)
        // A file may begin with a byte order mark.
        guard !text.starts(with: [0xef, 0xbb, 0xbf]) else { return }
        // What is given to the operator's option one by one means the same, if it is accepted at all.
        let texts = lines.dropLast().map { FilePath.text(of: Array($0)) }
        if let same = try? SkipPatterns(texts) {
            precondition(bad.isEmpty && same.digest == patterns.digest && same.leavesOut(file: path) == isLeftOut)
        }
    }
}
