/// Which objects of a bucket were looked at by themselves, and when: what a listing that was begun before says of them is
/// older than what is known.
struct RecentLooks {
    /// Paths that are kept; after more of them a listing begun before is of no use.
    static let most = 1024

    private var looks: [[UInt8]: ContinuousClock.Instant] = [:]
    /// What was looked at before this is not known.
    private(set) var forgotten: ContinuousClock.Instant?

    mutating func note(_ paths: some Collection<[UInt8]>, at now: ContinuousClock.Instant = .now) {
        guard looks.count + paths.count <= Self.most else { return forget(until: now) }
        for path in paths { looks[path] = now }
    }

    /// More was named than can be told, and all that until now.
    mutating func forget(until now: ContinuousClock.Instant = .now) {
        looks = [:]
        forgotten = now
    }

    /// Listings that are used from now on were begun later.
    mutating func settle(until begun: ContinuousClock.Instant) { looks = looks.filter { $0.value >= begun } }

    func paths(since begun: ContinuousClock.Instant) -> [[UInt8]] {
        looks.filter { $0.value >= begun }.map(\.key)
    }
}
