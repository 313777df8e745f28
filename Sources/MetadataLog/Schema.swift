import Postgres

/// The tables in the database, and their migrations.
enum Schema {
    /// The statements of each migration. Released statements never change.
    private static let steps: [[String]] = [
        [
            // If an administrator has created the schema for this role, the role may lack permission to create one.
            """
            DO $$ BEGIN
                IF NOT EXISTS (SELECT FROM pg_namespace WHERE nspname = 'tessera') THEN CREATE SCHEMA tessera; END IF;
            END $$
            """,
            """
            CREATE TABLE tessera.form (
                form integer NOT NULL, oldest integer NOT NULL, identity uuid NOT NULL DEFAULT gen_random_uuid())
            """,
            // The galleries, each with the number of its last change.
            """
            CREATE TABLE tessera.gallery (
                id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text NOT NULL UNIQUE,
                change bigint NOT NULL DEFAULT 0)
            """,
            // The metadata of each image with its content version, and the change that last wrote it.
            """
            CREATE TABLE tessera.facts (
                gallery bigint NOT NULL, image bigint NOT NULL, version bigint, change bigint NOT NULL,
                node bigint NOT NULL, examination bigint, width bigint, height bigint, frames bigint,
                orientation bigint, rating bigint, placeholder bytea, title text, keywords text, media_type text,
                byte_count bigint, taken_at text, is_incomplete boolean, is_broken boolean, digest bigint,
                make text, model text, lens text, aperture double precision, sensitivity bigint,
                exposure_time double precision, focal_length double precision, latitude double precision,
                longitude double precision, altitude double precision, location text, city text, state text,
                country text, PRIMARY KEY (gallery, image),
                CHECK (octet_length(title) <= 8192), CHECK (octet_length(keywords) <= 65536),
                CHECK (octet_length(placeholder) <= 256), CHECK (octet_length(media_type) <= 1024),
                CHECK (octet_length(taken_at) <= 1024), CHECK (examination BETWEEN 1 AND 1000000),
                CHECK (octet_length(concat(make, model, lens)) <= 8192),
                CHECK (octet_length(concat(location, city, state, country)) <= 8192))
            """,
            "CREATE UNIQUE INDEX facts_change ON tessera.facts (gallery, change)",
            "INSERT INTO tessera.form (form, oldest) VALUES (1, 1)",
        ],
        [
            // The listing of each source, and its contents in parts.
            """
            CREATE TABLE tessera.listing (
                gallery bigint NOT NULL, source text NOT NULL, number bigint NOT NULL, begun timestamptz NOT NULL,
                touched timestamptz NOT NULL, ended timestamptz, parts bigint NOT NULL DEFAULT 0, digest text,
                PRIMARY KEY (gallery, source), CHECK (octet_length(source) <= 8192), CHECK (isfinite(begun)))
            """,
            """
            CREATE TABLE tessera.listing_part (
                gallery bigint NOT NULL, source text NOT NULL, number bigint NOT NULL, part bigint NOT NULL,
                objects text NOT NULL, PRIMARY KEY (gallery, source, number, part))
            """,
        ],
        // The version of the sidecars that were read with an image.
        ["ALTER TABLE tessera.facts ADD COLUMN sidecars bigint"],
        ["ALTER TABLE tessera.facts ADD COLUMN description text CHECK (octet_length(description) <= 16384)"],
    ]

    /// The schema version of this program.
    static var currentVersion: Int { steps.count }

    /// A lock that makes nodes starting at the same time migrate one after another.
    private static let lock = 0x7465_7373_6572_6101
    private static let stepTime = Duration.seconds(10)

    /// The schema as the database describes it.
    struct Form: Hashable, Sendable {
        let form: Int
        /// The oldest schema version whose programs can still use it.
        let oldest: Int
        /// Distinguishes this database from any other, including one that was created anew.
        let identity: String

        /// Why this program cannot use it, in words for the log.
        var incompatibility: String? {
            guard oldest > Schema.currentVersion else { return nil }
            return
                "its tables were made by a newer program (form \(form)); this one knows form \(Schema.currentVersion): update it"
        }
    }

    /// Creates or migrates the tables if necessary, and returns the schema's description.
    static func bringUp(
        _ connection: PostgresConnection, isolation: isolated (any Actor)? = #isolation
    ) async throws -> Form {
        if let form = try await form(connection), form.form >= currentVersion { return form }
        _ = try await connection.query("BEGIN", within: stepTime)
        let time = "\(stepTime / .milliseconds(1))"
        _ = try await connection.query(
            "SELECT set_config('statement_timeout', $1, true), set_config('lock_timeout', $1, true)", [time],
            within: stepTime)
        _ = try await connection.query("SELECT pg_advisory_xact_lock(\(lock))", within: stepTime)
        // Another node may have migrated them meanwhile.
        let known = try await form(connection)?.form ?? 0
        for step in steps.dropFirst(known) {
            for statement in step { _ = try await connection.query(statement, within: stepTime) }
        }
        if known < currentVersion {
            _ = try await connection.query("UPDATE tessera.form SET form = \(currentVersion)", within: stepTime)
        }
        _ = try await connection.query("COMMIT", within: stepTime)
        guard let form = try await form(connection) else { throw MetadataLogError(reason: "its tables cannot be read") }
        return form
    }

    private static func form(
        _ connection: PostgresConnection, isolation: isolated (any Actor)? = #isolation
    ) async throws -> Form? {
        // Queries the system catalog directly: a session caches negative results of `to_regclass` for as long as a
        // transaction waits for a lock.
        let there = try await connection.query(
            """
            SELECT EXISTS (SELECT FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
            WHERE nspname = 'tessera' AND relname = 'form')
            """, within: stepTime)
        guard there.first?.flag(0) == true else { return nil }
        let rows = try await connection.query("SELECT form, oldest, identity::text FROM tessera.form", within: stepTime)
        guard let row = rows.first, let form = row.count(0), form >= 0, let oldest = row.count(1),
            let identity = row.text(2)
        else {
            throw MetadataLogError(reason: "its tables are not Tessera's")
        }
        return Form(form: form, oldest: oldest, identity: identity)
    }
}

/// Why a database that responds cannot be used, in words for the log.
struct MetadataLogError: Error, CustomStringConvertible {
    let reason: String
    var description: String { reason }
}
