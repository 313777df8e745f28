import Catalog
import Postgres

/// Listings over one connection.
extension LogSession {
    /// The number of parts read at once: a few megabytes at most.
    private static let partsAtOnce = 4
    /// The number of parts deleted at once, so that the statement stays well within its timeout.
    private static let droppedAtOnce = 100

    func begin(
        _ source: String, orReadBegunWithin age: Duration, leaseTime: Duration,
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> SharedListing {
        let parameters = ["\(gallery)", source, milliseconds(age), milliseconds(leaseTime)]
        if let number = try await ask(Statements.beginListing, parameters).first?.integer(0) {
            return SharedListing(
                source: source, number: number, isOwn: true, parts: 0, isWhole: false, isAbandoned: false, age: .zero,
                time: .zero, digest: nil)
        }
        guard let listing = try await listings(of: source, leaseTime: leaseTime).first else { throw ListingLost() }
        return listing
    }

    /// - Parameter source: Nil for all sources.
    func listings(
        of source: String?, leaseTime: Duration, isolation: isolated (any Actor)? = #isolation
    ) async throws -> [SharedListing] {
        try await ask(Statements.listings, ["\(gallery)", milliseconds(leaseTime), source]).compactMap { row in
            guard let source = row.text(0), let number = row.integer(1), let parts = row.count(2),
                let isWhole = row.flag(3), let isAbandoned = row.flag(4), let age = row.integer(5),
                let time = row.integer(6)
            else { return nil }
            return SharedListing(
                source: source, number: number, isOwn: false, parts: parts, isWhole: isWhole,
                isAbandoned: isAbandoned && !isWhole, age: duration(age), time: duration(min(time, age)),
                digest: row.text(7))
        }
    }

    func parts(
        of listing: SharedListing, from first: Int, isolation: isolated (any Actor)? = #isolation
    ) async throws -> [String] {
        let parameters = ["\(gallery)", listing.source, "\(listing.number)", "\(first)", "\(Self.partsAtOnce)"]
        let rows = try await ask(Statements.parts, parameters)
        return try rows.enumerated().map { place, row in
            guard row.count(0) == first + place, let part = row.text(1) else { throw ListingLost() }
            return part
        }
    }

    func add(
        _ part: String, at number: Int, to listing: SharedListing, isolation: isolated (any Actor)? = #isolation
    ) async throws {
        try await own(Statements.addPart, listing, ["\(number)", part])
    }

    func renew(_ listing: SharedListing, isolation: isolated (any Actor)? = #isolation) async throws {
        try await own(Statements.renewListing, listing, [])
    }

    func end(
        _ listing: SharedListing, digest: String, isolation: isolated (any Actor)? = #isolation
    ) async throws {
        try await own(Statements.endListing, listing, [digest, channel])
    }

    func giveUp(_ listing: SharedListing, isolation: isolated (any Actor)? = #isolation) async throws {
        _ = try await ask(Statements.giveUpListing, ["\(gallery)", listing.source, "\(listing.number)"])
    }

    /// - Returns: Whether there may be more to delete.
    func dropOldParts(isolation: isolated (any Actor)? = #isolation) async throws -> Bool {
        try await ask(Statements.dropParts, ["\(gallery)", "\(Self.droppedAtOnce)"]).count == Self.droppedAtOnce
    }

    private func own(
        _ statement: String, _ listing: SharedListing, _ parameters: [String],
        isolation: isolated (any Actor)? = #isolation
    ) async throws {
        let rows = try await ask(statement, ["\(gallery)", listing.source, "\(listing.number)"] + parameters)
        guard !rows.isEmpty else { throw ListingLost() }
    }

    private func milliseconds(_ duration: Duration) -> String { "\(Int64(duration / .milliseconds(1)))" }

    /// The database may contain any number, so clamp it.
    private func duration(_ milliseconds: Int64) -> Duration {
        min(max(.zero, .milliseconds(milliseconds)), .seconds(400 * 86_400))
    }
}
