/// The statements sent to the database.
enum LibraryStatements {
    /// The gallery's number; created if it does not exist. Parameter: the gallery's name.
    static let gallery = """
        WITH made AS (
            INSERT INTO tessera_library.gallery (name) VALUES ($1) ON CONFLICT (name) DO NOTHING RETURNING id)
        SELECT id FROM made UNION ALL SELECT id FROM tessera_library.gallery WHERE name = $1 LIMIT 1
        """

    /// Makes other nodes wait with their changes until the transaction ends. Parameter: the gallery.
    static let lock = "SELECT change FROM tessera_library.gallery WHERE id = $1 FOR UPDATE"

    /// The gallery's last change with its mark, the mark of a given change, and the records written after that, in the order of
    /// changes. Returns at least one row. Parameters: the gallery, and the change.
    static let follow = """
        SELECT gallery.change, new.kind, new.id, new.body, gallery.mark::text, CASE WHEN gallery.change = $2
            THEN gallery.mark ELSE (SELECT mark FROM tessera_library.history WHERE gallery = $1 AND change = $2) END::text
        FROM tessera_library.gallery LEFT JOIN LATERAL (
            SELECT * FROM tessera_library.record WHERE gallery = $1 AND change > $2
        ) AS new ON true WHERE gallery.id = $1 ORDER BY new.change
        """

    /// Writes a change, whose number and mark it returns. Parameters: the gallery, the records as JSON, the entries as JSON, their
    /// number, and the channel.
    static let write = """
        WITH earlier AS (
            INSERT INTO tessera_library.history (gallery, change, mark)
            SELECT id, change, mark FROM tessera_library.gallery WHERE id = $1::bigint ON CONFLICT DO NOTHING),
        numbered AS (
            UPDATE tessera_library.gallery
            SET change = change + 1, mark = gen_random_uuid(), entries = entries + $4::bigint WHERE id = $1::bigint
            RETURNING change, mark, entries),
        written AS (
            INSERT INTO tessera_library.record (gallery, kind, id, body, change)
            SELECT $1::bigint, new.kind, new.id, new.body, numbered.change
            FROM json_to_recordset($2::json) AS new (kind text, id text, body text), numbered
            ON CONFLICT (gallery, kind, id) DO UPDATE SET body = excluded.body, change = excluded.change),
        noted AS (
            INSERT INTO tessera_library.audit (gallery, number, time, actor, address, action, subject)
            SELECT $1::bigint, numbered.entries - $4::bigint + new.place, new.time, new.actor, new.address, new.action,
            new.subject
            FROM json_to_recordset($3::json) AS new (
                place bigint, time bigint, actor text, address text, action text, subject text), numbered),
        forgotten AS (
            DELETE FROM tessera_library.record USING numbered WHERE gallery = $1::bigint AND body IS NULL
            AND record.change <= numbered.change - \(LibrarySchema.keptChanges)),
        closed AS (
            DELETE FROM tessera_library.history USING numbered WHERE gallery = $1::bigint
            AND history.change <= numbered.change - \(LibrarySchema.keptChanges)),
        dropped AS (
            DELETE FROM tessera_library.audit USING numbered WHERE gallery = $1::bigint
            AND number <= numbered.entries - \(LibrarySchema.maximumEntries))
        SELECT change, mark::text, pg_notify($5, '') FROM numbered
        """

    /// Entries of the audit log, newest first. Parameters: the gallery, a number that follows theirs, and how many.
    static let audit = """
        SELECT number, time, actor, address, action, subject FROM tessera_library.audit
        WHERE gallery = $1 AND number < $2 ORDER BY number DESC LIMIT $3
        """
}
