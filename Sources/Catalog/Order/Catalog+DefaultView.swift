import Locking
import Synchronization

extension Catalog {
    /// The view in which a gallery opens, unless its user has chosen another: newest first for photographs, which means
    /// that at least half of all images are in folders or buckets and have a date; otherwise the sources' own order.
    /// Decided whenever the files have been indexed.
    public var defaultView: View {
        var view = View.plain
        guard opensNewestFirst.load(ordering: .relaxed) else { return view }
        (view.sort, view.isDescending) = (.taken, true)
        return view
    }

    /// Decides by the columns, as far as they have been read.
    func decideDefaultView() {
        let snapshot = mutableState.withLock(\.snapshot)
        let dated = zip(sources, snapshot.parts).reduce(0) { sum, pair in
            guard pair.0.kind.folderName != nil, let (listing, index) = pair.1.listed else { return sum }
            let columns = index.columns.current
            return sum
                + (0..<listing.count).count { position in
                    guard let (block, offset) = columns[listing[position].row] else { return false }
                    return block.taken[offset] != ColumnBlock.unknownTime
                }
        }
        opensNewestFirst.store(dated > 0 && dated >= snapshot.total - dated, ordering: .relaxed)
    }
}
