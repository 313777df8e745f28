/// How the descriptors that the process may have open are shared out: connections get what the gallery itself does not
/// need, so that no number of clients keeps it from opening a picture.
public struct DescriptorBudget: Hashable, Sendable {
    /// Open connections.
    public let connections: Int
    /// Transfers from origins at a time, each with a socket and the file that it is written to.
    public let transfers: Int
    /// Open connections of one client, at most: whoever has as many as it can get leaves most of them to others.
    public var connectionsPerClient: Int { max(1, connections / 4) }

    /// Standard streams, the index and the caches with their logs, folders that are being read, files that
    /// are being opened or looked into: what a gallery has open that serves nobody.
    private static let household = 64 + Examiner.filesAtOnce
    /// Its listening socket, its epoll and what wakes it, and one to spare.
    private static let perLoop = 4
    /// The channel of a render worker, its process and the picture that it reads; and as much for its successor.
    private static let perWorker = 6

    /// - Parameters:
    ///   - limit: descriptors that the process may have open (`RLIMIT_NOFILE`).
    ///   - connections: how many are wished for, at least 1.
    ///   - transfers: how many are wished for, at least 1.
    ///   - workers: render workers at a time.
    ///   - loops: loops that share the connections.
    public init(limit: Int, connections: Int, transfers: Int, workers: Int, loops: Int) {
        let own = Self.household + Self.perWorker * workers + Self.perLoop * loops
        let left = max(0, limit - min(own, limit / 2))
        // At most a third is for transfers; of the rest each connection may have, beside its socket, a file under way.
        self.transfers = max(1, min(transfers, left / 3 / 2))
        self.connections = max(1, min(connections, (left - 2 * self.transfers) / 2))
    }
}
