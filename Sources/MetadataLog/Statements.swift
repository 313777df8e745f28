/// The statements sent to the database.
enum Statements {
    private static let names = LogRow.Column.allCases.map(\.rawValue)
    private static let columns = names.joined(separator: ", ")
    private static let own: Set<String> = ["image", "version"]

    /// The gallery's number; created if it does not exist. Parameter: the gallery's name.
    static let gallery = """
        WITH made AS (INSERT INTO tessera.gallery (name) VALUES ($1) ON CONFLICT (name) DO NOTHING RETURNING id)
        SELECT id FROM made UNION ALL SELECT id FROM tessera.gallery WHERE name = $1 LIMIT 1
        """

    /// The gallery's last change, and the metadata that other nodes have published after a given change. Returns at
    /// least one row, in the order of changes. Parameters: the gallery, the change, this node, and the maximum number
    /// of rows.
    static let follow = """
        SELECT gallery.change, shared.change, \(names.map { "shared.\($0)" }.joined(separator: ", "))
        FROM tessera.gallery LEFT JOIN LATERAL (
            SELECT * FROM tessera.facts WHERE gallery = $1 AND change > $2 AND node <> $3 ORDER BY change LIMIT $4
        ) AS shared ON true WHERE gallery.id = $1 ORDER BY shared.change
        """

    /// Metadata of these contents, as far as they are indexed. Undisplayable images are left out, because they may be
    /// indexed again. Parameters: the gallery, the images, their versions, the indexing version, and the versions of
    /// their sidecars.
    static let known = """
        SELECT \(columns) FROM tessera.facts
        WHERE gallery = $1 AND (image, version, COALESCE(sidecars, 0)) IN (
            SELECT * FROM unnest($2::bigint[], $3::bigint[], $5::bigint[]))
        AND examination >= $4 AND is_broken IS NOT TRUE
        """

    /// Publishes metadata: metadata of the same content is combined, metadata of another content replaces it.
    /// Parameters: the gallery, this node, the metadata as JSON, the number of images, and the channel.
    ///
    /// The gallery's row stays locked until the transaction ends, so changes become visible in the order of their
    /// numbers, and readers miss none. Metadata that says nothing new causes no change. A row combined from several
    /// nodes belongs to no node, because each of them has to read it.
    static let publish: String = {
        let learned = names.filter { !own.contains($0) }
        let isMore =
            "(excluded.version IS NULL OR excluded.version IS NOT DISTINCT FROM known.version)"
            + " AND (known.examination IS NOT NULL OR excluded.examination IS NULL)"
        // The rules of `ImageMetadata.updated(with:)`.
        let keepsSidecars = "COALESCE(known.sidecars, 0) <> 0 AND excluded.sidecars IS NULL"
        let knowsAll =
            "excluded.examination IS NOT NULL AND excluded.is_broken IS NOT TRUE"
            + " AND (excluded.sidecars IS NOT NULL OR excluded.examination > known.examination)"
        func merged(_ name: String) -> String {
            // An older program may have read fewer fields.
            let both = name == "examination" ? "GREATEST" : "COALESCE"
            let older = "WHEN \(keepsSidecars) THEN COALESCE(known.\(name), excluded.\(name))"
            let special =
                LogRow.Column.ofPicture.contains { $0.rawValue == name }
                ? older + " WHEN \(knowsAll) THEN excluded.\(name)" : name == "examination" ? older : ""
            return "CASE WHEN NOT (\(isMore)) THEN excluded.\(name) \(special)"
                + " ELSE \(both)(excluded.\(name), known.\(name)) END"
        }
        let version = "COALESCE(excluded.version, known.version)"
        return """
            WITH numbered AS (UPDATE tessera.gallery SET change = change + $4::bigint WHERE id = $1::bigint RETURNING change),
            written AS (
                INSERT INTO tessera.facts AS known (gallery, change, node, \(columns))
                SELECT $1::bigint, numbered.change - $4::bigint + row_number() OVER (), $2::bigint, \(names.map { "shared.\($0)" }.joined(separator: ", "))
                FROM json_populate_recordset(NULL::tessera.facts, $3::json) AS shared, numbered
                ON CONFLICT (gallery, image) DO UPDATE SET change = excluded.change,
                node = CASE WHEN known.node = excluded.node THEN known.node ELSE 0 END,
                version = \(version), \(learned.map { "\($0) = \(merged($0))" }.joined(separator: ", "))
                WHERE ROW(\(version), \(learned.map(merged).joined(separator: ", ")))
                IS DISTINCT FROM ROW(known.version, \(learned.map { "known.\($0)" }.joined(separator: ", ")))
                RETURNING 1
            )
            SELECT count, CASE WHEN count > 0 THEN pg_notify($5, '') END
            FROM (SELECT count(*) FROM written) AS counted
            """
    }()

    /// Takes those of these locks that are free. Parameters: the images, and the lock of each.
    static let lock = """
        SELECT image FROM unnest($1::bigint[], $2::bigint[]) AS asked (image, lock) WHERE pg_try_advisory_lock(lock)
        """

    /// Parameter: the locks.
    static let unlock = "SELECT count(pg_advisory_unlock(lock)) FROM unnest($1::bigint[]) AS held (lock)"

    /// An array of numbers as a parameter.
    static func array(_ numbers: some Sequence<Int64>) -> String {
        "{" + numbers.map(String.init).joined(separator: ",") + "}"
    }
}
