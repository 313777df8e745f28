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

    var isEmpty: Bool { keys.isEmpty }

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
