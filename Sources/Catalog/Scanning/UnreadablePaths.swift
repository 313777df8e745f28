/// Paths whose present state, including everything beneath them, is unknown.
struct UnreadablePaths {
    /// As bytes, because strings that Unicode treats as equal can be names of different files.
    private var paths: Set<[UInt8]> = []

    var isEmpty: Bool { paths.isEmpty }

    mutating func insert(_ path: String) { paths.insert(Array(path.utf8)) }

    /// Whether the path is one of these, or lies beneath one.
    func contains(_ path: String) -> Bool {
        var path = Array(path.utf8)
        while !paths.contains(path) {
            guard let slash = path.lastIndex(of: UInt8(ascii: "/")) else { return false }
            path.removeSubrange(slash...)
        }
        return true
    }
}
