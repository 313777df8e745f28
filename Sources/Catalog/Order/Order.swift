public import Images

/// The images of one view in their sequence, in one revision: position to id and back. Immutable: who holds one sees no
/// change.
public final class Order: Sendable {
    public let view: View
    /// Changes when the sequence does.
    public let revision: UInt64
    /// How many images it has.
    public let count: Int
    /// All images, of which this is a sequence.
    let snapshot: Snapshot
    let sequence: Sequence

    enum Sequence: Sendable, Hashable {
        case whole
        case reversed
        /// Indices of the snapshot.
        case chosen([UInt32])
    }

    init(view: View, revision: UInt64, snapshot: Snapshot, sequence: Sequence) {
        self.view = view
        self.revision = revision
        self.snapshot = snapshot
        self.sequence = sequence
        if case .chosen(let indices) = sequence { count = indices.count } else { count = snapshot.total }
    }

    /// The image at this position; nil beyond the end. Never waits.
    public func id(at position: Int) -> ImageID? {
        0..<count ~= position ? snapshot.id(at: index(at: position)) : nil
    }

    /// Where the image stands; nil when it is not in this order. Never waits; a pass over the sequence where it is not the
    /// sources' own: a third of a millisecond at a million.
    public func position(of id: ImageID) -> Int? {
        guard let index = snapshot.index(of: id) else { return nil }
        switch sequence {
        case .whole: return index
        case .reversed: return count - 1 - index
        case .chosen(let indices):
            return indices.withUnsafeBufferPointer { $0.firstIndex(of: UInt32(truncatingIfNeeded: index)) }
        }
    }

    /// The snapshot's index of what stands at the position.
    func index(at position: Int) -> Int {
        switch sequence {
        case .whole: position
        case .reversed: count - 1 - position
        case .chosen(let indices): Int(indices[position])
        }
    }
}
