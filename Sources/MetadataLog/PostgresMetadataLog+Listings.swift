public import Catalog
import EventLoops
import Locking
import Logging
import Postgres

/// Shares bucket listings among the nodes: leases and contents are in tables that all nodes read.
extension PostgresMetadataLog: ListingSharing {
    public func begin(_ source: String, orReadBegunWithin age: Duration) async throws -> SharedListing {
        if case .unknown = connectivity {
            // Waits no longer than for a response; then this node lists for itself.
            let timer = loop.schedule(after: pace.statementTimeout) { [weak self] in
                self?.assumeIsolated { $0.resumeCallers() }
            }
            await withCheckedContinuation { connectionWaiters.append($0) }
            timer.cancel()
        }
        let listing = try await session().begin(source, orReadBegunWithin: age, leaseTime: pace.leaseTime)
        if listing.isOwn {
            ownListings.append(listing)
            figures.withLock { $0.listed += 1 }
        }
        return listing
    }

    public func state(of source: String) async throws -> SharedListing? {
        try await session().listings(of: source, leaseTime: pace.leaseTime).first
    }

    public func parts(of listing: SharedListing, from first: Int) async throws -> [String] {
        let parts = try await session().parts(of: listing, from: first)
        if first == 0 { figures.withLock { $0.listingsRead += 1 } }
        return parts
    }

    public func add(_ part: String, at number: Int, to listing: SharedListing) async throws {
        try await session().add(part, at: number, to: listing)
    }

    public func renew(_ listing: SharedListing) async throws { try await session().renew(listing) }

    public func end(_ listing: SharedListing, digest: String) async throws {
        ownListings.removeAll { $0 == listing }
        hasOldParts = true
        knownListings.listings[listing.source] = listing.number
        try await session().end(listing, digest: digest)
    }

    public func giveUp(_ listing: SharedListing) async {
        ownListings.removeAll { $0 == listing }
        try? await session().giveUp(listing)
    }

    /// Resumes the callers that wait for a connection.
    func connectivityChanged(_ connectivity: Connectivity) {
        self.connectivity = connectivity
        resumeCallers()
    }

    private func resumeCallers() {
        let waiting = connectionWaiters
        connectionWaiters = []
        for caller in waiting { caller.resume() }
    }

    /// Reports complete listings that have not been reported yet.
    func receiveListings(_ session: LogSession) async throws {
        if knownListings.log != session.log { knownListings = (session.log, [:]) }
        do {
            let listings = try await session.listings(of: nil, leaseTime: pace.leaseTime).filter(\.isWhole)
            let known = knownListings.listings
            // Keep only the sources in this answer; otherwise sources that come and go would pile up.
            knownListings.listings = [:]
            for listing in listings {
                knownListings.listings[listing.source] = listing.number
                guard known[listing.source] != listing.number else { continue }
                hasOldParts = true
                listingReceiver?.received(listing)
            }
            if hasOldParts { hasOldParts = try await session.dropOldParts() }
        } catch PostgresError.refused(let code, let words) {
            // A problem with these tables must not affect anything else.
            logger.debug("PostgreSQL rejects a query about listings.", metadata: ["reason": "\(words) (\(code))"])
        }
    }

    private func session() throws -> LogSession {
        guard case .connected(let session) = connectivity else { throw ListingsUnavailable() }
        return session
    }
}

/// There is no connection to the database now.
struct ListingsUnavailable: Error {}
