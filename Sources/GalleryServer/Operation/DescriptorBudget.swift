import Loading

/// Divides the descriptors that the process may open. Connections get what the gallery itself doesn't need, so that
/// no number of clients keeps it from opening a picture.
public struct DescriptorBudget: Hashable, Sendable {
    /// Open connections.
    public let connections: Int
    /// Concurrent transfers from origins, each with a socket and the file it is written to.
    public let transfers: Int
    /// Open connections of one client: even one that takes all it can get leaves most of them to others.
    public var connectionsPerClient: Int { max(1, connections / 4) }

    /// Descriptors that serve no client: the standard streams, the index and the caches with their logs, folders
    /// being scanned, files being opened or indexed, and two for each fetch that is parked after its prefix.
    private static let reserved = 64 + MetadataIndexer.filesAtOnce + 2 * Loader.maximumParkedFetches
    /// The loop's listening socket, epoll and eventfd, and one to spare.
    private static let perLoop = 4
    /// A render worker's channel, process and picture, and the same for its successor.
    private static let perWorker = 6

    /// - Parameters:
    ///   - limit: The number of descriptors that the process may open (`RLIMIT_NOFILE`).
    ///   - connections: The desired number, at least 1.
    ///   - transfers: The desired number, at least 1.
    ///   - workers: The number of render workers.
    ///   - loops: The number of event loops that share the connections.
    public init(limit: Int, connections: Int, transfers: Int, workers: Int, loops: Int) {
        let own = Self.reserved + Self.perWorker * workers + Self.perLoop * loops
        let left = max(0, limit - min(own, limit / 2))
        // At most a third is for transfers. Of the rest, each connection may use one for its socket and one for a
        // file being sent.
        self.transfers = max(1, min(transfers, left / 3 / 2))
        self.connections = max(1, min(connections, (left - 2 * self.transfers) / 2))
    }
}
