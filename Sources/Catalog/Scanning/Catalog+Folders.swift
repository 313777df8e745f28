import Glibc
import Locking
import Synchronization

extension Catalog {
    /// Reads a folder source from beginning to end, and names to the scan what lies in it now. Scanning queue.
    func read(_ path: String, of source: NamedSource, _ scan: SourceScan, _ dirt: Dirt) throws -> FolderReading {
        // Opened anew: what is mounted here may have changed.
        let root = try FolderRoot(path: path, calls: configuration.fileSystem)
        let before = standing.withLock { standing in
            let index = standing.snapshot.parts[source.ordinal].listed?.index
            // Of what a damaged index had there is nothing to keep while a file is waited for.
            let isFirst =
                !standing.isKnown[source.ordinal] || index?.isDamaged.load(ordering: .relaxed) == true
            return (root: standing.roots[source.ordinal], isFirst: isFirst)
        }
        let began = ContinuousClock.now
        let (walk, refusal) = walk(root, of: source, dirt)
        walk.reading.takesUnfinished = before.isFirst
        walk.reading.found = scan.add
        let hasNames = try walk.run()
        walk.reading.found = { _ in }
        // The place where a disk is mounted is an empty folder while it is not.
        if !hasNames, let before = before.root, before.device != root.device {
            throw FolderRoot.Failure(code: ENODEV)
        }
        if !hasNames {
            let (isBelieved, count) = standing.withLock { standing in
                let isBelieved = standing.isAskedFor || standing.filled.contains(source.ordinal)
                let isKnown = standing.isKnown[source.ordinal]
                return (isBelieved, isKnown ? standing.snapshot.parts[source.ordinal].count : 0)
            }
            if !isBelieved, count > 0 { throw Emptiness(before: count) }
        }
        settle(walk.reading, refusal, of: source, root, .everything, began)
        if hasNames { standing.withLock { _ = $0.filled.insert(source.ordinal) } }
        let record = records[source.ordinal]
        record.readings += 1
        if !walk.reading.isTroubled { record.watch?.keepOnly(walk.reading.folders) }
        return walk.reading
    }

    /// A walk through a source's folders, which are watched from then on. Scanning queue.
    func walk(
        _ root: FolderRoot, of source: NamedSource, _ dirt: Dirt
    ) -> (walk: FolderWalk, refusal: FolderWatch.Refusal?) {
        let refusal = beginWatch(of: source)
        let reading = FolderReading(
            source, records[source.ordinal], signs: dirt.paths, calls: configuration.fileSystem)
        let walk = FolderWalk(root: root, avoided: shelf.identity, reading: reading) {
            self.isStopped.load(ordering: .relaxed)
        }
        return (walk, refusal)
    }

    /// Keeps what a look at all folders of a source, or some, says of them. Scanning queue.
    ///
    /// - Parameters:
    ///   - refusal: why the source is not watched at all.
    ///   - extent: what was looked at.
    ///   - began: when.
    func settle(
        _ reading: FolderReading, _ refusal: FolderWatch.Refusal?, of source: NamedSource, _ root: FolderRoot,
        _ extent: Dirt.Extent, _ began: ContinuousClock.Instant
    ) {
        let record = records[source.ordinal]
        // Those that were not met are gone, or are known to be whole.
        for path in record.unfinished.paths where !reading.unfinished.contains(path) { record.unfinished.forget(path) }
        if extent == .paths {
            record.refusals.formUnion(reading.refusals)
            record.isBlind = record.isBlind || reading.isSilent || !record.refusals.isEmpty
        } else {
            record.refusals = refusal.map { [$0] } ?? reading.refusals
            record.isBlind = record.watch == nil || reading.isSilent || !record.refusals.isEmpty
            record.durations[extent] = .now - began
            standing.withLock { $0.roots[source.ordinal] = root }
        }
        if extent == .everything { record.lookedAt = .now }
        record.closed = extent == .everything ? reading.closed : record.closed.union(reading.closed)
        record.closed.subtract(reading.folders.keys.filter { !reading.closed.contains($0) })
        record.links = extent == .everything ? reading.links : record.links.union(reading.links)
    }
}

/// A folder that had pictures when the program ran last is empty when it begins: as it is while its disk is not mounted.
struct Emptiness: SourceTrouble {
    /// How many pictures it had.
    let before: Int

    var reason: String {
        "is empty, but had \(before) pictures when it was read last. They are kept, for its disk may not be mounted: mount"
            + " it, and it is read by itself. If it is meant to be empty, have it read again (SIGUSR1)."
    }
}
