/// How many nodes there are, as far as limits are shared out by it. One more counts at once. One fewer counts only when that
/// has been so for a while: whoever is missed may have lost its connection, or the server all that it knew, and go on
/// asking origins meanwhile.
///
/// A pure value: it knows no clock but what it is told.
struct NodeCount: Sendable {
    typealias Moment = ContinuousClock.Instant

    /// Longer than nodes take to find a server that is back.
    static let patience = Duration.seconds(5)

    /// Nil until it is known.
    private(set) var nodes: Int?
    /// Since when fewer are told, and of how many at most.
    private var fewer: (since: Moment, most: Int)?

    /// The server knows so many.
    mutating func told(_ count: Int, at now: Moment) {
        let count = max(1, count)
        guard let nodes, count < nodes else {
            self.nodes = count
            fewer = nil
            return
        }
        let before = fewer ?? (now, count)
        fewer = (before.since, max(before.most, count))
        guard before.since.duration(to: now) >= Self.patience else { return }
        self.nodes = max(before.most, count)
        fewer = nil
    }

    /// The server does not tell: what was known last holds.
    mutating func isUntold() { fewer = nil }
}
