import Images

extension Listing {
    /// Replaces the images in a range with others.
    struct Edit {
        let range: Range<Int>
        let entries: [Entry]
    }

    /// The listing with these edits applied; shares all unchanged blocks.
    ///
    /// - Parameter edits: Sorted by range, without overlaps; positions are those of this listing.
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
        /// Smaller remainders are merged with the next block, because thousands of small blocks would be slow to
        /// search.
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
                let (number, offset) = listing.offset(of: position)
                let block = listing.blocks[number]
                let last = min(block.ids.count, offset + end - position)
                if offset == 0, last == block.ids.count, ids.isEmpty || ids.count >= Self.smallest {
                    flush()
                    blocks.append(block)
                } else {
                    ids += block.ids[offset..<last]
                    rows += block.rows[offset..<last]
                }
                position += last - offset
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
