import Postgres

/// The tables of the metadata log.
enum Schema {
    static let tables = PostgresSchema(name: "tessera", steps: steps, lock: 0x7465_7373_6572_6101)

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
}

/// Why a database that responds cannot be used, in words for the log.
struct MetadataLogError: Error, CustomStringConvertible {
    let reason: String
    var description: String { reason }
}
