import Images

/// Where images stood that have gone, so that a cursor on one of them still knows its place: before the nearest image
/// after it that stayed. (Not after the nearest before it: what was put between that one and the gone one may have been
/// seen already.) Bounded; the oldest are forgotten, and a cursor on them is stale.
struct Departures: Sendable {
    enum Anchor: Hashable, Sendable {
        case before(ImageID)
        /// At the end of the source with this ordinal.
        case end(source: Int)
    }

    /// How many are remembered for certain; up to twice as many are.
    let capacity: Int
    private var recent: [ImageID: Anchor] = [:]
    private var older: [ImageID: Anchor] = [:]

    init(capacity: Int = 50_000) {
        self.capacity = capacity
    }

    mutating func insert(_ id: ImageID, _ anchor: Anchor) {
        if recent.count >= capacity {
            older = recent
            recent.removeAll()
        }
        recent[id] = anchor
    }

    /// The index in the snapshot of the image that followed the one that has gone; nil when that is forgotten.
    func index(after id: ImageID, in snapshot: Snapshot) -> Int? {
        var id = id
        // An anchor was there when the other went, so each step leads to a later departure: this ends. The bound only
        // spares a reader a very long chain.
        for _ in 0..<10_000 {
            switch recent[id] ?? older[id] {
            case .end(let source): return snapshot.start(ofPart: source) + snapshot.parts[source].count
            case .before(let anchor):
                if let index = snapshot.index(of: anchor) { return index }
                id = anchor
            case nil: return nil
            }
        }
        return nil
    }
}
