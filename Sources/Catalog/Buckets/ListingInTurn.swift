import Dispatch
import Locking

/// Lists a bucket when that is this node's turn, and else reads what another node lists, or has listed. Where nobody shares,
/// or the others cannot be asked, a node lists for itself. On the scanning queue.
struct ListingInTurn {
    let listing: BucketListing
    let sharing: (any ListingSharing)?
    /// The source, by the name that all nodes have for it.
    let source: String
    /// A listing that was begun before this does not serve.
    let since: ContinuousClock.Instant
    /// Of the content that is known; nil where it is to be read in any case.
    let digest: String?

    /// What a reading came to.
    struct Outcome {
        let begun: ContinuousClock.Instant
        /// How long the listing took the node that made it.
        let time: Duration
        let digest: String?
        /// Whether nothing was handed out, for all of it is known.
        var isKnown = false
    }

    /// How soon it is looked again how far another node is.
    private static let pause = Duration.milliseconds(200)

    /// - Parameters:
    ///   - older: hears when a listing was begun that another node made or makes, before anything of it is handed out.
    ///   - take: is handed all objects, page by page.
    /// - Returns: nil when it is to end.
    /// - Throws: ``BucketRefusal``, ``ListingTrouble``, and what `older` and `take` throw.
    func read(
        older: (ContinuousClock.Instant) throws -> Void, take: ([BucketObject]) throws -> Void
    ) throws -> Outcome? {
        guard let sharing else { return try list(take) }
        while !listing.isStopped() {
            let age = max(.zero, .now - since)
            let shared: SharedListing
            do {
                shared = try waitFor { [source] in try await sharing.begin(source, orReadBegunWithin: age) }
            } catch {
                return try list(take)
            }
            if shared.isOwn { return try list(take, for: ListingPublication(shared, in: sharing)) }
            let begun = ContinuousClock.now - shared.age
            if shared.isWhole, let digest, shared.digest == digest {
                return Outcome(begun: begun, time: shared.time, digest: digest, isKnown: true)
            }
            if shared.isWhole || shared.age <= age {
                try older(begun)
                return try follow(shared, in: sharing, begun: begun, take)
            }
            // What is listed now was begun too early.
            PageRequest.wait(Self.pause, unless: listing.isStopped)
        }
        return nil
    }

    private func list(
        _ take: ([BucketObject]) throws -> Void, for publication: ListingPublication? = nil
    ) throws -> Outcome? {
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
            return nil
        }
        return Outcome(begun: begun, time: .now - begun, digest: publication?.end())
    }

    private func follow(
        _ shared: SharedListing, in sharing: any ListingSharing, begun: ContinuousClock.Instant,
        _ take: ([BucketObject]) throws -> Void
    ) throws -> Outcome? {
        var (state, next) = (shared, 0)
        do {
            while !listing.isStopped() {
                if next < state.parts {
                    let parts = try waitFor { [next] in try await sharing.parts(of: shared, from: next) }
                    guard !parts.isEmpty else { throw ListingLost() }
                    for part in parts {
                        guard let objects = ObjectLines.objects(in: part) else { throw ListingLost() }
                        try take(objects)
                        next += 1
                    }
                } else if state.isWhole {
                    return Outcome(begun: begun, time: state.time, digest: state.digest)
                } else {
                    guard !state.isAbandoned else { throw ListingLost() }
                    PageRequest.wait(Self.pause, unless: listing.isStopped)
                    let present = try waitFor { [source] in try await sharing.state(of: source) }
                    guard let present, present.number == shared.number else { throw ListingLost() }
                    state = present
                }
            }
        } catch is ListingLost {
            throw ListingTrouble()
        }
        return nil
    }
}

/// What another node listed broke off.
struct ListingTrouble: SourceTrouble {
    var reason: String { "The node that was listing it has not come to its end. It is listed again by itself." }
}

/// Waits on this thread for what others are asked, whose own limits of time end it.
func waitFor<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) throws -> Value {
    let answer = Guarded<Result<Value, any Error>?>(nil)
    let came = DispatchSemaphore(value: 0)
    Task {
        let result: Result<Value, any Error>
        do { result = .success(try await body()) } catch { result = .failure(error) }
        answer.withLock { $0 = result }
        came.signal()
    }
    came.wait()
    return try answer.withLock(\.self)!.get()
}
