import Locking

/// The orders that have been made, for as long as somebody asks for them.
final class OrderBook: Sendable {
    /// How many are kept; of the others the one that was asked for longest ago goes.
    private static let capacity = 8

    struct Entry: Sendable {
        let order: Order
        /// Seconds that it took.
        let cost: Double
        let madeAt: ContinuousClock.Instant
        var askedAt: ContinuousClock.Instant
    }

    private let entries = Guarded<[View: Entry]>([:])

    /// What was made of a view last.
    func entry(of view: View, now: ContinuousClock.Instant) -> Entry? {
        entries.withLock { entries in
            entries[view]?.askedAt = now
            return entries[view]
        }
    }

    func keep(_ entry: Entry) {
        entries.withLock { entries in
            entries[entry.order.view] = entry
            guard entries.count > Self.capacity else { return }
            if let oldest = entries.min(by: { $0.value.askedAt < $1.value.askedAt }) { entries[oldest.key] = nil }
        }
    }

    /// Lets go of those that nobody has asked for since.
    func forget(notAskedForSince moment: ContinuousClock.Instant) {
        entries.withLock { entries in entries = entries.filter { $0.value.askedAt >= moment } }
    }

    var count: Int { entries.withLock(\.count) }
}
