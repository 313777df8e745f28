import Images

extension Listing {
    /// Images that take the place of others.
    struct Edit {
        let range: Range<Int>
        let entries: [Entry]
    }

    /// The listing with these edits made; blocks in which nothing changes are shared with it.
    ///
    /// - Parameter edits: in the order of their ranges, which do not overlap; positions are those of this listing.
    func applying(_ edits: [Edit]) -> Listing {
        var splice = Splice(listing: self)
        for edit in edits {
            splice.copy(upTo: edit.range.lowerBound)
            splice.insert(edit.entries)
            splice.position = edit.range.upperBound
        }
        splice.copy(upTo: count)
        splice.flush()
        return Listing(blocks: splice.blocks)
    }

    private struct Splice {
        let listing: Listing
        var position = 0
        var blocks: [Block] = []
        private var ids: [UInt64] = []
        private var rows: [UInt32] = []
        /// A smaller rest is put before the next block: thousands of small blocks would be slow to search.
        private static let smallest = Listing.blockSize / 8

        init(listing: Listing) { self.listing = listing }

        mutating func insert(_ entries: [Entry]) {
            for (id, row) in entries {
                ids.append(id.rawValue)
                rows.append(row)
            }
        }

        mutating func copy(upTo end: Int) {
            while position < end {
                let (number, place) = listing.place(of: position)
                let block = listing.blocks[number]
                let last = min(block.ids.count, place + end - position)
                if place == 0, last == block.ids.count, ids.isEmpty || ids.count >= Self.smallest {
                    flush()
                    blocks.append(block)
                } else {
                    ids += block.ids[place..<last]
                    rows += block.rows[place..<last]
                }
                position += last - place
            }
        }

        mutating func flush() {
            let count = ids.count
            let parts = (count + Listing.blockSize - 1) / Listing.blockSize
            for part in 0..<parts {
                let range = part * count / parts..<(part + 1) * count / parts
                blocks.append(Block(ids: Array(ids[range]), rows: Array(rows[range])))
            }
            ids = []
            rows = []
        }
    }
}
