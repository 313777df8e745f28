/// A session that follows a log together with other nodes.
extension PostgresConnection {
    /// Sets up the session, and creates or migrates the tables if necessary.
    ///
    /// - Parameter time: How long this node waits for a response to a statement.
    /// - Returns: What distinguishes the tables, and their history, from any others: a standby or a restored backup
    ///   continues on a new timeline (PostgreSQL, 26.3.5).
    /// - Throws: ``PostgresError``, ``PostgresSchema/Unusable``.
    public func begin(
        _ schema: PostgresSchema, waiting time: Duration, isolation: isolated (any Actor)? = #isolation
    ) async throws -> String {
        _ = try await query(Self.settings(time), within: time)
        guard try await query("SELECT current_setting('server_encoding')", within: time).first?.text(0) == "UTF8" else {
            throw PostgresSchema.Unusable(
                description: "it does not store all characters: create the database with ENCODING 'UTF8'")
        }
        return try await schema.bringUp(self).identity + "/" + timeline(within: time)
    }

    /// The settings of a session. The search path keeps out functions of other users, and timeouts end statements that
    /// this node has given up. A node that freezes within a transaction, or loses its power, must not block the others.
    private static func settings(_ time: Duration) -> String {
        let milliseconds = time / .milliseconds(1)
        let settings = [
            ("search_path", "pg_catalog, pg_temp"), ("default_transaction_isolation", "read committed"),
            ("statement_timeout", "\(Int(milliseconds * 0.9))"), ("lock_timeout", "\(Int(milliseconds * 0.7))"),
            ("idle_in_transaction_session_timeout", "5000"), ("tcp_keepalives_idle", "10"),
            ("tcp_keepalives_interval", "3"), ("tcp_keepalives_count", "3"), ("tcp_user_timeout", "10000"),
        ]
        let calls = settings.map { "pg_catalog.set_config('\($0.0)', '\($0.1)', false)" }
        return "SELECT \(calls.joined(separator: ", "))"
    }

    /// The server's timeline; empty for servers that speak PostgreSQL's protocol and have no timelines.
    private func timeline(
        within time: Duration, isolation: isolated (any Actor)? = #isolation
    ) async throws -> String {
        do {
            return try await query("SELECT substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8)", within: time).first?
                .text(0) ?? ""
        } catch PostgresError.refused {
            return ""
        }
    }
}
