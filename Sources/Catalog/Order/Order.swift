public import Images

/// The images of one view in sequence, at one revision: maps positions to ids and back. Immutable.
public final class Order: Sendable {
    public let view: View
    /// Changes whenever the sequence changes, or the positions where its months begin.
    public let revision: UInt64
    /// The number of images.
    public let count: Int
    /// All images of the catalog, from which this sequence was chosen.
    let snapshot: Snapshot
    let sequence: Sequence
    /// The metadata from which the order was built; nil for the sources' own order, which needs none.
    let basis: Basis?

    struct Basis: Sendable {
        /// The columns of each part of the snapshot; nil for a part of which only positions are known.
        let columns: [Columns?]
        /// The generations of the columns.
        let generations: [UInt64]
        /// The months, if the order is sorted by date.
        var months: [Timeline.Month]?
    }

    enum Sequence: Sendable, Hashable {
        case whole
        case reversed
        /// Indices in the snapshot.
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

    /// The image's position; nil if this order does not contain it. Never waits. Scans the sequence unless it is the
    /// sources' own order: a third of a millisecond for a million images.
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

extension Order {
    /// Whether the order contains an image. Like ``position(of:)``, but fast if the images are in the sources' own order.
    func contains(_ id: ImageID) -> Bool {
        guard case .chosen(let indices) = sequence, view.sort == .path, !view.isDescending else {
            return position(of: id) != nil
        }
        guard let index = snapshot.index(of: id) else { return false }
        var (low, high) = (0, indices.count)
        while low < high {
            let middle = (low + high) / 2
            if Int(indices[middle]) < index { low = middle + 1 } else { high = middle }
        }
        return low < indices.count && Int(indices[low]) == index
    }
}

extension Order.Sequence {
    func count(in snapshot: Snapshot) -> Int {
        if case .chosen(let indices) = self { indices.count } else { snapshot.total }
    }

    /// The index in the snapshot of the image at this position.
    func index(at position: Int, of snapshot: Snapshot) -> Int {
        switch self {
        case .whole: position
        case .reversed: snapshot.total - 1 - position
        case .chosen(let indices): Int(indices[position])
        }
    }
}
