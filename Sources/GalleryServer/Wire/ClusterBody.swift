import Cluster

/// How a node gets on with the others.
struct ClusterBody: Encodable, Sendable {
    /// What it calls itself among them.
    let node: String
    /// `connected`, or `away` while it goes on alone.
    let redis: String
    let figures: [String: Int]

    init(_ status: Cluster.Status) {
        node = status.node
        redis = status.isConnected ? "connected" : "away"
        figures = status.figures
    }
}
