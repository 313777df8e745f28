/// What the server is doing.
struct StatusBody: Encodable, Sendable {
    let version: String
    /// Seconds.
    let uptime: Double
    let revision: Int
    let total: Int
    let scanning: Bool
    /// Absent where files are not looked into.
    let examined: ExaminationProgress?
    /// Absent where tiles are made only when they are asked for.
    let tilesAhead: TilesAhead.Progress?
    let problems: Problems
    let sessions: Int
    let tokens: [String: Int]
    let loading: [String: Int]
    let origins: [String: Int]
    let connections: [String: Int]
    let streams: [String: Int]
    let workers: [String: Int]
    /// Absent where the node is by itself.
    let cluster: ClusterBody?
    /// Absent where no PostgreSQL is shared with other nodes.
    let database: DatabaseBody?
    /// Absent where no bucket keeps tiles.
    let tileBucket: [String: Int]?
    /// Absent where stores may not tell of their objects.
    let events: [String: Int]?

    /// All are counted, the first ones are named.
    struct Problems: Encodable, Sendable {
        let count: Int
        let first: [String]
    }
}
