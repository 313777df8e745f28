/// What may have changed in a source since it was looked at.
struct Dirt {
    /// Beyond this many paths it costs less to read everything.
    private static let bound = 200_000

    /// What is known of a path.
    enum Sign: Hashable {
        /// A new file or folder, with which its writer may not be done.
        case begun
        /// Something came, went or is other than it was, and whoever wrote it is done.
        case changed
        /// Its rights or its times were set.
        case touched
    }

    /// How much there is to be looked at.
    enum Extent: Comparable {
        /// The paths.
        case paths
        /// Every folder whose times are not as they were.
        case times
        /// Every folder, and each name in it.
        case everything
    }

    var extent = Extent.paths
    /// Paths beneath the source's folder.
    private(set) var paths: [[UInt8]: Sign] = [:]

    mutating func add(_ path: [UInt8], _ sign: Sign) {
        // That a file's times are set says nothing of whether it is whole.
        if sign == .touched, paths[path] != nil { return }
        paths[path] = sign
        if paths.count > Self.bound {
            extent = .everything
            paths = [:]
        }
    }
}
