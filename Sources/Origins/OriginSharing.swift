/// Heeds the limits of origins together with other nodes, which ask the same ones. All calls are safe from any thread, and return
/// at once.
public protocol OriginSharing: Sendable {
    /// So many nodes, this one among them, ask the origins: from now on each has its share of what one would ask an origin at a
    /// time, and at least one request. Those under way go on.
    func share(among nodes: Int)

    /// Tells from now on what origins have refused, for the other nodes to hear it.
    ///
    /// - Parameter hear: Called on a thread of the fetcher, which it must not block.
    func tellRefusals(to hear: @escaping @Sendable (OriginRefusal) -> Void)

    /// Another node was refused: the origin is spared as if this one had been. What is no origin is passed over.
    func heard(_ refusal: OriginRefusal)
}
