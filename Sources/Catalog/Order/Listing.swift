import Images

/// The images of one source in order, as two dense columns: the id, and the image's row in the index. Immutable, about
/// 15 bytes per image, and divided into blocks, so that a growing listing shares its full blocks.
struct Listing: Sendable {
    let blocks: [Block]
    /// The end position of each block.
    private let ends: [Int]

    init(blocks: [Block] = []) {
        self.blocks = blocks
        var end = 0
        ends = blocks.map { block in
            end += block.ids.count
            return end
        }
    }

    var count: Int { ends.last ?? 0 }

    /// An upper bound: all row numbers are below this one.
    var rowsEnd: UInt32 { blocks.lazy.compactMap { $0.rows.max() }.max().map { $0 + 1 } ?? 0 }

    /// The maximum number of images in a block: as many as two bytes can number.
    static let blockSize = 65_536

    typealias Entry = (id: ImageID, row: UInt32)

    /// - Precondition: `0..<count` contains the position.
    subscript(position: Int) -> Entry {
        let (number, offset) = offset(of: position)
        return (ImageID(rawValue: blocks[number].ids[offset]), blocks[number].rows[offset])
    }

    /// The block that contains a position, and the offset in that block.
    func offset(of position: Int) -> (block: Int, offset: Int) {
        var low = 0
        var high = ends.count - 1
        while low < high {
            let middle = (low + high) / 2
            if ends[middle] <= position { low = middle + 1 } else { high = middle }
        }
        return (low, position - (low == 0 ? 0 : ends[low - 1]))
    }

    /// The image's position; nil if it is not in the listing. Costs one memory access per block, plus a binary search
    /// in the block that has it: about a microsecond for a million images.
    func position(of id: ImageID) -> Int? {
        for (number, block) in blocks.enumerated() {
            if let offset = block.offset(of: id.rawValue) { return ends[number] - block.ids.count + offset }
        }
        return nil
    }

    /// Whether both contain the same images in the same order.
    func hasOrder(of other: Listing) -> Bool {
        guard count == other.count else { return false }
        // If both are divided at the same positions, most blocks are identical, and a difference is found quickly.
        if ends == other.ends { return zip(blocks, other.blocks).allSatisfy { $0 === $1 || $0.ids == $1.ids } }
        return blocks.lazy.flatMap(\.ids).elementsEqual(other.blocks.lazy.flatMap(\.ids))
    }

    final class Block: Sendable {
        let ids: [UInt64]
        let rows: [UInt32]
        /// Offsets in the block, sorted by id.
        private let byID: [UInt16]
        private let filter: BloomFilter

        init(ids: [UInt64], rows: [UInt32]) {
            self.ids = ids
            self.rows = rows
            byID = (0..<ids.count).map { UInt16(truncatingIfNeeded: $0) }.sorted { ids[Int($0)] < ids[Int($1)] }
            filter = BloomFilter(ids)
        }

        func offset(of id: UInt64) -> Int? {
            guard filter.passes(id) else { return nil }
            var low = 0
            var high = byID.count
            while low < high {
                let middle = (low + high) / 2
                if ids[Int(byID[middle])] < id { low = middle + 1 } else { high = middle }
            }
            guard low < byID.count, ids[Int(byID[low])] == id else { return nil }
            return Int(byID[low])
        }
    }
}

/// Builds a listing image by image.
struct ListingBuilder {
    private var full: [Listing.Block] = []
    private var ids: [UInt64] = []
    private var rows: [UInt32] = []

    var count: Int { full.count * Listing.blockSize + ids.count }

    mutating func append(_ id: ImageID, row: UInt32) {
        ids.append(id.rawValue)
        rows.append(row)
        guard ids.count == Listing.blockSize else { return }
        full.append(Listing.Block(ids: ids, rows: rows))
        ids.removeAll(keepingCapacity: true)
        rows.removeAll(keepingCapacity: true)
    }

    /// The listing so far.
    func listing() -> Listing {
        // Copies without spare capacity, which a long-lived listing would otherwise hold on to.
        Listing(blocks: ids.isEmpty ? full : full + [Listing.Block(ids: Array(ids[...]), rows: Array(rows[...]))])
    }
}
