import Images

/// Patterns of what to leave out, in order: of those that match a path the last one decides.
///
/// As in `gitignore(5)`, nothing beneath a folder that is left out can be shown again, so callers check a path's folders
/// first.
public struct SkipPatterns: Sendable, Hashable {
    /// A pattern that cannot be used, and why; for people.
    public struct Invalid: Error, Hashable, CustomStringConvertible {
        public let pattern: String
        public let reason: String

        public var description: String { "“\(FilePath.printable(pattern))” \(reason)" }
    }

    /// The most patterns of one list.
    static let maximumCount = 1000
    /// The maximum total length of the patterns of one file, in bytes, without comments. The time to match a name is
    /// proportional to this length times the length of the name: a few milliseconds at most.
    static let maximumBytes = 16_384

    private var patterns: [GlobPattern] = []
    /// A digest of the texts, to notice that they have changed.
    private(set) var digest: UInt64 = 0

    /// No patterns.
    public init() {}

    /// Patterns that a person gave one by one, so that none is meant as a comment.
    ///
    /// - Throws: `Invalid` for the first one that cannot be used.
    public init(_ texts: [String]) throws(Invalid) {
        guard texts.count <= Self.maximumCount else {
            throw Invalid(pattern: texts[Self.maximumCount], reason: "is too much: there may be \(Self.maximumCount)")
        }
        for text in texts {
            guard !text.unicodeScalars.contains(where: { $0 == "\n" || $0 == "\0" }) else {
                throw Invalid(pattern: text, reason: "has a line break or a NUL in it; give each pattern by itself")
            }
            do throws(GlobPattern.Invalid) {
                guard let pattern = try GlobPattern(text) else {
                    throw GlobPattern.Invalid(
                        reason: text.first == "#" ? "is a comment; write \\\(text) for the name" : "is empty")
                }
                add(pattern, text)
            } catch {
                throw Invalid(pattern: text, reason: error.reason)
            }
        }
    }

    /// The patterns of a file. Lines that cannot be used match nothing, as in Git.
    ///
    /// - Parameter bad: Called with each line that cannot be used: its number, from 1, and why.
    init(lines: [UInt8], bad: (Int, String) -> Void) {
        let lines = lines.starts(with: [0xef, 0xbb, 0xbf]) ? lines.dropFirst(3) : lines[...]
        let all = lines.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        var length = 0
        for (number, line) in all.enumerated() {
            let text = FilePath.text(of: Array(line))
            do throws(GlobPattern.Invalid) {
                guard let pattern = try GlobPattern(text) else { continue }
                length += line.count
                guard patterns.count < Self.maximumCount, length <= Self.maximumBytes else {
                    let limit = "\(Self.maximumCount) patterns or \(Self.maximumBytes) bytes"
                    bad(number + 1, "this and the following lines are ignored: the limit is \(limit)")
                    return
                }
                add(pattern, text)
            } catch {
                bad(number + 1, "the pattern \(error.reason)")
            }
        }
    }

    private mutating func add(_ pattern: GlobPattern, _ text: String) {
        patterns.append(pattern)
        for byte in text.utf8 { digest = (digest ^ UInt64(byte)) &* 0x100_0000_01b3 }
        digest = SplitMix.mixed(digest &+ 1)
    }

    var isEmpty: Bool { patterns.isEmpty }

    /// Whether the last pattern that matches leaves the path out; nil if none matches.
    ///
    /// - Parameter path: The components beneath the patterns' folder; see ``GlobPattern/scalars(of:)``.
    func leavesOut(_ path: ArraySlice<[UInt32]>, isFolder: Bool) -> Bool? {
        patterns.last { $0.matches(path, isFolder: isFolder) }.map { !$0.isNegated }
    }

    /// Whether a file is left out: by itself, or with a folder above it.
    func leavesOut(file path: some Collection<UInt8>) -> Bool {
        guard !patterns.isEmpty else { return false }
        let parts = path.split(separator: UInt8(ascii: "/")).map { GlobPattern.scalars(of: $0) }
        return parts.indices.contains { last in
            leavesOut(parts[...last], isFolder: last < parts.count - 1) == true
        }
    }
}
