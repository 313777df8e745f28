/// Statements about listings. They use only the database's clock, because the clocks of nodes may differ. A time in the
/// future means that the clock was set back, and counts as long ago.
extension Statements {
    /// Begins a listing if there is none, if the last one is complete and began too long ago, or if its node's lease
    /// has expired. Returns one row if it did. Parameters: the gallery, the source, the acceptable age, and the
    /// duration of a lease, both in milliseconds.
    static let beginListing = """
        INSERT INTO tessera.listing AS known (gallery, source, number, begun, touched)
        VALUES ($1::bigint, $2, 1, clock_timestamp(), clock_timestamp())
        ON CONFLICT (gallery, source) DO UPDATE SET number = known.number + 1, begun = clock_timestamp(),
        touched = clock_timestamp(), ended = NULL, parts = 0, digest = NULL
        WHERE CASE WHEN known.ended IS NULL
            THEN known.touched NOT BETWEEN clock_timestamp() - $4::bigint * interval '1 millisecond' AND clock_timestamp()
            ELSE known.begun NOT BETWEEN clock_timestamp() - $3::bigint * interval '1 millisecond' AND clock_timestamp() END
        RETURNING number
        """

    /// Parameters: the gallery, the duration of a lease in milliseconds, and a source, or null for all.
    static let listings = """
        SELECT source, number, parts, ended IS NOT NULL,
        touched NOT BETWEEN clock_timestamp() - $2::bigint * interval '1 millisecond' AND clock_timestamp(),
        (extract(epoch FROM clock_timestamp() - begun) * 1000)::bigint,
        (extract(epoch FROM coalesce(ended, clock_timestamp()) - begun) * 1000)::bigint, digest
        FROM tessera.listing WHERE gallery = $1::bigint AND ($3::text IS NULL OR source = $3)
        """

    /// Parameters: the gallery, the source, the listing's number, the first part, and the maximum number of parts.
    static let parts = """
        SELECT part, objects FROM tessera.listing_part
        WHERE gallery = $1::bigint AND source = $2 AND number = $3::bigint AND part >= $4::bigint
        ORDER BY part LIMIT $5::bigint
        """

    /// Returns one row if this node still holds the lease. Parameters: the gallery, the source, the listing's number,
    /// the part, and its contents.
    static let addPart = """
        WITH kept AS (
            UPDATE tessera.listing SET parts = $4::bigint + 1, touched = clock_timestamp()
            WHERE gallery = $1::bigint AND source = $2 AND number = $3::bigint AND ended IS NULL RETURNING 1
        )
        INSERT INTO tessera.listing_part (gallery, source, number, part, objects)
        SELECT $1::bigint, $2, $3::bigint, $4::bigint, $5 FROM kept RETURNING part
        """

    /// Returns one row if this node still holds the lease. Parameters: the gallery, the source, the listing's number.
    static let renewListing = """
        UPDATE tessera.listing SET touched = clock_timestamp()
        WHERE gallery = $1::bigint AND source = $2 AND number = $3::bigint AND ended IS NULL RETURNING 1
        """

    /// Returns one row if this node still holds the lease. Parameters: the gallery, the source, the listing's number,
    /// the digest, and the channel.
    static let endListing = """
        WITH ended AS (
            UPDATE tessera.listing SET ended = clock_timestamp(), digest = $4
            WHERE gallery = $1::bigint AND source = $2 AND number = $3::bigint AND ended IS NULL RETURNING 1
        )
        SELECT pg_notify($5, '') FROM ended
        """

    /// Abandons a listing, so that nothing more can be added to it. Takes the same parameters as `keepListing`.
    static let giveUpListing = """
        UPDATE tessera.listing SET number = number + 1, parts = 0, touched = '-infinity'
        WHERE gallery = $1::bigint AND source = $2 AND number = $3::bigint AND ended IS NULL
        """

    /// Deletes some parts of replaced listings. While a new listing is in progress, the previous one may still be read.
    /// Parameters: the gallery, and the maximum number of parts.
    static let dropParts = """
        DELETE FROM tessera.listing_part WHERE (gallery, source, number, part) IN (
            SELECT gallery, source, listing_part.number, part
            FROM tessera.listing_part JOIN tessera.listing USING (gallery, source)
            WHERE gallery = $1::bigint
            AND listing_part.number < CASE WHEN ended IS NULL THEN listing.number - 1 ELSE listing.number END
            LIMIT $2::bigint)
        RETURNING 1
        """
}
