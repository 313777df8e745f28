/// The dirty set of a source: what may have changed since the last scan.
struct DirtySet {
    /// Beyond this number of paths, a full scan is cheaper.
    private static let bound = 200_000

    /// What events have reported about a path.
    enum Change: Hashable {
        /// A new file or folder that may still be being written.
        case begun
        /// Something was added, removed or changed, and its writer has finished.
        case changed
        /// Its rights or times were set.
        case touched
    }

    /// How much must be checked.
    enum Extent: Comparable {
        /// Only the paths.
        case paths
        /// Every folder whose times have changed.
        case times
        /// Every folder, and every name in it.
        case everything
    }

    var extent = Extent.paths
    /// Paths beneath the source's folder.
    private(set) var paths: [[UInt8]: Change] = [:]

    mutating func add(_ path: [UInt8], _ sign: Change) {
        // Set times do not tell whether a file is complete.
        if sign == .touched, paths[path] != nil { return }
        paths[path] = sign
        if paths.count > Self.bound {
            extent = .everything
            paths = [:]
        }
    }
}
