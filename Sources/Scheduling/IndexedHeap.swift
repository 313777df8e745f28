/// A queue of ids ordered by rank, greatest first, in which any id can be found, moved or removed.
///
/// A binary heap beside a table of places: every change costs O(log n) comparisons, so that a hundred thousand pending
/// entries are as easy to re-order as a hundred. Inlinable, for who counts tokens by it would spend more on finding out what
/// its generic arguments are than on the heap.
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
    @usableFromInline var places: [ID: Int] = [:]
    /// Comparisons made so far: the tests hold the cost of an operation to its promise by them.
    @usableFromInline var comparisons = 0

    @inlinable public init() {}

    @inlinable public var count: Int { entries.count }
    @inlinable public var isEmpty: Bool { entries.isEmpty }
    /// The id that goes first, with its rank.
    @inlinable public var first: (id: ID, rank: Rank)? { entries.first.map { ($0.id, $0.rank) } }

    /// Every id, in no order that means anything.
    @inlinable public var ids: [ID] { entries.map(\.id) }

    @inlinable public func contains(_ id: ID) -> Bool { places[id] != nil }
    @inlinable public func rank(of id: ID) -> Rank? { places[id].map { entries[$0].rank } }

    /// Puts `id` in, or moves it where `rank` belongs.
    @inlinable public mutating func set(_ id: ID, to rank: Rank) {
        if let place = places[id] {
            entries[place].rank = rank
            settle(place)
        } else {
            entries.append(Entry(id: id, rank: rank))
            places[id] = entries.count - 1
            rise(entries.count - 1)
        }
    }

    /// Takes `id` out; nil when it was not in.
    @inlinable @discardableResult
    public mutating func remove(_ id: ID) -> Rank? {
        guard let place = places.removeValue(forKey: id) else { return nil }
        let removed = entries[place].rank
        let last = entries.removeLast()
        if place < entries.count {
            entries[place] = last
            places[last.id] = place
            settle(place)
        }
        return removed
    }

    /// Takes out the id that goes first.
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
        places[entries[one].id] = one
        places[entries[other].id] = other
    }
}
