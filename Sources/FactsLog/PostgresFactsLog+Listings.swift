public import Catalog
import EventLoops
import Locking
import Logging
import Postgres

/// Who lists which source, and what was found: tables that all nodes read.
extension PostgresFactsLog: ListingSharing {
    public func begin(_ source: String, orReadBegunWithin age: Duration) async throws -> SharedListing {
        if case .unknown = reach {
            // As long as for an answer; then this node lists for itself.
            let timer = loop.schedule(after: pace.answer) { [weak self] in self?.assumeIsolated { $0.letCallersGo() }
            }
            await withCheckedContinuation { callers.append($0) }
            timer.cancel()
        }
        let listing = try await session().begin(source, orReadBegunWithin: age, turn: pace.turn)
        if listing.isOwn {
            underWay.append(listing)
            figures.withLock { $0.listed += 1 }
        }
        return listing
    }

    public func state(of source: String) async throws -> SharedListing? {
        try await session().listings(of: source, turn: pace.turn).first
    }

    public func parts(of listing: SharedListing, from first: Int) async throws -> [String] {
        let parts = try await session().parts(of: listing, from: first)
        if first == 0 { figures.withLock { $0.listingsRead += 1 } }
        return parts
    }

    public func add(_ part: String, at number: Int, to listing: SharedListing) async throws {
        try await session().add(part, at: number, to: listing)
    }

    public func keep(_ listing: SharedListing) async throws { try await session().keep(listing) }

    public func end(_ listing: SharedListing, digest: String) async throws {
        underWay.removeAll { $0 == listing }
        hasOldParts = true
        heardOf.listings[listing.source] = listing.number
        try await session().end(listing, digest: digest)
    }

    public func giveUp(_ listing: SharedListing) async {
        underWay.removeAll { $0 == listing }
        try? await session().giveUp(listing)
    }

    /// Those who wait go on.
    func reached(_ reach: Reach) {
        self.reach = reach
        letCallersGo()
    }

    private func letCallersGo() {
        let waiting = callers
        callers = []
        for caller in waiting { caller.resume() }
    }

    /// Tells of the listings that are whole and were not told of.
    func hearOfListings(_ session: LogSession) async throws {
        if heardOf.log != session.log { heardOf = (session.log, [:]) }
        do {
            for listing in try await session.listings(of: nil, turn: pace.turn) where listing.isWhole {
                let known = heardOf.listings.updateValue(listing.number, forKey: listing.source)
                guard known != listing.number else { continue }
                hasOldParts = true
                hearing?.heard(listing)
            }
            if hasOldParts { hasOldParts = try await session.dropOldParts() }
        } catch PostgresError.refused(let code, let words) {
            // What stands in these tables takes nothing else with it.
            logger.debug("PostgreSQL refuses what it is asked of listings.", metadata: ["reason": "\(words) (\(code))"])
        }
    }

    private func session() throws -> LogSession {
        guard case .there(let session) = reach else { throw ListingsAway() }
        return session
    }
}

/// There is no connection to the database now.
struct ListingsAway: Error {}
