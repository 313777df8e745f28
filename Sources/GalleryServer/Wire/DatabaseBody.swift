import FactsLog

/// How a node gets on with the PostgreSQL in which all share what they learn.
struct DatabaseBody: Encodable, Sendable {
    /// `connected`, or `away` while the node goes on alone.
    let postgres: String
    let figures: [String: Int]

    init(_ status: PostgresFactsLog.Status) {
        postgres = status.isConnected ? "connected" : "away"
        figures = [
            "connected": status.isConnected ? 1 : 0, "current": status.isCurrent ? 1 : 0,
            "timesAway": status.timesAway, "told": status.told, "heard": status.heard, "untold": status.untold,
            "granted": status.granted, "listed": status.listed, "listingsRead": status.listingsRead,
        ]
    }
}
