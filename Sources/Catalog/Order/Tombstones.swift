import Images

/// Remembers the positions of removed images, so that a cursor on one of them stays valid: it then points before the
/// nearest following image that is still there. (Pointing after the nearest preceding image would be wrong: images
/// inserted in between may have been seen already.) Bounded: the oldest entries are forgotten, and cursors on them
/// become stale.
struct Tombstones: Sendable {
    enum Anchor: Hashable, Sendable {
        case before(ImageID)
        /// At the end of the source with this ordinal.
        case end(source: Int)
    }

    /// The minimum number of removed images that are remembered; the maximum is twice as high.
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

    /// The index in the snapshot of the image that followed the removed one; nil if that is forgotten.
    func index(after id: ImageID, in snapshot: Snapshot) -> Int? {
        var id = id
        // An anchor existed when the other image was removed, so each step leads to a later removal, and the loop ends.
        // The bound only protects against very long chains.
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
