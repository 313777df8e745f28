/// What one of several nodes may ask of an origin at a time, so that all of them together ask no more than one alone would.
struct OriginShare: Hashable, Sendable {
    /// Requests at a time at most, and how many it begins with; at least 1, so that of more nodes than requests each has one.
    let most: Int
    let first: Int
    /// Those that limits are shared out among: never more than there are requests.
    let nodes: Int

    /// - Parameters:
    ///   - ceiling: Requests at a time of all nodes, at least 1.
    ///   - nodes: How many there are, this one among them.
    init(of ceiling: Int, among nodes: Int) {
        self.nodes = min(max(1, nodes), max(1, ceiling))
        most = max(1, ceiling / self.nodes)
        first = max(1, min(ConcurrencyWindow.initial, ceiling) / self.nodes)
    }
}
