/// Which objects of a bucket were looked at by themselves, and when: what a listing that was begun before says of them is
/// older than what is known.
struct RecentLooks {
    /// Paths that are kept; after more of them a listing begun before is of no use.
    static let most = 256

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

/// What lies at some keys now, in place of what an older listing says of them.
struct Corrections {
    /// In the reverse order of their keys.
    private var left: [(key: [UInt8], sighting: Sighting?)]
    private let keys: Set<[UInt8]>

    init(_ scopes: [FolderUpdate.Scope] = [], beneath prefix: String = "") {
        let prefix = Array(prefix.utf8)
        left = scopes.map { (prefix + $0.path, $0.sightings.first) }
            .sorted { $1.key.lexicographicallyPrecedes($0.key) }
        keys = Set(left.map(\.key))
    }

    func isOf(_ key: [UInt8]) -> Bool { keys.contains(key) }

    /// What comes before this key, or all that is left.
    mutating func next(before key: [UInt8]? = nil) -> [Sighting] {
        var sightings: [Sighting] = []
        while let last = left.last, key.map({ last.key.lexicographicallyPrecedes($0) }) ?? true {
            left.removeLast()
            if let sighting = last.sighting { sightings.append(sighting) }
        }
        return sightings
    }
}
