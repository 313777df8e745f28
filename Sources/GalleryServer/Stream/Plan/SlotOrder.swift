/// The slots of a range in the sequence in which they are served.
struct SlotOrder: Sequence, IteratorProtocol {
    private enum Direction {
        case upwards
        case downwards
        case fromCentre
    }

    private let range: Range<Int>
    private let way: Direction
    private var position = 0

    /// From the edge nearest to the viewport in the direction of travel to the farthest.
    static func forwards(_ range: Range<Int>, direction: Int) -> SlotOrder {
        SlotOrder(range: range, way: direction < 0 ? .downwards : .upwards)
    }

    /// From the edge that enters the screen last, and so stays longest, to the edge that leaves it first.
    static func leadingEdgeFirst(_ range: Range<Int>, direction: Int) -> SlotOrder {
        SlotOrder(range: range, way: direction < 0 ? .upwards : .downwards)
    }

    static func centreFirst(_ range: Range<Int>) -> SlotOrder { SlotOrder(range: range, way: .fromCentre) }

    private init(range: Range<Int>, way: Direction) {
        self.range = range
        self.way = way
    }

    mutating func next() -> Int? {
        guard position < range.count else { return nil }
        defer { position += 1 }
        switch way {
        case .upwards: return range.lowerBound + position
        case .downwards: return range.upperBound - 1 - position
        case .fromCentre:
            let centre = range.lowerBound + (range.count - 1) / 2
            // 0, +1, -1, +2, -2, …; if the count is even, the half above the centre has one slot more.
            return position % 2 == 1 ? centre + (position + 1) / 2 : centre - position / 2
        }
    }
}
