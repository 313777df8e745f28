/// Values by slot number: a hash table whose keys are integers from 0 on.
///
/// For each message the plan looks up hundreds of slots, and a hash function that withstands an adversary would take
/// longer than everything else. Here the place of a number follows from one multiplication (Knuth, "Sorting and
/// Searching", 6.4), which spreads each run of slots evenly. Several runs interleave and never cluster, wherever a
/// client puts them.
struct SlotTable<Value> {
    fileprivate struct Entry {
        /// -1 if the entry is free.
        var slot = -1
        var value: Value?
    }

    /// Their number is a power of two; at least half of them are free.
    private var entries: [Entry] = []
    /// How far a product is shifted right to yield a place.
    private var shift = UInt.bitWidth
    private(set) var count = 0

    private static var minimumCapacity: Int { 16 }

    var isEmpty: Bool { count == 0 }

    subscript(slot: Int) -> Value? {
        get { count == 0 ? nil : entries[place(of: slot)].value }
        set {
            if let newValue { set(newValue, of: slot) } else { remove(slot) }
        }
    }

    func contains(_ slot: Int) -> Bool { count > 0 && entries[place(of: slot)].value != nil }

    /// The entries that satisfy a condition, in a table no larger than they need.
    func filter(_ isIncluded: (Element) -> Bool) -> SlotTable {
        reduce(into: SlotTable()) { if isIncluded($1) { $0[$1.key] = $1.value } }
    }

    // MARK: - Within

    private var mask: Int { entries.count - 1 }

    private func home(of slot: Int) -> Int {
        Int(truncatingIfNeeded: (UInt(bitPattern: slot) &* 0x9E37_79B9_7F4A_7C15) &>> UInt(bitPattern: shift))
    }

    /// The place of the slot, or the free place where it would go.
    private func place(of slot: Int) -> Int {
        var place = home(of: slot)
        while entries[place].slot != slot, entries[place].slot >= 0 { place = (place + 1) & mask }
        return place
    }

    private mutating func set(_ value: Value, of slot: Int) {
        precondition(slot >= 0)
        if (count + 1) * 2 > entries.count { grow() }
        let place = place(of: slot)
        if entries[place].slot != slot { count += 1 }
        entries[place].slot = slot
        entries[place].value = value
    }

    private mutating func grow() {
        let before = entries
        let places = before.isEmpty ? Self.minimumCapacity : before.count * 2
        entries = Array(repeating: Entry(), count: places)
        shift = UInt.bitWidth - places.trailingZeroBitCount
        for entry in before where entry.slot >= 0 { entries[place(of: entry.slot)] = entry }
    }

    private mutating func remove(_ slot: Int) {
        guard contains(slot) else { return }
        count -= 1
        var gap = place(of: slot)
        var next = (gap + 1) & mask
        while entries[next].slot >= 0 {
            // An entry that was displaced because this place was taken may move back into it.
            if (next - home(of: entries[next].slot)) & mask >= (next - gap) & mask {
                entries[gap] = entries[next]
                gap = next
            }
            next = (next + 1) & mask
        }
        entries[gap] = Entry()
    }
}

extension SlotTable: Sendable where Value: Sendable {}
extension SlotTable.Entry: Sendable where Value: Sendable {}

extension SlotTable: Sequence {
    typealias Element = (key: Int, value: Value)

    struct Iterator: IteratorProtocol {
        fileprivate var left: [Entry].Iterator

        mutating func next() -> Element? {
            while let entry = left.next() {
                if let value = entry.value { return (entry.slot, value) }
            }
            return nil
        }
    }

    /// In no particular order.
    func makeIterator() -> Iterator { Iterator(left: entries.makeIterator()) }

    var underestimatedCount: Int { count }
    var keys: [Int] { map(\.key) }
    var values: [Value] { map(\.value) }
}
