/// Respects the limits of origins together with other nodes, which use the same origins. All calls are safe on any
/// thread, and return at once.
public protocol OriginSharing: Sendable {
    /// Sets the number of nodes, including this one. From now on each node has its share of the concurrent requests per
    /// origin, at least one. Requests in flight continue.
    func share(among nodes: Int)

    /// Sets the handler for refusals of origins, which the other nodes should receive.
    ///
    /// - Parameter report: Called on a thread of the fetcher, which it must not block.
    func reportRefusals(to report: @escaping @Sendable (OriginRefusal) -> Void)

    /// Handles another node's refusal as if this node had been refused. Ignored if it names no valid origin.
    func received(_ refusal: OriginRefusal)
}
