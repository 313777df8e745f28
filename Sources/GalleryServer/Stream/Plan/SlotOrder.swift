/// The slots of a range in the order in which they are served.
struct SlotOrder: Sequence, IteratorProtocol {
    private enum Way {
        case upwards
        case downwards
        case fromCentre
    }

    private let range: Range<Int>
    private let way: Way
    private var position = 0

    /// From the edge where the viewport was to the one that it comes to.
    static func forwards(_ range: Range<Int>, direction: Int) -> SlotOrder {
        SlotOrder(range: range, way: direction < 0 ? .downwards : .upwards)
    }

    /// From the edge that comes on screen last, and so stays longest, to the one that leaves it first.
    static func leadingEdgeFirst(_ range: Range<Int>, direction: Int) -> SlotOrder {
        SlotOrder(range: range, way: direction < 0 ? .upwards : .downwards)
    }

    static func centreFirst(_ range: Range<Int>) -> SlotOrder { SlotOrder(range: range, way: .fromCentre) }

    private init(range: Range<Int>, way: Way) {
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
            // 0, +1, -1, +2, -2, …; the half above the centre has one more where the count is even.
            return position % 2 == 1 ? centre + (position + 1) / 2 : centre - position / 2
        }
    }
}
