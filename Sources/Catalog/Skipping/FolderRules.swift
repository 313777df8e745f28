import Images

/// What is left out of one folder: by the operator's patterns, and by the markers from the source's root down to the
/// folder.
struct FolderRules: Sendable {
    private let excluded: SkipPatterns
    /// The patterns of markers, each with the number of components of its folder's path; outermost first.
    private var markers: [(depth: Int, patterns: SkipPatterns)] = []
    /// Whether the folder and everything beneath it is left out.
    private(set) var leavesOutAll = false
    /// Changes whenever the rules do.
    private(set) var digest: UInt64

    /// The rules of a source without markers.
    init(excluded: SkipPatterns) {
        self.excluded = excluded
        digest = SplitMix.mixed(excluded.digest)
    }

    /// Adds the rule of a marker without patterns.
    mutating func leaveOutAll() {
        leavesOutAll = true
        digest = SplitMix.mixed(digest &+ 1)
    }

    /// Adds the patterns of a marker in a folder.
    mutating func add(_ patterns: SkipPatterns, of folder: [UInt8]) {
        let depth = folder.split(separator: UInt8(ascii: "/")).count
        markers.append((depth, patterns))
        digest = SplitMix.mixed(digest &+ patterns.digest)
    }

    /// The rules, applied to the names of a folder.
    func scope(of folder: [UInt8]) -> Scope {
        let hasPatterns = !excluded.isEmpty || !markers.isEmpty
        let parts = hasPatterns ? folder.split(separator: UInt8(ascii: "/")).map { GlobPattern.scalars(of: $0) } : []
        return Scope(rules: self, folder: parts, hasPatterns: hasPatterns)
    }

    struct Scope {
        fileprivate let rules: FolderRules
        fileprivate let folder: [[UInt32]]
        fileprivate let hasPatterns: Bool

        /// Whether a file or a folder in the folder is left out. The operator's patterns come first, then the patterns
        /// of the innermost marker; the first of these lists with a pattern that matches decides.
        func leavesOut(_ name: some Collection<UInt8>, isFolder: Bool) -> Bool {
            if rules.leavesOutAll { return true }
            guard hasPatterns else { return false }
            let path = folder + [GlobPattern.scalars(of: name)]
            if let decision = rules.excluded.leavesOut(path[...], isFolder: isFolder) { return decision }
            for (depth, patterns) in rules.markers.reversed() {
                if let decision = patterns.leavesOut(path[depth...], isFolder: isFolder) { return decision }
            }
            return false
        }
    }
}
