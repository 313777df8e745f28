import Locking

/// A cache of recently used orders.
final class OrderCache: Sendable {
    /// The maximum number of orders; beyond it the least recently used one is evicted.
    private let capacity: Int

    init(capacity: Int) { self.capacity = capacity }

    struct Entry: Sendable {
        let order: Order
        /// How long it took to build, in seconds.
        let cost: Double
        let madeAt: ContinuousClock.Instant
        var lastUsedAt: ContinuousClock.Instant
    }

    private let entries = Guarded<[View: Entry]>([:])

    /// The order last built for a view.
    func entry(of view: View, now: ContinuousClock.Instant) -> Entry? {
        entries.withLock { entries in
            entries[view]?.lastUsedAt = now
            return entries[view]
        }
    }

    func keep(_ entry: Entry) {
        entries.withLock { entries in
            entries[entry.order.view] = entry
            guard entries.count > capacity else { return }
            if let oldest = entries.min(by: { $0.value.lastUsedAt < $1.value.lastUsedAt }) { entries[oldest.key] = nil }
        }
    }

    /// Evicts orders that have not been used since.
    func forget(unusedSince moment: ContinuousClock.Instant) {
        entries.withLock { entries in entries = entries.filter { $0.value.lastUsedAt >= moment } }
    }

    var count: Int { entries.withLock(\.count) }
}
