import Cluster

/// How a node gets on with the others.
struct ClusterBody: Encodable, Sendable {
    /// What it calls itself among them.
    let node: String
    /// `connected`, or `away` while it goes on alone.
    let redis: String
    /// By whose limits it asks origins: `shared` among the nodes there are, `kept` as they were known last, `own`.
    let limits: String
    let figures: [String: Int]

    init(_ status: Cluster.Status) {
        node = status.node
        redis = status.isConnected ? "connected" : "away"
        limits =
            switch status.limits {
            case .shared: "shared"
            case .kept: "kept"
            case .own: "own"
            }
        figures = status.figures
    }
}
