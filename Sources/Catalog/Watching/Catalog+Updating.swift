import GRDB
import Glibc
import Images
import Locking
import Logging
import Synchronization

extension Catalog {
    /// With more links than this they are looked at only when everything is.
    private static let mostLinks = 5_000

    /// With more folders than this that look other, and a quarter of all, everything is read.
    private static let mostChanged = 1_000

    /// Looks again at what is said to have changed in a folder source, or looks for what has, and reads that and nothing
    /// else. Scanning queue.
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
        guard before.isKnown, case .listed(let listing, let its) = before.parts[source.ordinal], its === index,
            FolderIdentity(path: path) == before.root?.identity
        else { return nil }
        // Which of the problems that are not named are over only a whole reading tells.
        if dirt.extent == .everything, before.problems.count > before.problems.first.count { return nil }
        if record.folders?.index !== index {
            record.folders = try index.folders(of: source.key).map { ($0, index) }
        }
        guard let folders = record.folders?.prints, var root = before.root else { return nil }
        // Opened anew: what is mounted here may have changed.
        if dirt.extent != .paths { root = try FolderRoot(path: path, calls: configuration.fileSystem) }
        let began = ContinuousClock.now
        let (walk, refusal) = walk(root, of: source, dirt)
        guard let look = try look(by: walk, dirt, record, folders) else { return nil }
        guard !isStopped.load(ordering: .relaxed) else { return before.isTroubled }
        let update: FolderUpdate
        do {
            update = try FolderUpdate(
                look.scopes, of: listing, in: index, identity: source.identity,
                others: before.parts.enumerated().filter { $0.offset != source.ordinal }.map(\.element),
                untold: walk.reading.untold)
        } catch is FolderUpdate.Unclear {
            return nil
        }
        settle(walk.reading, refusal, of: source, root, dirt.extent, began)
        // What was not empty when it was looked at is believed to be empty when it is.
        if dirt.extent != .paths { standing.withLock { _ = $0.filled.insert(source.ordinal) } }
        for path in folders.keys where look.folders[path] == nil { record.watch?.remove(path) }
        let (shown, isNews) = try show(update, of: source, in: index, listing)
        let problems = look.problems(
            following: before.problems, walk.reading.problems, emptiness: source.emptiness,
            isEmpty: shown.listing.count == 0)
        standing.withLock { $0.problemsWhenRead[source.ordinal] = problems }
        settle(source, problems)
        if isNews || problems != before.problems {
            try keep(shown.listing, nil, problems, of: source, in: index, without: shown.dropped)
        }
        try index.keep(look.folders, of: source.key, before: folders)
        record.folders = (look.folders, index)
        return walk.reading.isTroubled || dirt.extent == .paths && before.isTroubled
    }

    /// Nil when everything is to be read.
    private func look(
        by walk: FolderWalk, _ dirt: Dirt, _ record: SourceRecord, _ folders: [[UInt8]: FolderPrint?]
    ) throws -> FolderLook? {
        var contents: Set<[UInt8]> = []
        var paths = Set(dirt.paths.keys).union(record.unfinished.paths)
        if dirt.extent != .paths {
            guard let changed = try FolderCheck(walk: walk, record: record, folders: folders).changed(dirt.extent)
            else { return nil }
            // A whole reading goes through as much batch by batch, and shows it while it goes.
            guard changed.count <= max(Self.mostChanged, folders.count / 4) else { return nil }
            contents = changed
        }
        // What links lead to is part of how a folder looks, to whoever looks at everything.
        if dirt.extent != .everything, record.links.count <= Self.mostLinks { paths.formUnion(record.links) }
        record.links.subtract(paths)
        var look = FolderLook(
            contents: contents, paths: paths, dirt: dirt, folders: folders, closed: record.closed)
        try look.read(by: walk)
        return look
    }

    /// Writes what was seen, and shows it if anything is other than it was.
    func show(
        _ update: FolderUpdate, of source: NamedSource, in index: Index, _ listing: Listing
    ) throws -> (outcome: FolderUpdate.Outcome, isNews: Bool) {
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
        try keepFacts(of: source, without: outcome.dropped, from: firstNew, in: index)
        if isNews { show(outcome.listing, index, of: source, without: outcome.gone) }
        return (outcome, isNews)
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
        try leave(dropped, of: source, in: index)
    }
}
