import Postgres

/// The tables of the library. They have a schema of their own, because they cannot be rebuilt, unlike everything else that
/// nodes share.
enum LibrarySchema {
    static let tables = PostgresSchema(name: "tessera_library", steps: steps, lock: 0x7465_7373_6572_6102)

    /// A removed record is kept as a row without a body for this number of changes, so that other nodes learn of the
    /// removal. A node that is further behind reads everything.
    static let keptChanges: Int64 = 10_000
    /// The maximum number of entries in a gallery's audit log; the oldest are deleted.
    static let maximumEntries: Int64 = 100_000

    /// The statements of each migration. Released statements never change.
    private static let steps: [[String]] = [
        [
            // If an administrator has created the schema for this role, the role may lack permission to create one.
            """
            DO $$ BEGIN
                IF NOT EXISTS (SELECT FROM pg_namespace WHERE nspname = 'tessera_library')
                THEN CREATE SCHEMA tessera_library; END IF;
            END $$
            """,
            """
            CREATE TABLE tessera_library.form (
                form integer NOT NULL, oldest integer NOT NULL, identity uuid NOT NULL DEFAULT gen_random_uuid())
            """,
            // The galleries, each with the number and the random mark of its last change, and the number of its last entry in
            // the audit log. Whoever changes anything of a gallery locks its row.
            """
            CREATE TABLE tessera_library.gallery (
                id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text NOT NULL UNIQUE,
                change bigint NOT NULL DEFAULT 0, mark uuid NOT NULL DEFAULT gen_random_uuid(),
                entries bigint NOT NULL DEFAULT 0)
            """,
            // The marks of earlier changes. After a backup was restored, changes have numbers that others had before.
            """
            CREATE TABLE tessera_library.history (
                gallery bigint NOT NULL, change bigint NOT NULL, mark uuid NOT NULL, PRIMARY KEY (gallery, change))
            """,
            // The records with their bodies in JSON, null once they are removed, and the change that last wrote them.
            """
            CREATE TABLE tessera_library.record (
                gallery bigint NOT NULL, kind text NOT NULL, id text NOT NULL, body text, change bigint NOT NULL,
                PRIMARY KEY (gallery, kind, id))
            """,
            "CREATE INDEX record_change ON tessera_library.record (gallery, change)",
            "CREATE INDEX record_removed ON tessera_library.record (gallery, change) WHERE body IS NULL",
            """
            CREATE TABLE tessera_library.audit (
                gallery bigint NOT NULL, number bigint NOT NULL, time bigint NOT NULL, actor text, address text,
                action text NOT NULL, subject text, PRIMARY KEY (gallery, number))
            """,
            "INSERT INTO tessera_library.form (form, oldest) VALUES (1, 1)",
        ]
    ]
}
