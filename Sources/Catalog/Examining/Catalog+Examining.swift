import GRDB
import Images
import Locking
import Synchronization

/// Where a search for files that have not been looked into goes on: a place in one revision.
public struct ExaminationPlace: Sendable, Hashable {
    let revision: UInt64
    let index: ObjectIdentifier
    let openings: Int
    /// The source, and the position in it.
    var source = 0
    var position = 0

    func isOf(_ other: ExaminationPlace) -> Bool {
        revision == other.revision && index == other.index && openings == other.openings
    }
}

extension Catalog {
    /// Rows that are read at a time: the index's readers are few, and somebody may wait for a page.
    static let rowsAtOnce = 128

    /// Files of folders that have not been looked into as they are now, in the catalog's order. Each is given out once;
    /// what becomes of it is told by `learned`, or by ``reopen(_:)`` where nothing could be learnt. Blocking, on one
    /// thread at a time.
    ///
    /// - Parameters:
    ///   - place: where the one before ended; nil, or one of another revision, is the beginning.
    ///   - limit: how many at most.
    /// - Returns: None when there are no more in this revision.
    /// - Throws: `CatalogError.indexUnavailable` when the index cannot tell now, `.closed`.
    public func unexamined(after place: inout ExaminationPlace?, limit: Int) throws(CatalogError) -> [UnexaminedFile] {
        let (snapshot, isClosed) = standing.withLock { ($0.snapshot, $0.isClosed) }
        guard !isClosed else { throw .closed }
        let index = shelf.disk
        guard !index.isDamaged.load(ordering: .relaxed), !facts.isFailing else { throw .indexUnavailable }
        do {
            if index.examinations.withLock({ $0 == nil }) { try index.openExaminations(folderKeys) }
            if facts.isBehind { facts.drainNow() }
            let beginning = ExaminationPlace(
                revision: snapshot.revision, index: ObjectIdentifier(index),
                openings: index.examinations.withLock { $0?.openings ?? 0 })
            var here = place ?? beginning
            if !here.isOf(beginning) { here = beginning }
            if here == beginning { countExaminations(snapshot, index) }
            var files: [UnexaminedFile] = []
            while files.count < limit, !isStopped.load(ordering: .relaxed) {
                let open = nextOpen(snapshot, index, &here, limit: min(Self.rowsAtOnce, limit - files.count))
                guard !open.isEmpty else { break }
                files += try look(open, in: index)
            }
            place = here
            return files
        } catch {
            throw .indexUnavailable
        }
    }

    /// These could not be looked into, and are given out again.
    public func reopen(_ files: [UnexaminedFile]) {
        let index = shelf.disk
        let own = files.filter { $0.index == ObjectIdentifier(index) }
        index.examinations.withLock { for file in own { $0?.open(file.row) } }
    }

    /// How many files of folders have been looked into or are being looked into, and how many there are: as of the
    /// last search.
    public var examinations: (given: Int, total: Int) {
        counts.withLock { (max(0, $0.total - $0.open), $0.total) }
    }

    /// Keeps that everything has been looked into, so that after a restart nothing needs to be searched. To be called when
    /// nothing is left to be given out from this place on, and all that was given out has been told of. Does nothing if
    /// the catalog has changed meanwhile. Blocking.
    ///
    /// - Parameter left: could not be looked into; to be given out again after a restart.
    /// - Returns: Whether it is worth another call: a source is being read.
    public func settleExaminations(_ place: ExaminationPlace, left: [UnexaminedFile]) -> Bool {
        let index = shelf.disk
        guard place.index == ObjectIdentifier(index) else { return false }
        // In this order: whatever has a row before `next` is in what is shown, or a scan is under way.
        guard let next = try? index.counters().nextRow else { return false }
        let (keys, isScanning) = standing.withLock { standing -> ([Int: String], Bool) in
            guard standing.snapshot.revision == place.revision, !standing.isScanning, !standing.isClosed else {
                return ([:], standing.isScanning && !standing.isClosed)
            }
            return (folderKeys.filter { standing.snapshot.parts[$0.key].listed?.index === index }, false)
        }
        guard !keys.isEmpty else { return isScanning }
        facts.drainNow()
        guard !facts.isFailing else { return false }
        let rows = Set(left.lazy.filter { $0.index == ObjectIdentifier(index) }.map(\.row))
        try? index.settleExaminations(keys, before: next, left: rows)
        return false
    }

    /// Whether a source is being read. Any thread, never waits.
    public var isScanning: Bool { standing.withLock(\.isScanning) }

    /// Calls `heard` whenever another revision is shown; on a thread that it must not block.
    public func onChange(_ heard: @escaping @Sendable () -> Void) {
        watchers.withLock { $0.append(heard) }
    }

    func tellOfChange() {
        for heard in watchers.withLock(\.self) { heard() }
    }

    /// Has the files looked into once more that were found to be nothing that can be shown. Scanning queue.
    func reopenBroken() {
        let index = shelf.disk
        guard !isStopped.load(ordering: .relaxed), !index.isDamaged.load(ordering: .relaxed) else { return }
        facts.drainNow()
        // What cannot be asked of the index now is asked of it by the next rescan.
        try? index.reopenBroken()
        tellOfChange()
    }

    private var folderKeys: [Int: String] {
        var keys: [Int: String] = [:]
        for source in sources where source.kind.hasFiles { keys[source.ordinal] = source.key }
        return keys
    }

    /// The folders' parts whose rows are in this index.
    private func parts(_ snapshot: Snapshot, _ index: Index) -> [(source: Int, listing: Listing)] {
        folderKeys.keys.sorted().compactMap { ordinal in
            guard case .listed(let listing, let its) = snapshot.parts[ordinal], its === index else { return nil }
            return (ordinal, listing)
        }
    }

    private func countExaminations(_ snapshot: Snapshot, _ index: Index) {
        let parts = parts(snapshot, index)
        let open = index.examinations.withLock { examinations in
            parts.reduce(0) { sum, part in
                part.listing.blocks.reduce(sum) { sum, block in
                    block.rows.reduce(sum) { $0 + (examinations?.isOpen($1, of: part.source) == true ? 1 : 0) }
                }
            }
        }
        counts.withLock { $0 = ExaminationCounts(open: open, total: parts.reduce(0) { $0 + $1.listing.count }) }
    }

    /// Gives out what comes next and is open, whether or not it turns out to have been looked into.
    private func nextOpen(
        _ snapshot: Snapshot, _ index: Index, _ place: inout ExaminationPlace, limit: Int
    ) -> [(row: UInt32, source: Int)] {
        var open: [(row: UInt32, source: Int)] = []
        for (source, listing) in parts(snapshot, index) where source >= place.source {
            if source > place.source { (place.source, place.position) = (source, 0) }
            index.examinations.withLock { examinations in
                while place.position < listing.count, open.count < limit {
                    let (block, first) = listing.place(of: place.position)
                    for row in listing.blocks[block].rows[first...] {
                        place.position += 1
                        guard examinations?.isOpen(row, of: source) == true else { continue }
                        examinations?.pass(row)
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

    /// Those of them that have not been looked into as they are.
    private func look(_ open: [(row: UInt32, source: Int)], in index: Index) throws -> [UnexaminedFile] {
        do {
            return try unexamined(open, in: index)
        } catch {
            index.examinations.withLock { for (row, _) in open { $0?.open(row) } }
            counts.withLock { $0.open += open.count }
            throw error
        }
    }

    func unexamined(_ open: [(row: UInt32, source: Int)], in index: Index) throws -> [UnexaminedFile] {
        let rows = try index.examined(open.map(\.row))
        let gathered = facts.gathered(of: rows.values.map(\.id))
        return open.compactMap { row, source in
            guard let known = rows[row], !known.isExamined else { return nil }
            if let learnt = gathered[known.id], learnt.version == known.version, learnt.facts.examination != nil {
                return nil
            }
            return UnexaminedFile(
                image: known.id, folder: source, path: known.path, version: known.version, row: row,
                index: ObjectIdentifier(index))
        }
    }
}

/// Files of folders that have not been given out, and all.
struct ExaminationCounts: Sendable {
    var open = 0
    var total = 0
}
