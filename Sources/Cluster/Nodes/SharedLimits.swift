/// Which limits a node applies to origins.
public enum SharedLimits: Hashable, Sendable {
    /// The configured limits undivided, since the number of nodes has never been known.
    case own
    /// An equal share for each of this many nodes, this one included.
    case shared(nodes: Int)
    /// The last known share, because the server currently doesn't report the number of nodes.
    case kept(nodes: Int)

    /// The number of nodes that divide the limits.
    var nodes: Int {
        switch self {
        case .own: 1
        case .shared(let nodes), .kept(let nodes): nodes
        }
    }
}
