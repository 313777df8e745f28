/// How the descriptors that the process may have open are shared out: connections get what the gallery itself does not
/// need, so that no number of clients keeps it from opening a picture.
public struct DescriptorBudget: Hashable, Sendable {
    /// Open connections.
    public let connections: Int
    /// Transfers from origins at a time, each with a socket and the file that it is written to.
    public let transfers: Int

    /// Standard streams, the loops, the index and the caches with their logs, folders that are being read, and files that
    /// are being opened: what a gallery has open that serves nobody.
    private static let household = 64
    /// The channel of a render worker, its process and the picture that it reads; and as much for its successor.
    private static let perWorker = 6

    /// - Parameters:
    ///   - limit: descriptors that the process may have open (`RLIMIT_NOFILE`).
    ///   - connections: how many are wished for, at least 1.
    ///   - transfers: how many are wished for, at least 1.
    ///   - workers: render workers at a time.
    public init(limit: Int, connections: Int, transfers: Int, workers: Int) {
        let left = max(0, limit - min(Self.household + Self.perWorker * workers, limit / 2))
        // At most a third is for transfers; of the rest each connection may have, beside its socket, a file under way.
        self.transfers = max(1, min(transfers, left / 3 / 2))
        self.connections = max(1, min(connections, (left - 2 * self.transfers) / 2))
    }
}
