import FoundationEssentials
public import Images

/// How many files or objects of each kind are not shown.
public struct UnshownCounts: Hashable, Sendable {
    private var counts: [UnshownKind: Int] = [:]

    /// None.
    public init() {}

    public var isEmpty: Bool { counts.isEmpty }

    /// The number of all files and objects.
    public var total: Int { counts.values.reduce(0, +) }

    /// The kinds of which there are any, the most frequent first.
    public var kinds: [(kind: UnshownKind, count: Int)] {
        counts.map { (kind: $0.key, count: $0.value) }.sorted { ($1.count, $0.kind.name) < ($0.count, $1.kind.name) }
    }

    mutating func add(_ kind: UnshownKind) { counts[kind, default: 0] += 1 }

    mutating func add(_ other: UnshownCounts) { counts.merge(other.counts, uniquingKeysWith: +) }

    /// As stored in the index: the name of each kind, preceded by its length, and its count, little-endian.
    var data: Data {
        var data = Data()
        for (kind, count) in kinds {
            data.append(UInt8(truncatingIfNeeded: kind.name.utf8.count))
            data.append(contentsOf: kind.name.utf8)
            withUnsafeBytes(of: UInt32(clamping: count).littleEndian) { data.append(contentsOf: $0) }
        }
        return data
    }

    /// Nil if the bytes are not counts. Kinds that this program does not know are left out.
    init?(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while let length = rest.popFirst() {
            guard rest.count >= Int(length) + 4 else { return nil }
            let name = String(decoding: rest.prefix(Int(length)), as: UTF8.self)
            rest = rest.dropFirst(Int(length))
            let count = rest.prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
            rest = rest.dropFirst(4)
            if let kind = UnshownKind(named: name), count > 0 { counts[kind] = count }
        }
    }
}
