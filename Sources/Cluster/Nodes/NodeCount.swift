/// The number of nodes among which limits are divided. An increase counts at once. A decrease counts only after it
/// has lasted for a while: a missing node may have lost only its connection, or the server its data, while the node
/// keeps sending requests to origins.
///
/// A pure value: the caller supplies the time.
struct NodeCount: Sendable {
    typealias Instant = ContinuousClock.Instant

    /// Longer than nodes take to reconnect to a server that has come back.
    static let decreaseDelay = Duration.seconds(5)

    /// Nil until the first reply.
    private(set) var nodes: Int?
    /// The time since which smaller counts have been reported, and the largest of these counts.
    private var fewer: (since: Instant, most: Int)?

    /// The server reported this many nodes.
    mutating func update(_ count: Int, at now: Instant) {
        let count = max(1, count)
        guard let nodes, count < nodes else {
            self.nodes = count
            fewer = nil
            return
        }
        let before = fewer ?? (now, count)
        fewer = (before.since, max(before.most, count))
        guard before.since.duration(to: now) >= Self.decreaseDelay else { return }
        self.nodes = max(before.most, count)
        fewer = nil
    }

    /// The server did not report a count: the last one stands.
    mutating func becameUnknown() { fewer = nil }
}
