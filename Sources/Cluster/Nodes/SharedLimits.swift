/// By whose limits a node asks origins.
public enum SharedLimits: Hashable, Sendable {
    /// By its own, as if there were no other: it has never learnt how many there are.
    case own
    /// By its share among so many nodes, itself among them.
    case shared(nodes: Int)
    /// By the share that it knew last, for the server does not tell.
    case kept(nodes: Int)

    /// Among how many limits are shared out.
    var nodes: Int {
        switch self {
        case .own: 1
        case .shared(let nodes), .kept(let nodes): nodes
        }
    }
}
