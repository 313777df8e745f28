public import Images

/// The images of one view in their sequence, in one revision: position to id and back. Immutable: who holds one sees no
/// change.
public final class Order: Sendable {
    public let view: View
    /// Changes when the sequence does, or where its months begin.
    public let revision: UInt64
    /// How many images it has.
    public let count: Int
    /// All images, of which this is a sequence.
    let snapshot: Snapshot
    let sequence: Sequence
    /// What was known of the images when it was made; nil for the sources' own order, for which nothing needs to be.
    let basis: Basis?

    struct Basis: Sendable {
        /// Of each part of the snapshot; nil for one of which only positions are known.
        let columns: [Columns?]
        /// Those of the columns.
        let generations: [UInt64]
        /// Where it is sorted by them.
        var months: [Timeline.Month]?
    }

    enum Sequence: Sendable, Hashable {
        case whole
        case reversed
        /// Indices of the snapshot.
        case chosen([UInt32])
    }

    init(view: View, revision: UInt64, snapshot: Snapshot, sequence: Sequence, basis: Basis? = nil) {
        self.view = view
        self.revision = revision
        self.snapshot = snapshot
        self.sequence = sequence
        self.basis = basis
        count = sequence.count(in: snapshot)
    }

    /// The image at this position; nil beyond the end. Never waits.
    public func id(at position: Int) -> ImageID? {
        0..<count ~= position ? snapshot.id(at: sequence.index(at: position, of: snapshot)) : nil
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
}

extension Order.Sequence {
    func count(in snapshot: Snapshot) -> Int {
        if case .chosen(let indices) = self { indices.count } else { snapshot.total }
    }

    /// The snapshot's index of what stands at the position.
    func index(at position: Int, of snapshot: Snapshot) -> Int {
        switch self {
        case .whole: position
        case .reversed: snapshot.total - 1 - position
        case .chosen(let indices): Int(indices[position])
        }
    }
}
