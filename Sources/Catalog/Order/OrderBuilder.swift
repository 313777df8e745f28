import Encodings
import Images

/// Builds the sequence of a view from a snapshot and the columns of its indexes. A pure computation.
struct OrderBuilder {
    let snapshot: Snapshot
    /// The columns of each part; nil for a part of which only positions are known.
    let columns: [Columns?]
    /// The prefix of each part's folder paths, such as the name of its source.
    let prefixes: [String]

    /// The most images that can be sorted; indices take four bytes.
    static let maximumImages = Int(UInt32.max) / 64

    func sequence(of view: View) -> Order.Sequence {
        let isWhole = view.isEverything
        if view.sort == .path, isWhole { return view.isDescending ? .reversed : .whole }
        var chosen = isWhole ? Array(0..<UInt32(snapshot.total)) : matches(view)
        if view.sort == .path {
            if view.isDescending { chosen.reverse() }
        } else {
            chosen = sorted(chosen, view)
        }
        return .chosen(chosen)
    }

    // MARK: - Choosing

    private func matches(_ view: View) -> [UInt32] {
        var chosen: [UInt32] = []
        var start = 0
        for (number, part) in snapshot.parts.enumerated() {
            if let columns = columns[number], let listing = part.listed?.listing {
                let first = chosen.count
                let matcher = Matcher(view, columns: columns, prefix: prefixes[number])
                matcher.forEachMatch(in: listing) { chosen.append(UInt32(start + $0)) }
                if let scope = view.scope {
                    var isInScope = [Bool](repeating: false, count: part.count)
                    switch scope.part {
                    case .view(let search, let folder):
                        var view = View()
                        view.search = search
                        view.folder = folder?.text
                        Matcher(view, columns: columns, prefix: prefixes[number]).forEachMatch(in: listing) {
                            isInScope[$0] = true
                        }
                    case .images(let images):
                        for position in images.lazy.compactMap(part.position) { isInScope[position] = true }
                    }
                    chosen[first...].removeAll { !isInScope[Int($0) - start] }
                }
            }
            start += part.count
        }
        return chosen
    }

    // MARK: - Sorting

    /// Images without the value come last in both directions, sorted by path.
    private func sorted(_ chosen: [UInt32], _ view: View) -> [UInt32] {
        if view.sort == .name { return NameSort(self).sorted(chosen, isDescending: view.isDescending) }
        var known: [UInt32] = []
        var keys: [UInt64] = []
        var unknown: [UInt32] = []
        known.reserveCapacity(chosen.count)
        keys.reserveCapacity(chosen.count)
        forEachRow(of: chosen) { index, id, row in
            guard let key = key(id, row, view.sort) else { return unknown.append(index) }
            known.append(index)
            // Equal images stay in the order of their paths in both directions.
            keys.append(view.isDescending ? ~key : key)
        }
        return RadixSort.order(keys).map { known[Int($0)] } + unknown
    }

    private typealias Row = (block: ColumnBlock, offset: Int, number: UInt32)

    private func key(_ id: ImageID, _ row: Row?, _ sort: View.Sort) -> UInt64? {
        switch sort {
        case .taken:
            guard let row, row.block.taken[row.offset] != ColumnBlock.unknownTime else { return nil }
            return UInt64(bitPattern: row.block.taken[row.offset]) ^ 1 << 63
        case .size:
            guard let row, row.block.sizes[row.offset] != ColumnBlock.unknownSize else { return nil }
            return UInt64(row.block.sizes[row.offset])
        // Row numbers rise in the order in which images are added.
        case .added: return row.map { UInt64($0.number) }
        case .shuffle(let seed):
            return SplitMix.mixed(id.rawValue ^ (seed &+ 1) &* 0x9e37_79b9_7f4a_7c15)
        case .path, .name: return nil
        }
    }

    /// Calls `body` with each index, its id, and its row if it has one. Indices may come in any order; for consecutive
    /// ones, which are the usual case, the block is not searched for again.
    private func forEachRow(of indices: some Sequence<UInt32>, _ body: (UInt32, ImageID, Row?) -> Void) {
        var run = Run()
        for index in indices {
            if !run.range.contains(Int(index)) { run = self.run(around: Int(index)) }
            let offset = Int(index) - run.range.lowerBound
            guard let entries = run.entries else {
                body(index, run.series?.id(at: run.start + offset) ?? ImageID(rawValue: 0), nil)
                continue
            }
            let row = entries.rows[run.start + offset]
            let number = Int(row) / ColumnBlock.size
            if number != run.number {
                run.number = number
                run.block = run.columns?[row]?.block
            }
            let id = ImageID(rawValue: entries.ids[run.start + offset])
            body(index, id, run.block.map { ($0, Int(row) % ColumnBlock.size, row) })
        }
    }

    /// A run of indices in one block of one part.
    private struct Run {
        var range = 0..<0
        /// The offset of the first one in the block, or in the series.
        var start = 0
        var entries: Listing.Block?
        var series: Series?
        var columns: Columns?
        /// The block of columns used last.
        var number = -1
        var block: ColumnBlock?
    }

    private func run(around index: Int) -> Run {
        let number = snapshot.parts.indices.last { snapshot.start(ofPart: $0) <= index } ?? 0
        let first = snapshot.start(ofPart: number)
        var run = Run()
        switch snapshot.parts[number] {
        case .computed(let series):
            run.series = series
            run.range = first..<first + snapshot.parts[number].count
        case .listed(let listing, _), .recovering(let listing, _, _, _):
            let (block, offset) = listing.offset(of: index - first)
            run.entries = listing.blocks[block]
            run.range = index - offset..<index - offset + listing.blocks[block].ids.count
            run.columns = columns[number]
        }
        return run
    }

    /// Calls `body` with each index, and the block and offset of its row.
    func forEachPlace(of indices: some Sequence<UInt32>, _ body: (UInt32, (block: ColumnBlock, offset: Int)?) -> Void) {
        forEachRow(of: indices) { index, _, row in body(index, row.map { ($0.block, $0.offset) }) }
    }
}
