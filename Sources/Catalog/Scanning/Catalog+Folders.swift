import BlockingIO
import Dispatch
import Glibc
import Locking
import Synchronization

extension Catalog {
    /// Scans a folder source from beginning to end, and reports its contents to the scan. On the scanning queue.
    func read(_ path: String, of source: NamedSource, _ scan: SourceScan, _ dirtySet: DirtySet) throws -> FolderReading
    {
        let before = mutableState.withLock { mutableState in
            let index = mutableState.snapshot.parts[source.ordinal].listed?.index
            // A damaged index has no listing to keep while a file is awaited, so treat this as a first scan.
            let isFirst =
                !mutableState.isKnown[source.ordinal] || index?.isDamaged.load(ordering: .relaxed) == true
            return (root: mutableState.roots[source.ordinal], isFirst: isFirst)
        }
        let began = ContinuousClock.now
        let (reading, refusal) = beginReading(source, dirtySet)
        reading.takesUnfinished = before.isFirst
        let (root, hasNames) = try whileItProgresses(source) { [calls = configuration.fileSystem] progress in
            // Opened again, because something else may be mounted here now.
            let root = try FolderRoot(path: path, calls: calls)
            reading.found = { image in try progress.unlessAbandoned { try scan.add(image) } }
            defer { reading.found = { _ in } }
            return (root, try self.walk(root, reading, progress).run())
        }
        // A mount point is an empty folder while nothing is mounted there. The images must not be taken as gone.
        if !hasNames, let before = before.root, before.device != root.device {
            throw FolderRoot.Failure(code: ENODEV)
        }
        if !hasNames {
            let (isBelieved, count) = mutableState.withLock { mutableState in
                let isBelieved = mutableState.isRescanRequested || mutableState.filled.contains(source.ordinal)
                let isKnown = mutableState.isKnown[source.ordinal]
                return (isBelieved, isKnown ? mutableState.snapshot.parts[source.ordinal].count : 0)
            }
            if !isBelieved, count > 0 { throw UnexpectedlyEmptyFolder(before: count) }
        }
        settle(reading, refusal, of: source, root, .everything, began)
        if hasNames { mutableState.withLock { _ = $0.filled.insert(source.ordinal) } }
        let record = records[source.ordinal]
        record.readings += 1
        if !reading.hasFailed { record.watch?.keepOnly(reading.folders) }
        return reading
    }

    /// Prepares to read a source's folders, and to watch those that are read. On the scanning queue.
    ///
    /// - Returns: Why the source is not watched at all; nil if it is.
    func beginReading(
        _ source: NamedSource, _ dirtySet: DirtySet
    ) -> (reading: FolderReading, refusal: FolderWatch.Refusal?) {
        let refusal = beginWatch(of: source)
        let reading = FolderReading(
            source, records[source.ordinal], signs: dirtySet.paths, configuration)
        return (reading, refusal)
    }

    /// A walk through a source's folders that ends soon after it was abandoned.
    func walk(_ root: FolderRoot, _ reading: FolderReading, _ progress: WorkProgress) -> FolderWalk {
        FolderWalk(
            served: ServedFolders(root: root, among: mutableState.withLock(\.roots)), excluded: configuration.excluded,
            avoided: indexStore.identity, reading: reading
        ) {
            progress.note()
            return self.isEnding || progress.isAbandoned
        }
    }

    /// Runs file I/O of a source on another thread, so that a disk that hangs does not stop the scans of all other
    /// sources. While the work runs, this blocks, and the work may use what belongs to the scanning queue; a walk reports
    /// its images by `unlessAbandoned`. On the scanning queue.
    ///
    /// While abandoned work has not returned, further work of the source fails at once. When it has, the source is scanned
    /// again.
    ///
    /// - Throws: `FolderRoot.Failure.hangs` if the disk does not answer, or the work's own error.
    func whileItProgresses<Value>(
        _ source: NamedSource, _ work: @escaping (WorkProgress) throws -> Value
    ) throws -> Value {
        let record = records[source.ordinal]
        guard !record.hangs else { throw FolderRoot.Failure.hangs }
        do {
            let answers: @Sendable () -> Void = { [weak self, ordinal = source.ordinal] in
                guard let self else { return }
                scanning.async { self.diskAnswers(ordinal) }
            }
            return try AbandonableWork.value(
                label: "scan", patience: configuration.diskPatience, onLateEnd: answers, work)
        } catch BlockingPool.Failure.hangs {
            record.hangs = true
            // The abandoned work may still add to the watch.
            record.watch = nil
            throw FolderRoot.Failure.hangs
        }
    }

    private func diskAnswers(_ ordinal: Int) {
        records[ordinal].hangs = false
        rescan([ordinal])
    }

    /// Records the results of a scan of all folders of a source, or of some. On the scanning queue.
    ///
    /// - Parameters:
    ///   - refusal: Why the source is not watched at all.
    ///   - extent: What was scanned.
    ///   - began: When the scan began.
    func settle(
        _ reading: FolderReading, _ refusal: FolderWatch.Refusal?, of source: NamedSource, _ root: FolderRoot,
        _ extent: DirtySet.Extent, _ began: ContinuousClock.Instant
    ) {
        let record = records[source.ordinal]
        record.hasReliableFolderTimes = reading.hasReliableFolderTimes
        record.unfinished = reading.unfinishedFiles
        // Unfinished files that were not found again are gone, or have become complete.
        for path in record.unfinished.paths where !reading.unfinished.contains(path) { record.unfinished.forget(path) }
        if extent == .paths {
            record.refusals.formUnion(reading.refusals)
            record.needsPeriodicScans = record.needsPeriodicScans || reading.isSilent || !record.refusals.isEmpty
        } else {
            record.refusals = refusal.map { [$0] } ?? reading.refusals
            record.needsPeriodicScans = record.watch == nil || reading.isSilent || !record.refusals.isEmpty
            record.durations[extent] = .now - began
            mutableState.withLock { $0.roots[source.ordinal] = root }
        }
        if extent == .everything { record.lastFullScan = .now }
        record.closed = extent == .everything ? reading.closed : record.closed.union(reading.closed)
        record.closed.subtract(reading.folders.keys.filter { !reading.closed.contains($0) })
        record.links = extent == .everything ? reading.links : record.links.union(reading.links)
    }
}

/// A folder that had images at the end of the last run is empty at startup, as it is when its disk is not mounted.
struct UnexpectedlyEmptyFolder: SourceFailure {
    /// The number of images that it had.
    let before: Int

    var reason: String {
        "is empty but had \(before) images when it was last read. They are kept, as its disk may be unmounted: mount"
            + " it and it is read automatically. If it is meant to be empty, send SIGUSR1 to rescan."
    }
}
