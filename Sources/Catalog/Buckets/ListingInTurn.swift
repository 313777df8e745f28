/// Lists a bucket when that is this node's turn, and else reads what another node lists, or has listed. Where nobody shares,
/// or the others cannot be asked, a node lists for itself. On the scanning queue.
struct ListingInTurn {
    let listing: BucketListing
    let sharing: (any ListingSharing)?
    /// The source, by the name that all nodes have for it.
    let source: String
    /// A listing that was begun before this does not serve; what is known of the source is better.
    let since: ContinuousClock.Instant
    /// Whether nothing is known of the source: then a listing that is under way serves, however long that is.
    let isFirst: Bool
    /// Of the content that is known; nil where it is to be read in any case.
    let digest: String?

    /// What a reading came to.
    enum Outcome {
        case read(Listed)
        /// Nothing was handed out, for all that is there is known.
        case known(Listed)
        /// Another node is at a listing that it began too early for this one, and has to end it first.
        case later
        /// It is to end.
        case stopped
    }

    struct Listed {
        /// No later than that.
        let begun: ContinuousClock.Instant
        /// How long the listing took the node that made it.
        let time: Duration
        let digest: String?
    }

    /// How soon a node that reads what another one lists asks how far that is.
    private static let pause = Duration.milliseconds(200)

    /// - Parameters:
    ///   - begun: hears when a listing was begun that another node made or makes, before anything of it is handed out.
    ///   - take: is handed all objects, page by page.
    /// - Throws: ``BucketRefusal``, ``ListingTrouble``, and what `begun` and `take` throw.
    func read(
        begun hear: (ContinuousClock.Instant) throws -> Void, take: ([BucketObject]) throws -> Void
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
        // Its age is of when the answer was made.
        let begun = asked - shared.age
        guard begun >= since || isFirst && !shared.isWhole else { return .later }
        if shared.isWhole, let digest, shared.digest == digest {
            return .known(Listed(begun: begun, time: shared.time, digest: digest))
        }
        try hear(begun)
        return try follow(shared, in: sharing, begun: begun, take)
    }

    private func list(
        _ take: ([BucketObject]) throws -> Void, for publication: ListingPublication? = nil
    ) throws -> Outcome {
        let begun = ContinuousClock.now
        var listing = listing
        let isStopped = listing.isStopped
        // It is asked again and again while a page is waited for.
        listing.isStopped = {
            publication?.keep()
            return isStopped()
        }
        do {
            try listing.read { page in
                try take(page.objects)
                publication?.add(page.objects.filter { Sighting($0, beneath: listing.address.prefix) != nil })
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
        while !listing.isStopped() {
            if next < state.parts {
                for objects in try parts(of: shared, from: next, in: sharing) {
                    try take(objects)
                    next += 1
                }
            } else if state.isWhole {
                return .read(Listed(begun: begun, time: state.time, digest: state.digest))
            } else {
                guard !state.isAbandoned else { throw ListingTrouble() }
                PageRequest.wait(Self.pause, unless: listing.isStopped)
                let present = try? waitFor { [source] in try await sharing.state(of: source) }
                guard let present, present.number == shared.number else { throw ListingTrouble() }
                state = present
            }
        }
        return .stopped
    }

    /// At least one.
    private func parts(
        of shared: SharedListing, from first: Int, in sharing: any ListingSharing
    ) throws(ListingTrouble) -> [[BucketObject]] {
        let texts = try? waitFor { try await sharing.parts(of: shared, from: first) }
        let parts = texts?.compactMap(ObjectLines.objects) ?? []
        guard !parts.isEmpty, parts.count == texts?.count else { throw ListingTrouble() }
        return parts
    }
}

/// What another node listed broke off.
struct ListingTrouble: SourceTrouble {
    var reason: String { "The node that was listing it has not come to its end. It is listed again by itself." }
}
