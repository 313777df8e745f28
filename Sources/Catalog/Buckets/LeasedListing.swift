/// Lists a bucket if this node gets the lease for it, and otherwise reads the listing of the node that holds the lease,
/// or that made the last one. A node lists for itself if no listings are shared, or if the shared state cannot be
/// reached. Runs on the scanning queue.
struct LeasedListing {
    let listing: BucketListing
    let sharing: (any ListingSharing)?
    /// The source's name, equal on all nodes.
    let source: String
    /// The earliest acceptable beginning of a listing. A listing that began earlier is older than the catalog's
    /// records of the source.
    let since: ContinuousClock.Instant
    /// Whether nothing is known of the source yet. Then a listing that is still in progress is used, however long ago
    /// it began.
    let isFirst: Bool
    /// The digest of the known listing; nil if the listing must be read in any case.
    let digest: String?
    /// How long another node's listing may make no progress.
    let stallLimit: Duration

    /// The result of ``read(begun:take:)``.
    enum Outcome {
        case read(Listed)
        /// The listing is equal to the known one, so no objects were passed on.
        case known(Listed)
        /// Another node is still making a listing that began too early for this one. Come back when it has ended.
        case later
        /// Stopped on request.
        case stopped
    }

    struct Listed {
        /// The listing began no later than this.
        let begun: ContinuousClock.Instant
        /// How long the node that made the listing took for it.
        let time: Duration
        let digest: String?
    }

    /// The time between two checks of another node's listing in progress.
    private static let pause = Duration.milliseconds(200)

    /// - Parameters:
    ///   - begun: Called with the beginning of another node's listing, before any object of it is passed on.
    ///   - take: Receives all objects, page by page.
    /// - Throws: ``BucketRefusal``, ``ListingInterrupted``, and whatever `begun` and `take` throw.
    func read(
        begun onBegin: (ContinuousClock.Instant) throws -> Void, take: ([BucketObject]) throws -> Void
    ) throws -> Outcome {
        guard let sharing else { return try list(take) }
        let asked = ContinuousClock.now
        let shared: SharedListing
        do {
            shared = try waitFor { [source, since] in
                try await sharing.begin(source, orReadBegunWithin: max(.zero, asked - since))
            }
        } catch {
            return try list(take)
        }
        if shared.isOwn { return try list(take, for: ListingPublication(shared, in: sharing)) }
        // The age counts from when the response was made, so `asked` minus the age is a little too early: that is the
        // safe side.
        let begun = asked - shared.age
        guard begun >= since || isFirst && !shared.isWhole else { return .later }
        if shared.isWhole, let digest, shared.digest == digest {
            return .known(Listed(begun: begun, time: shared.time, digest: digest))
        }
        try onBegin(begun)
        return try follow(shared, in: sharing, begun: begun, take)
    }

    private func list(
        _ take: ([BucketObject]) throws -> Void, for publication: ListingPublication? = nil
    ) throws -> Outcome {
        let begun = ContinuousClock.now
        var listing = listing
        let isStopped = listing.isStopped
        // `isStopped` is called regularly while a page is awaited, so it also renews the lease.
        listing.isStopped = {
            publication?.renewLease()
            return isStopped()
        }
        do {
            try listing.read { page in
                try take(page.objects)
                publication?.add(page.objects.filter { listing.address.counts($0.key) })
            }
        } catch {
            publication?.giveUp()
            throw error
        }
        guard !isStopped() else {
            publication?.giveUp()
            return .stopped
        }
        return .read(Listed(begun: begun, time: .now - begun, digest: publication?.end()))
    }

    private func follow(
        _ shared: SharedListing, in sharing: any ListingSharing, begun: ContinuousClock.Instant,
        _ take: ([BucketObject]) throws -> Void
    ) throws -> Outcome {
        var (state, next) = (shared, 0)
        var progressed = ContinuousClock.now
        while !listing.isStopped() {
            if next < state.parts {
                for objects in try parts(of: shared, from: next, in: sharing) {
                    try take(objects)
                    next += 1
                }
                // This took its time, which says nothing about the other node.
                progressed = .now
            } else if state.isWhole {
                return .read(Listed(begun: begun, time: state.time, digest: state.digest))
            } else {
                guard !state.isAbandoned, .now - progressed < stallLimit else { throw ListingInterrupted() }
                PageRequest.wait(Self.pause, unless: listing.isStopped)
                let present = try? waitFor { [source] in try await sharing.state(of: source) }
                guard let present, present.number == shared.number else { throw ListingInterrupted() }
                if present.parts > state.parts { progressed = .now }
                state = present
            }
        }
        return .stopped
    }

    /// - Returns: At least one part.
    private func parts(
        of shared: SharedListing, from first: Int, in sharing: any ListingSharing
    ) throws(ListingInterrupted) -> [[BucketObject]] {
        let texts = try? waitFor { try await sharing.parts(of: shared, from: first) }
        let parts = texts?.compactMap(ObjectLines.objects) ?? []
        guard !parts.isEmpty, parts.count == texts?.count else { throw ListingInterrupted() }
        return parts
    }
}

/// Another node abandoned its listing or makes no progress with it.
struct ListingInterrupted: SourceFailure {
    var reason: String { "The node that was listing it did not finish. It will be listed again automatically." }
}
