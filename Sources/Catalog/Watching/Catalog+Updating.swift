import GRDB
import Glibc
import Images
import Locking
import Logging
import Synchronization

extension Catalog {
    /// With more links than this they are looked at only when everything is.
    private static let mostLinks = 5_000

    /// With more images than this that have gone it is not waited whether they are found elsewhere.
    private static let mostLeaving = 50_000

    /// Reads again what is said to have changed in a folder source, and nothing else. Scanning queue.
    ///
    /// - Returns: whether something could not be told that may be told later; nil when everything is to be read.
    func update(
        _ source: NamedSource, at path: String, in index: Index, _ dirt: Dirt
    ) throws -> Bool? {
        let record = records[source.ordinal]
        let before = standing.withLock { standing in
            (
                parts: standing.snapshot.parts, isKnown: standing.isKnown[source.ordinal],
                root: standing.roots[source.ordinal], problems: standing.problemsWhenRead[source.ordinal],
                isTroubled: standing.troubled.contains(source.ordinal)
            )
        }
        guard !dirt.isWhole, before.isKnown, let folders = record.folders, let root = before.root,
            case .listed(let listing, let its) = before.parts[source.ordinal], its === index,
            FolderIdentity(path: path) == root.identity
        else { return nil }
        var look = FolderLook(source: source, record: record, dirt: dirt, folders: folders)
        if record.links.count <= Self.mostLinks { look.paths.formUnion(record.links) }
        record.links.subtract(look.paths)
        guard !look.paths.isEmpty else { return before.isTroubled }
        look.read(root, avoided: shelf.identity) { self.isStopped.load(ordering: .relaxed) }
        guard !isStopped.load(ordering: .relaxed) else { return before.isTroubled }
        let update: FolderUpdate
        do {
            update = try FolderUpdate(
                look.scopes, of: listing, in: index, identity: source.identity,
                others: before.parts.enumerated().filter { $0.offset != source.ordinal }.map(\.element),
                untold: look.untold)
        } catch is FolderUpdate.Unclear {
            return nil
        }
        var nextRow = try index.counters().nextRow
        let firstNew = nextRow
        let revision = standing.withLock { $0.snapshot.revision + 1 }
        var rows: [UInt32] = []
        var isNews = false
        for start in stride(from: 0, to: update.seen.count, by: 1000) {
            let batch = Array(update.seen[start..<min(start + 1000, update.seen.count)])
            let written = try index.write(batch, nextRow: &nextRow, revision: revision)
            rows += written.rows
            isNews = isNews || written.isNews
        }
        let outcome = update.outcome(rows)
        isNews = isNews || outcome.listing.count != listing.count || !outcome.gone.isEmpty
        record.folders = look.folders
        try keepFacts(of: source, without: outcome.dropped, from: firstNew, in: index)
        if isNews { show(outcome.listing, index, of: source, without: outcome.gone) }
        let problems = look.problems(following: before.problems, isEmpty: outcome.listing.count == 0)
        standing.withLock { $0.problemsWhenRead[source.ordinal] = problems }
        settle(source, problems)
        guard isNews || problems != before.problems else { return before.isTroubled || look.isTroubled }
        try keep(outcome.listing, nil, problems, of: source, in: index, without: outcome.dropped)
        return before.isTroubled || look.isTroubled
    }

    /// Writes down the order of a source, and lets go of what is no longer in it. Scanning queue.
    func keep(
        _ listing: Listing, _ stamp: FileStamp?, _ problems: CatalogState.Problems, of source: NamedSource,
        in index: Index, without dropped: [(id: ImageID, row: UInt32)]
    ) throws {
        let record = records[source.ordinal]
        let kept = record.kept?.index === index ? record.kept?.listing : nil
        record.kept = nil
        let known = KnownSource(listing: listing, stamp: stamp, problems: problems)
        try index.keep(known, as: source.key, before: kept)
        record.kept = (listing, index)
        let leaving = record.leaving?.index === index ? record.leaving?.images ?? [] : []
        record.leaving = (leaving + dropped, index)
        if record.unfinished.paths.isEmpty || leaving.count > Self.mostLeaving { try letGo(of: source) }
    }

    /// Removes what has gone from the index. Scanning queue.
    func letGo(of source: NamedSource) throws {
        guard let (images, index) = records[source.ordinal].leaving else { return }
        records[source.ordinal].leaving = nil
        let part = standing.withLock { $0.snapshot.parts[source.ordinal] }
        for start in stride(from: 0, to: images.count, by: 1000) {
            let batch = images[start..<min(start + 1000, images.count)]
            // What has come back under its name has another row, and is known.
            try index.remove(Array(batch)) { part.position(of: $0) == nil }
        }
    }

    /// Hands on what was learnt of files that are now found under another name. Scanning queue.
    ///
    /// - Parameters:
    ///   - dropped: images that are no longer there.
    ///   - firstRow: the first row of those that came.
    func keepFacts(
        of source: NamedSource, without dropped: [(id: ImageID, row: UInt32)], from firstRow: UInt32, in index: Index
    ) throws {
        let leaving = records[source.ordinal].leaving
        let gone = dropped + (leaving?.index === index ? leaving?.images ?? [] : [])
        guard !gone.isEmpty else { return }
        let moved = try index.movedImages(gone, from: firstRow)
        guard !moved.isEmpty else { return }
        let waiting = facts.gathered(of: moved.map(\.old))
        try shelf.disk.copyFacts(moved)
        for (old, new, _) in moved {
            if let learnt = waiting[old] { facts.add(learnt, of: new) }
            recent.forget(new)
        }
    }
}
