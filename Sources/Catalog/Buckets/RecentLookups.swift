/// Which objects of a bucket were looked up individually, and when. For them, a listing that began before the lookup is
/// out of date.
struct RecentLookups {
    /// The most paths remembered. Once there are more, listings that began earlier can no longer be used.
    static let maximumPaths = 1024

    private var lookups: [[UInt8]: ContinuousClock.Instant] = [:]
    /// Lookups before this instant are forgotten.
    private(set) var forgotten: ContinuousClock.Instant?

    mutating func note(_ paths: some Collection<[UInt8]>, at now: ContinuousClock.Instant = .now) {
        guard lookups.count + paths.count <= Self.maximumPaths else { return forget(until: now) }
        for path in paths { lookups[path] = now }
    }

    /// Forgets all lookups until now, after more objects were hinted than can be remembered.
    mutating func forget(until now: ContinuousClock.Instant = .now) {
        lookups = [:]
        forgotten = now
    }

    /// From now on, only listings that began after this instant are used.
    mutating func settle(until begun: ContinuousClock.Instant) { lookups = lookups.filter { $0.value >= begun } }

    func paths(since begun: ContinuousClock.Instant) -> [[UInt8]] {
        lookups.filter { $0.value >= begun }.map(\.key)
    }
}
