/// A priority queue of ids, greatest rank first, in which any id can be found, moved or removed.
///
/// A binary heap with a table of positions. Every change costs O(log n) comparisons, so a hundred thousand pending
/// entries are reordered as easily as a hundred. Inlinable, because in code that counts tokens with it, unspecialized
/// generics would cost more than the heap itself.
public struct IndexedHeap<ID: Hashable & Sendable, Rank: Comparable & Sendable>: Sendable {
    @usableFromInline struct Entry: Sendable {
        @usableFromInline let id: ID
        @usableFromInline var rank: Rank

        @inlinable init(id: ID, rank: Rank) {
            self.id = id
            self.rank = rank
        }
    }

    @usableFromInline var entries: [Entry] = []
    @usableFromInline var positions: [ID: Int] = [:]
    /// The comparisons made so far, by which tests verify the complexity of operations.
    @usableFromInline var comparisons = 0

    @inlinable public init() {}

    /// The number of ids.
    @inlinable public var count: Int { entries.count }
    /// Whether there is no id.
    @inlinable public var isEmpty: Bool { entries.isEmpty }
    /// The first id with its rank.
    @inlinable public var first: (id: ID, rank: Rank)? { entries.first.map { ($0.id, $0.rank) } }

    /// Every id, in no particular order.
    @inlinable public var ids: [ID] { entries.map(\.id) }

    /// Whether `id` is in the heap.
    @inlinable public func contains(_ id: ID) -> Bool { positions[id] != nil }
    /// The rank of `id`; nil if it is not in the heap.
    @inlinable public func rank(of id: ID) -> Rank? { positions[id].map { entries[$0].rank } }

    /// Inserts `id`, or moves it to `rank`.
    @inlinable public mutating func set(_ id: ID, to rank: Rank) {
        if let place = positions[id] {
            entries[place].rank = rank
            settle(place)
        } else {
            entries.append(Entry(id: id, rank: rank))
            positions[id] = entries.count - 1
            rise(entries.count - 1)
        }
    }

    /// Removes `id`; returns nil if it was not there.
    @inlinable @discardableResult
    public mutating func remove(_ id: ID) -> Rank? {
        guard let place = positions.removeValue(forKey: id) else { return nil }
        let removed = entries[place].rank
        let last = entries.removeLast()
        if place < entries.count {
            entries[place] = last
            positions[last.id] = place
            settle(place)
        }
        return removed
    }

    /// Removes the first id.
    @inlinable public mutating func removeFirst() -> (id: ID, rank: Rank)? {
        guard let first else { return nil }
        remove(first.id)
        return first
    }

    @inlinable mutating func settle(_ place: Int) {
        if !rise(place) { sink(place) }
    }

    @inlinable @discardableResult
    mutating func rise(_ start: Int) -> Bool {
        var place = start
        while place > 0 {
            let parent = (place - 1) / 2
            guard precedes(place, parent) else { break }
            exchange(place, parent)
            place = parent
        }
        return place != start
    }

    @inlinable mutating func sink(_ start: Int) {
        var place = start
        while true {
            var best = place
            let firstChild = 2 * place + 1
            for child in firstChild..<firstChild + 2 where child < entries.count && precedes(child, best) {
                best = child
            }
            guard best != place else { return }
            exchange(place, best)
            place = best
        }
    }

    @inlinable mutating func precedes(_ one: Int, _ other: Int) -> Bool {
        comparisons &+= 1
        return entries[one].rank > entries[other].rank
    }

    @inlinable mutating func exchange(_ one: Int, _ other: Int) {
        entries.swapAt(one, other)
        positions[entries[one].id] = one
        positions[entries[other].id] = other
    }
}
