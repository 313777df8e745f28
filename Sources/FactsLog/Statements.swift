/// What is asked of the database.
enum Statements {
    private static let names = LogRow.CodingKeys.allCases.map(\.rawValue)
    private static let columns = names.joined(separator: ", ")
    private static let own: Set<String> = ["image", "version"]

    /// Of this session: nobody else's functions are called; what was given up here does not go on there; and neither a node
    /// that freezes within a transaction nor one that has lost its power holds the others.
    ///
    /// - Parameter time: how long an answer is waited for.
    static func settings(_ time: Duration) -> String {
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

    /// In which characters the database keeps text, and which of its histories this is: one that a standby or a backup goes on
    /// with is another (PostgreSQL, 26.3.5).
    static let encoding = "SELECT current_setting('server_encoding')"
    static let timeline = "SELECT substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8)"

    /// The gallery's number, made when it is not there. Parameter: its name.
    static let gallery = """
        WITH made AS (INSERT INTO tessera.gallery (name) VALUES ($1) ON CONFLICT (name) DO NOTHING RETURNING id)
        SELECT id FROM made UNION ALL SELECT id FROM tessera.gallery WHERE name = $1 LIMIT 1
        """

    /// The gallery's last change, and what other nodes have told since one, in the order of changes; one row at least.
    /// Parameters: the gallery, the change, this node, and how many at most.
    static let follow = """
        SELECT gallery.change, told.change, \(names.map { "told.\($0)" }.joined(separator: ", "))
        FROM tessera.gallery LEFT JOIN LATERAL (
            SELECT * FROM tessera.facts WHERE gallery = $1 AND change > $2 AND node <> $3 ORDER BY change LIMIT $4
        ) AS told ON true WHERE gallery.id = $1 ORDER BY told.change
        """

    /// Facts of these contents, as far as they have been looked into; what could not be shown may be looked into again.
    /// Parameters: the gallery, images, their versions, and the form of examination.
    static let known = """
        SELECT \(columns) FROM tessera.facts
        WHERE gallery = $1 AND (image, version) IN (SELECT * FROM unnest($2::bigint[], $3::bigint[]))
        AND examination >= $4 AND is_broken IS NOT TRUE
        """

    /// Adds facts: those of the same content add up, those of another one take their place. Parameters: the gallery, this
    /// node, the facts as JSON, how many there are, and the channel.
    ///
    /// The gallery's row is held until the transaction ends, so changes become visible in the order of their numbers: who
    /// follows them passes none over. What says nothing new is no change. What several nodes have told of an image is
    /// nobody's own, for each of them has to hear it.
    static let tell: String = {
        let learnt = names.filter { !own.contains($0) }
        let isMore =
            "(excluded.version IS NULL OR excluded.version IS NOT DISTINCT FROM known.version)"
            + " AND (known.examination IS NOT NULL OR excluded.examination IS NULL)"
        func merged(_ name: String) -> String {
            // An older program may have looked for less.
            let both = name == "examination" ? "GREATEST" : "COALESCE"
            return "CASE WHEN \(isMore) THEN \(both)(excluded.\(name), known.\(name)) ELSE excluded.\(name) END"
        }
        let version = "COALESCE(excluded.version, known.version)"
        return """
            WITH numbered AS (UPDATE tessera.gallery SET change = change + $4::bigint WHERE id = $1::bigint RETURNING change),
            written AS (
                INSERT INTO tessera.facts AS known (gallery, change, node, \(columns))
                SELECT $1::bigint, numbered.change - $4::bigint + row_number() OVER (), $2::bigint, \(names.map { "told.\($0)" }.joined(separator: ", "))
                FROM json_populate_recordset(NULL::tessera.facts, $3::json) AS told, numbered
                ON CONFLICT (gallery, image) DO UPDATE SET change = excluded.change,
                node = CASE WHEN known.node = excluded.node THEN known.node ELSE 0 END,
                version = \(version), \(learnt.map { "\($0) = \(merged($0))" }.joined(separator: ", "))
                WHERE ROW(\(version), \(learnt.map(merged).joined(separator: ", ")))
                IS DISTINCT FROM ROW(known.version, \(learnt.map { "known.\($0)" }.joined(separator: ", ")))
                RETURNING 1
            )
            SELECT count, CASE WHEN count > 0 THEN pg_notify($5, '') END
            FROM (SELECT count(*) FROM written) AS counted
            """
    }()

    /// Takes of these locks those that nobody has. Parameters: images, and the lock of each.
    static let lock = """
        SELECT image FROM unnest($1::bigint[], $2::bigint[]) AS asked (image, lock) WHERE pg_try_advisory_lock(lock)
        """

    /// Parameter: locks.
    static let unlock = "SELECT count(pg_advisory_unlock(lock)) FROM unnest($1::bigint[]) AS held (lock)"

    /// An array of numbers as a parameter.
    static func array(_ numbers: some Sequence<Int64>) -> String {
        "{" + numbers.map(String.init).joined(separator: ",") + "}"
    }
}
