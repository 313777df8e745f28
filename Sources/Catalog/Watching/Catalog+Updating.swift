import GRDB
import Glibc
import Images
import Locking
import Logging
import Synchronization

extension Catalog {
    /// If there are more links than this, they are checked only by full scans.
    private static let maximumLinks = 5_000

    /// If more folders than this have changed, and more than a quarter of all, a full scan is made.
    private static let maximumChanged = 1_000

    /// Finds the changed parts of a folder source, and scans only those. On the scanning queue.
    ///
    /// - Returns: Whether something could not be read now and may become readable later; nil if a full scan is needed.
    func update(
        _ source: NamedSource, at path: String, in index: Index, _ dirtySet: DirtySet
    ) throws -> Bool? {
        let record = records[source.ordinal]
        let before = mutableState.withLock { mutableState in
            (
                parts: mutableState.snapshot.parts, isKnown: mutableState.isKnown[source.ordinal],
                root: mutableState.roots[source.ordinal], problems: mutableState.problemsWhenRead[source.ordinal],
                hasFailed: mutableState.failing.contains(source.ordinal)
            )
        }
        guard before.isKnown, case .listed(let listing, let its) = before.parts[source.ordinal], its === index,
            let formerRoot = before.root
        else { return nil }
        // Only a full scan can tell which of the problems that are not stored in full are over.
        if dirtySet.extent == .everything, before.problems.count > before.problems.first.count { return nil }
        if record.folders?.index !== index, let stored = try index.folders(of: source.key) {
            record.folders = (stored, index)
            record.unshown = stored.compactMapValues { $0?.unshown }.filter { !$0.value.isEmpty }
        } else if record.folders?.index !== index {
            record.folders = nil
        }
        guard let folders = record.folders?.fingerprints else { return nil }
        let began = ContinuousClock.now
        let (reading, refusal) = beginReading(source, dirtySet)
        reading.linkedFolders = record.linkedFolders
        let found = try whileItProgresses(source) {
            [calls = configuration.fileSystem, links = record.links, closed = record.closed] progress in
            guard FolderIdentity(path: path) == formerRoot.identity else { return nil as (FolderRoot, PathLookup)? }
            // Opened again, because something else may be mounted here now.
            let root = dirtySet.extent == .paths ? formerRoot : try FolderRoot(path: path, calls: calls)
            let walk = self.walk(root, reading, progress)
            return try Self.lookUpPaths(by: walk, dirtySet, folders, links: links, closed: closed).map { (root, $0) }
        }
        guard let (root, lookup) = found else { return nil }
        record.links.subtract(lookup.requested)
        guard !isStopped.load(ordering: .relaxed) else { return before.hasFailed }
        let update: FolderUpdate
        do {
            update = try FolderUpdate(
                lookup.scopes, of: listing, in: index, identity: source.identity,
                others: before.parts.enumerated().filter { $0.offset != source.ordinal }.map(\.element),
                unreadable: reading.unreadable)
        } catch is FolderUpdate.Unclear {
            return nil
        }
        settle(reading, refusal, of: source, root, dirtySet.extent, began)
        // A folder that contained something in this run is accepted as empty later.
        if dirtySet.extent != .paths { mutableState.withLock { _ = $0.filled.insert(source.ordinal) } }
        for path in folders.keys where lookup.folders[path] == nil { record.watch?.remove(path) }
        let (shown, hasChanges) = try publish(update, of: source, in: index, listing)
        let problems = lookup.problems(
            following: before.problems, reading.problems, emptyProblem: source.emptyProblem,
            isEmpty: shown.listing.count == 0)
        mutableState.withLock { $0.problemsWhenRead[source.ordinal] = problems }
        settle(source, problems)
        if hasChanges || problems != before.problems {
            try keep(shown.listing, nil, problems, of: source, in: index, without: shown.dropped)
        }
        try index.keep(lookup.folders, of: source.key, before: folders)
        record.folders = (lookup.folders, index)
        note(unshown: record.settle(reading, lookup.folders), of: source)
        return reading.hasFailed || dirtySet.extent == .paths && before.hasFailed
    }

    /// Nil if a full scan is needed.
    private static func lookUpPaths(
        by walk: FolderWalk, _ dirtySet: DirtySet, _ folders: [[UInt8]: FolderFingerprint?], links: Set<[UInt8]>,
        closed: Set<[UInt8]>
    ) throws -> PathLookup? {
        var contents: Set<[UInt8]> = []
        var wholes: Set<[UInt8]> = []
        var paths: Set<[UInt8]> = []
        for path in Set(dirtySet.paths.keys).union(walk.reading.unfinishedFiles.paths) {
            let (folder, name) = FilePath.split(path)
            // What lies in a folder that is not in the gallery, because it is left out, is not either.
            guard folders[folder] != nil else { continue }
            if FolderMarker(name) != nil {
                guard !folder.isEmpty else { return nil }
                wholes.insert(folder)
            } else {
                paths.insert(path)
            }
        }
        if dirtySet.extent != .paths {
            guard let changed = try FolderCheck(walk: walk, folders: folders).changed(dirtySet.extent)
            else { return nil }
            // A full scan handles this many changes in batches, with intermediate results.
            guard changed.count <= max(maximumChanged, folders.count / 4) else { return nil }
            contents.formUnion(changed)
        }
        // Full checks cover the targets of links, because they are part of the fingerprints.
        if dirtySet.extent != .everything, links.count <= maximumLinks {
            paths.formUnion(links.filter { folders[FilePath.split($0).folder] != nil })
        }
        try addPictures(of: &paths, contents: &contents, walk)
        var lookup = PathLookup(
            wholes: wholes, contents: contents, paths: paths, dirtySet: dirtySet, folders: folders,
            closed: closed)
        try lookup.read(by: walk)
        return lookup
    }

    /// Records how many files of a source are not shown. On the scanning queue.
    func note(unshown: UnshownCounts, of source: NamedSource) {
        mutableState.withLock { $0.unshown[source.ordinal] = unshown }
    }

    /// If more sidecars than this have changed in a folder, all of the folder is read again.
    private static let maximumSidecars = 64

    /// Adds the pictures to which the sidecars among these paths may belong.
    ///
    /// - Parameter contents: Folders that are read completely, which finds their sidecars.
    private static func addPictures(
        of paths: inout Set<[UInt8]>, contents: inout Set<[UInt8]>, _ walk: FolderWalk
    ) throws {
        let sidecars = paths.lazy.map { FilePath.split($0) }.filter { SidecarName.format(of: $0.name) != nil }
        for (folder, own) in Dictionary(grouping: sidecars, by: { $0.folder }) where !contents.contains(folder) {
            guard own.count <= maximumSidecars else {
                contents.insert(folder)
                continue
            }
            do throws(FolderRoot.Failure) {
                paths.formUnion(try walk.pictures(with: own.map { $0.name }, in: folder))
            } catch {
                // Whatever keeps the folder from being read concerns its pictures, too, and is reported with them.
                guard folder.isEmpty else { continue }
                throw error
            }
        }
    }

    /// Writes the images that were found, and publishes a new revision if anything has changed.
    func publish(
        _ update: FolderUpdate, of source: NamedSource, in index: Index, _ listing: Listing
    ) throws -> (outcome: FolderUpdate.Outcome, hasChanges: Bool) {
        var nextRow = try index.counters().nextRow
        let firstNew = nextRow
        let revision = mutableState.withLock { $0.snapshot.revision + 1 }
        var rows: [UInt32] = []
        var hasChanges = false
        for start in stride(from: 0, to: update.seen.count, by: 1000) {
            let batch = Array(update.seen[start..<min(start + 1000, update.seen.count)])
            let written = try index.write(batch, nextRow: &nextRow, revision: revision)
            rows += written.rows
            hasChanges = hasChanges || written.hasChanges
        }
        let outcome = update.outcome(rows)
        hasChanges = hasChanges || outcome.listing.count != listing.count || !outcome.gone.isEmpty
        try keepMetadata(of: source, without: outcome.dropped, from: firstNew, in: index)
        if hasChanges { publish(outcome.listing, index, of: source, without: outcome.gone) }
        return (outcome, hasChanges)
    }

    /// Stores the listing of a source, and marks removed images for deletion. On the scanning queue.
    func keep(
        _ listing: Listing, _ stamp: FileStamp?, _ problems: CatalogState.Problems, of source: NamedSource,
        in index: Index, without dropped: [(id: ImageID, row: UInt32)]
    ) throws {
        let record = records[source.ordinal]
        let kept = record.kept?.index === index ? record.kept?.listing : nil
        record.kept = nil
        let known = StoredSource(listing: listing, stamp: stamp, problems: problems)
        try index.keep(known, as: source.key, before: kept)
        record.kept = (listing, index)
        try recordRemoved(dropped, of: source, in: index)
    }
}
