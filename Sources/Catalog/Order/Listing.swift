import Images

/// The images of one source in their order, as two dense columns: the id, and the row of the index that has the rest.
/// Immutable, 15 bytes an image, cut into blocks so that a listing that grows shares the blocks that are full.
struct Listing: Sendable {
    let blocks: [Block]
    /// Where each block ends.
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

    /// All rows are below this.
    var rowsEnd: UInt32 { blocks.lazy.compactMap { $0.rows.max() }.max().map { $0 + 1 } ?? 0 }

    /// The most images that a block has: as many as two bytes can number.
    static let blockSize = 65_536

    typealias Entry = (id: ImageID, row: UInt32)

    /// - Precondition: `0..<count` contains the position.
    subscript(position: Int) -> Entry {
        let (number, place) = place(of: position)
        return (ImageID(rawValue: blocks[number].ids[place]), blocks[number].rows[place])
    }

    /// The block in which a position lies, and the place in it.
    func place(of position: Int) -> (block: Int, place: Int) {
        var low = 0
        var high = ends.count - 1
        while low < high {
            let middle = (low + high) / 2
            if ends[middle] <= position { low = middle + 1 } else { high = middle }
        }
        return (low, position - (low == 0 ? 0 : ends[low - 1]))
    }

    /// Where the image stands; nil when it is not here. Each block costs one look into memory, and the one that has it a
    /// search: a microsecond at a million.
    func position(of id: ImageID) -> Int? {
        for (number, block) in blocks.enumerated() {
            if let place = block.place(of: id.rawValue) { return ends[number] - block.ids.count + place }
        }
        return nil
    }

    /// Whether both have the same images in the same order.
    func hasOrder(of other: Listing) -> Bool {
        guard count == other.count else { return false }
        // Cut at the same places, most blocks are the very same, or told apart at once.
        if ends == other.ends { return zip(blocks, other.blocks).allSatisfy { $0 === $1 || $0.ids == $1.ids } }
        return blocks.lazy.flatMap(\.ids).elementsEqual(other.blocks.lazy.flatMap(\.ids))
    }

    final class Block: Sendable {
        let ids: [UInt64]
        let rows: [UInt32]
        /// The places in the order of their ids.
        private let byID: [UInt16]
        private let filter: IDFilter

        init(ids: [UInt64], rows: [UInt32]) {
            self.ids = ids
            self.rows = rows
            byID = (0..<ids.count).map { UInt16(truncatingIfNeeded: $0) }.sorted { ids[Int($0)] < ids[Int($1)] }
            filter = IDFilter(ids)
        }

        func place(of id: UInt64) -> Int? {
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

/// Grows a listing image by image.
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

    /// What there is so far.
    func listing() -> Listing {
        // Copies that fit: the growing arrays have room to spare, which a listing would hold for as long as it lives.
        Listing(blocks: ids.isEmpty ? full : full + [Listing.Block(ids: Array(ids[...]), rows: Array(rows[...]))])
    }
}
