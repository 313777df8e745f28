import Catalog

/// Files that other nodes have claimed for indexing. Their metadata will arrive through the metadata log.
struct FilesIndexedElsewhere: Sendable {
    /// How long to wait for the metadata of a file: longer than a node's claim lasts.
    private static let maximumWait = Duration.seconds(150)
    /// The maximumFiles files; more can be added once the metadata of some has arrived.
    private static let maximumFiles = 4_096
    /// The most files that are claimed again at a time.
    private static let claimedAtOnce = 256

    private var since: [UnindexedFile: ContinuousClock.Instant] = [:]
    /// All files, in the order in which they are claimed again.
    private var queue: [UnindexedFile] = []

    var count: Int { since.count }
    var isEmpty: Bool { since.isEmpty }
    var isFull: Bool { count >= Self.maximumFiles }
    var files: [UnindexedFile] { Array(since.keys) }

    /// Adds files. For those that were added before, the waiting time continues.
    mutating func add(_ files: [UnindexedFile], at now: ContinuousClock.Instant) {
        for file in files where since[file] == nil {
            since[file] = now
            queue.append(file)
        }
    }

    /// Removes files that this node has claimed itself.
    mutating func remove(_ files: [UnindexedFile]) {
        guard !files.isEmpty else { return }
        for file in files { since[file] = nil }
        queue.removeAll { since[$0] == nil }
    }

    /// Removes the files whose metadata has arrived.
    ///
    /// - Parameter unindexed: The files that no node has indexed yet.
    /// - Returns: Some files to claim again, which stay; and the files that have waited long enough, which are removed.
    mutating func take(
        _ unindexed: [UnindexedFile], now: ContinuousClock.Instant
    ) -> (open: [UnindexedFile], overdue: [UnindexedFile]) {
        let left = Set(unindexed)
        let overdue = since.filter { left.contains($0.key) && now - $0.value >= Self.maximumWait }.map(\.key)
        since = since.filter { left.contains($0.key) }
        for file in overdue { since[file] = nil }
        queue.removeAll { since[$0] == nil }
        let open = queue.prefix(Self.claimedAtOnce)
        queue = Array(queue.dropFirst(open.count) + open)
        return (Array(open), overdue)
    }
}
