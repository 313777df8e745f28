import GRDB
import Images
import Locking
import Synchronization

/// How far the search for unindexed files has come: a position in one revision.
public struct IndexingPosition: Sendable, Hashable {
    let revision: UInt64
    let index: ObjectIdentifier
    let openings: Int
    /// The ordinal of the source, and the position in it.
    var source = 0
    var position = 0

    func isOf(_ other: IndexingPosition) -> Bool {
        revision == other.revision && index == other.index && openings == other.openings
    }
}

extension Catalog {
    /// The number of rows read at a time: the index has few readers, and page requests need them too.
    static let rowsAtOnce = 128

    /// Files of folders whose present content has not been indexed yet, in the catalog's order. Each is returned once;
    /// the caller reports the result with `learned`, or calls ``reopen(_:)`` if the file could not be read. Blocking;
    /// call it on one thread at a time.
    ///
    /// - Parameters:
    ///   - place: Where the previous call ended. Nil, or a place of another revision, starts from the beginning.
    ///   - limit: The maximum number of files.
    ///   - skipped: Folders to skip, by their ordinals. Their files are returned by a later call that starts from the
    ///     beginning.
    /// - Returns: An empty array if this revision has no more files.
    /// - Throws: `CatalogError.indexUnavailable` if the index cannot be read now, `.closed`.
    public func unindexed(
        after place: inout IndexingPosition?, limit: Int, skipping skipped: Set<Int> = []
    ) throws(CatalogError) -> [UnindexedFile] {
        let (snapshot, isClosed) = mutableState.withLock { ($0.snapshot, $0.isClosed) }
        guard !isClosed else { throw .closed }
        let index = indexStore.disk
        guard !index.isDamaged.load(ordering: .relaxed), !metadata.isFailing else { throw .indexUnavailable }
        do {
            if index.indexing.withLock({ $0 == nil }) { try index.openIndexing(folderKeys) }
            if metadata.isBehind { metadata.drainNow() }
            let beginning = IndexingPosition(
                revision: snapshot.revision, index: ObjectIdentifier(index),
                openings: index.indexing.withLock { $0?.openings ?? 0 })
            var here = place ?? beginning
            if !here.isOf(beginning) { here = beginning }
            if here == beginning { countIndexing(snapshot, index) }
            var files: [UnindexedFile] = []
            while files.count < limit, !isStopped.load(ordering: .relaxed) {
                let open = nextOpen(
                    snapshot, index, &here, limit: min(Self.rowsAtOnce, limit - files.count), skipping: skipped)
                guard !open.isEmpty else { break }
                files += try takeUnindexed(open, in: index)
            }
            place = here
            return files
        } catch {
            throw .indexUnavailable
        }
    }

    /// Returns files that could not be read, so that they are given out again.
    public func reopen(_ files: [UnindexedFile]) {
        let index = indexStore.disk
        let own = files.filter { $0.index == ObjectIdentifier(index) }
        index.indexing.withLock { for file in own { $0?.open(file.row) } }
    }

    /// The number of files in folders that have been indexed or are being indexed, and the number of all files, as of
    /// the last search.
    public var indexing: (given: Int, total: Int) {
        counts.withLock { (max(0, $0.total - $0.open), $0.total) }
    }

    /// Records in the index that all files have been indexed, so that nothing needs to be searched after a restart.
    /// Call it when nothing is left after this place, and all results have been reported. Does nothing if the catalog
    /// has changed since. Blocking.
    ///
    /// - Parameter left: Files that could not be indexed; they are given out again after a restart.
    /// - Returns: Whether to call again later, because a source is being scanned.
    public func settleIndexing(_ place: IndexingPosition, left: [UnindexedFile]) -> Bool {
        let index = indexStore.disk
        guard place.index == ObjectIdentifier(index) else { return false }
        // Read in this order: every row before `next` is in the snapshot checked below, unless a scan is in progress.
        guard let next = try? index.counters().nextRow else { return false }
        let (keys, isScanning) = mutableState.withLock { mutableState -> ([Int: String], Bool) in
            guard mutableState.snapshot.revision == place.revision, !mutableState.isScanning, !mutableState.isClosed
            else {
                return ([:], mutableState.isScanning && !mutableState.isClosed)
            }
            return (folderKeys.filter { mutableState.snapshot.parts[$0.key].listed?.index === index }, false)
        }
        guard !keys.isEmpty else { return isScanning }
        metadata.drainNow()
        guard !metadata.isFailing else { return false }
        let rows = Set(left.lazy.filter { $0.index == ObjectIdentifier(index) }.map(\.row))
        try? index.settleIndexing(keys, before: next, left: rows)
        return false
    }

    /// Whether a source is being scanned. Callable on any thread; never waits.
    public var isScanning: Bool { mutableState.withLock(\.isScanning) }

    /// Calls `handler` after each new revision, on a thread that it must not block.
    public func onChange(_ handler: @escaping @Sendable () -> Void) {
        watchers.withLock { $0.append(handler) }
    }

    /// Calls `handler` with the images that have left the gallery, right after the revision without them, on a thread
    /// that it must not block.
    public func onDeparture(_ handler: @escaping @Sendable ([ImageID]) -> Void) {
        departureWatchers.withLock { $0.append(handler) }
    }

    func notifyObservers() {
        for handler in watchers.withLock(\.self) { handler() }
    }

    /// Gives out files again that were found to be undisplayable. On the scanning queue.
    func reopenBroken() {
        let index = indexStore.disk
        guard !isStopped.load(ordering: .relaxed), !index.isDamaged.load(ordering: .relaxed) else { return }
        metadata.drainNow()
        // If the index cannot be read now, the next rescan tries again.
        try? index.reopenBroken()
        notifyObservers()
    }

    private var folderKeys: [Int: String] {
        var keys: [Int: String] = [:]
        for source in sources where source.kind.hasFiles { keys[source.ordinal] = source.key }
        return keys
    }

    /// The listings of folders whose rows are in this index.
    private func parts(_ snapshot: Snapshot, _ index: Index) -> [(source: Int, listing: Listing)] {
        folderKeys.keys.sorted().compactMap { ordinal in
            guard case .listed(let listing, let its) = snapshot.parts[ordinal], its === index else { return nil }
            return (ordinal, listing)
        }
    }

    private func countIndexing(_ snapshot: Snapshot, _ index: Index) {
        let parts = parts(snapshot, index)
        let open = index.indexing.withLock { indexing in
            parts.reduce(0) { sum, part in
                part.listing.blocks.reduce(sum) { sum, block in
                    block.rows.reduce(sum) { $0 + (indexing?.isOpen($1, of: part.source) == true ? 1 : 0) }
                }
            }
        }
        counts.withLock { $0 = IndexingCounts(open: open, total: parts.reduce(0) { $0 + $1.listing.count }) }
    }

    /// Marks the next open rows as given out, and returns them. Some may turn out to be indexed already.
    private func nextOpen(
        _ snapshot: Snapshot, _ index: Index, _ place: inout IndexingPosition, limit: Int, skipping skipped: Set<Int>
    ) -> [(row: UInt32, source: Int)] {
        var open: [(row: UInt32, source: Int)] = []
        for (source, listing) in parts(snapshot, index) where source >= place.source && !skipped.contains(source) {
            if source > place.source { (place.source, place.position) = (source, 0) }
            index.indexing.withLock { indexing in
                while place.position < listing.count, open.count < limit {
                    let (block, first) = listing.offset(of: place.position)
                    for row in listing.blocks[block].rows[first...] {
                        place.position += 1
                        guard indexing?.isOpen(row, of: source) == true else { continue }
                        indexing?.pass(row)
                        open.append((row, source))
                        if open.count == limit { break }
                    }
                }
            }
            if open.count == limit { break }
        }
        counts.withLock { $0.open -= open.count }
        return open
    }

    /// The files among these rows whose present content is not indexed.
    private func takeUnindexed(_ open: [(row: UInt32, source: Int)], in index: Index) throws -> [UnindexedFile] {
        do {
            return try unindexed(open, in: index)
        } catch {
            index.indexing.withLock { for (row, _) in open { $0?.open(row) } }
            counts.withLock { $0.open += open.count }
            throw error
        }
    }

    func unindexed(_ open: [(row: UInt32, source: Int)], in index: Index) throws -> [UnindexedFile] {
        let rows = try index.indexed(open.map(\.row))
        let gathered = metadata.gathered(of: rows.values.map(\.id))
        return open.compactMap { row, source in
            guard let known = rows[row], !known.isIndexed else { return nil }
            if let learned = gathered[known.id], learned.version == known.version,
                learned.metadata.readerVersion != nil, learned.metadata.sidecars ?? .none == known.sidecars
            {
                return nil
            }
            return UnindexedFile(
                image: known.id, folder: source, path: known.path, version: known.version, sidecars: known.sidecars,
                row: row, index: ObjectIdentifier(index))
        }
    }
}

/// The number of files in folders that have not been given out, and of all files.
struct IndexingCounts: Sendable {
    var open = 0
    var total = 0
}
