/// One node's share of an origin's limits, so that all nodes together send no more than one node alone would.
struct OriginShare: Hashable, Sendable {
    /// The maximum and the initial number of concurrent requests; at least 1, even if there are more nodes than
    /// requests.
    let maximum: Int
    let first: Int
    /// The number of nodes that share the limits; never more than the limit itself.
    let nodes: Int

    /// - Parameters:
    ///   - ceiling: The limit of concurrent requests over all nodes, at least 1.
    ///   - nodes: The number of nodes, including this one.
    init(of ceiling: Int, among nodes: Int) {
        self.nodes = min(max(1, nodes), max(1, ceiling))
        maximum = max(1, ceiling / self.nodes)
        first = max(1, min(ConcurrencyWindow.initial, ceiling) / self.nodes)
    }
}
