import Encodings
import MetadataLog
import Metrics

/// A node's connection to the PostgreSQL server through which nodes share metadata.
struct DatabaseBody: JSONWritable {
    let status: PostgresMetadataLog.Status

    func write(to json: inout JSONWriter) {
        json.object { json in
            // `away` while the node works on its own.
            json.member("postgres", status.isConnected ? "connected" : "away")
            // Why it is away.
            if let reason = status.reason { json.member("reason", reason) }
            json.member("figures", Figures(status.readings))
        }
    }
}
