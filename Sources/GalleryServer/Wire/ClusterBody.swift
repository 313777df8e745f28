import Cluster
import Encodings
import Metrics

/// A node's state within its cluster.
struct ClusterBody: JSONWritable {
    let status: Cluster.Status

    func write(to json: inout JSONWriter) {
        json.object { json in
            // The node's name within the cluster.
            json.member("node", status.node)
            // `away` while the node works on its own.
            json.member("redis", status.isConnected ? "connected" : "away")
            // Why it is away.
            if let reason = status.reason { json.member("reason", reason) }
            // Which limits apply to origins: `shared` among the current nodes, `kept` from when their number was last
            // known, or `own`.
            let limits =
                switch status.limits {
                case .shared: "shared"
                case .kept: "kept"
                case .own: "own"
                }
            json.member("limits", limits)
            json.member("figures", Figures(status.readings))
        }
    }
}
