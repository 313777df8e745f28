import Dispatch
import GRDB
import Glibc
import Images
import Locking
import Logging
import Synchronization
import Time

extension Catalog {
    /// The ordinals of the sources that need scans; templates need none.
    var readable: [Int] { sources.filter { $0.series == nil }.map(\.ordinal) }

    /// Scans the sources again; changes become visible when a source has been scanned completely. Returns at once.
    ///
    /// A folder that had images at the end of the last run, and has been empty since startup, is accepted as empty only
    /// by this call: until then its disk may just be missing.
    ///
    /// - Parameter time: A bucket listing that another node began within this time is used instead of a new one.
    public func rescan(orReadListedWithin time: Duration = .zero) {
        mutableState.withLock { $0.isRescanRequested = true }
        rescan(Set(readable), listedWithin: time)
        scanning.async { self.reopenBroken() }
    }

    /// Scans these sources again from beginning to end, without a request from a person.
    ///
    /// - Parameter time: A bucket listing that another node began within this time is used instead of a new one.
    func rescan(_ ordinals: Set<Int>, _ extent: DirtySet.Extent = .everything, listedWithin time: Duration = .zero) {
        rescan(ordinals, extent, listedSince: .now - time)
    }

    private func rescan(_ ordinals: Set<Int>, _ extent: DirtySet.Extent, listedSince since: ContinuousClock.Instant) {
        mutableState.withLock { mutableState in
            for ordinal in ordinals {
                mutableState.extents[ordinal] = max(extent, mutableState.extents[ordinal] ?? extent)
                mutableState.listedSince[ordinal] = max(since, mutableState.listedSince[ordinal] ?? since)
            }
        }
        refresh(ordinals)
    }

    /// Scans a source again in a moment, because another node is listing it, and a new listing must not begin so soon.
    func rescanLater(_ source: NamedSource, listedSince since: ContinuousClock.Instant) {
        watching.asyncAfter(deadline: .now() + Self.rescanDelay) { [weak self] in
            self?.rescan([source.ordinal], .everything, listedSince: since)
        }
    }

    private static let rescanDelay = DispatchTimeInterval.seconds(2)

    /// Scans again what has changed in these sources.
    func refresh(_ ordinals: Set<Int>) {
        let isFirst = mutableState.withLock { mutableState in
            guard !mutableState.isClosed else { return false }
            guard !mutableState.isScanning else {
                mutableState.nextSources.formUnion(ordinals)
                return false
            }
            mutableState.isScanning = true
            mutableState.unfinishedSources = ordinals
            return true
        }
        if isFirst { scanning.async { self.scanUntilSettled() } }
    }

    /// Returns when no scan is running or due.
    public func scanCompleted() async {
        await withCheckedContinuation { waiter in
            let isIdle = mutableState.withLock { mutableState in
                if mutableState.isScanning { mutableState.waiters.append(waiter) }
                return !mutableState.isScanning
            }
            if isIdle { waiter.resume() }
        }
    }

    private func scanUntilSettled() {
        var read: Set<Int> = []
        while true {
            let ordinals = mutableState.withLock(\.unfinishedSources)
            let began = ContinuousClock.now
            for ordinal in ordinals.sorted() where !isStopped.load(ordering: .relaxed) {
                if scan(sources[ordinal]) { read.insert(ordinal) }
            }
            settleIndexes()
            let waiters = mutableState.withLock { mutableState -> [CheckedContinuation<Void, Never>]? in
                mutableState.readingTime = .now - began
                mutableState.unfinishedSources = mutableState.isClosed ? [] : mutableState.nextSources
                mutableState.nextSources = []
                mutableState.isScanning = !mutableState.unfinishedSources.isEmpty
                guard !mutableState.isScanning else { return nil }
                defer { mutableState.waiters = [] }
                return mutableState.waiters
            }
            guard let waiters else { continue }
            scheduleRetries(of: read)
            schedulePeriodicRescans()
            for waiter in waiters { waiter.resume() }
            return
        }
    }

    /// Cleans up after an index that was replaced.
    private func settleIndexes() {
        guard !isStopped.load(ordering: .relaxed) else { return }
        let parts = mutableState.withLock(\.snapshot.parts)
        if let memory = indexStore.memoryInUse, !parts.contains(where: { $0.uses(memory) }) { indexStore.leaveMemory() }
        if !indexStore.disk.isDamaged.load(ordering: .relaxed) { saveMetadata() }
    }

    /// Schedules retries of sources that could not be read correctly, with backoff.
    ///
    /// - Parameter read: The sources scanned just now. For others a retry is already scheduled.
    private func scheduleRetries(of read: Set<Int>) {
        let retry = mutableState.withLock { mutableState -> (number: UInt64, failures: Int)? in
            guard mutableState.failing.isEmpty || !mutableState.failing.isDisjoint(with: read) else { return nil }
            mutableState.failures = mutableState.failing.isEmpty ? 0 : mutableState.failures + 1
            mutableState.retry += 1
            return mutableState.failing.isEmpty || mutableState.isClosed
                ? nil : (mutableState.retry, mutableState.failures)
        }
        guard let retry else { return }
        let delay = configuration.retrying.delay(after: retry.failures)
        scanning.asyncAfter(deadline: .now() + delay.dispatched) { [weak self] in
            guard let self else { return }
            let failing = mutableState.withLock { $0.retry == retry.number ? $0.failing : [] }
            if !failing.isEmpty { rescan(failing, listedWithin: configuration.listingAge) }
        }
    }

    /// Scans one source. Images that cannot be read keep their positions.
    ///
    /// - Returns: Whether the source's problem, if any, was confirmed or is over.
    private func scan(_ source: NamedSource) -> Bool {
        var index = indexStore.disk
        var hasFailed = true
        var dirtySet = records[source.ordinal].watch?.take() ?? DirtySet()
        let (extent, since) = mutableState.withLock { mutableState in
            (
                mutableState.extents.removeValue(forKey: source.ordinal),
                mutableState.listedSince.removeValue(forKey: source.ordinal)
            )
        }
        if let extent { dirtySet.extent = max(dirtySet.extent, extent) }
        let listedSince = since ?? .now - configuration.listingAge
        var damage = index.isDamaged.load(ordering: .relaxed) ? DatabaseError(resultCode: .SQLITE_CORRUPT) : nil
        for attempt in 1...3 {
            do {
                if let damage { index = try successor(of: index, because: damage) }
                hasFailed = try scan(source, into: index, dirtySet, listedSince) || index !== indexStore.disk
                break
            } catch let error as DatabaseError where error.isDamage && index === indexStore.disk {
                damage = error
                dirtySet.extent = .everything
            } catch is ListingInterrupted where attempt < 3 {
                // The node that holds the lease now lists it from the beginning.
                damage = nil
                dirtySet.extent = .everything
            } catch let error as DatabaseError {
                damage = nil
                guard index === indexStore.disk, let memory = try? indexStore.memory(because: error) else {
                    settle(source, CatalogState.Problem(source: source.name, reason: "The index cannot be written."))
                    break
                }
                index = memory
            } catch {
                let reason = (error as? any SourceFailure)?.reason ?? Source.unreadable(Catalog.code(of: error))
                settle(source, CatalogState.Problem(source: source.name, reason: reason))
                break
            }
        }
        scheduleRecheck(of: source)
        return mutableState.withLock { mutableState in
            mutableState.unfinishedSources.remove(source.ordinal)
            guard hasFailed else {
                mutableState.failing.remove(source.ordinal)
                return true
            }
            return mutableState.failing.insert(source.ordinal).inserted || dirtySet.extent != .paths
        }
    }

    private static func code(of error: any Error) -> Int32 {
        (error as? FolderRoot.Failure)?.code ?? (error as? ListFile.Failure)?.code ?? 0
    }

    /// - Returns: Whether something could not be read now and may become readable later.
    private func scan(
        _ source: NamedSource, into index: Index, _ dirtySet: DirtySet, _ listedSince: ContinuousClock.Instant
    ) throws -> Bool {
        var context = ScanContext(catalog: self, index: index, dirtySet: dirtySet, listedSince: listedSince)
        if index === indexStore.disk, let hasFailed = try source.kind.update(source, context) { return hasFailed }
        let firstNew = try index.counters().nextRow
        let before = mutableState.withLock { mutableState in
            (
                parts: mutableState.snapshot.parts, isKnown: mutableState.isKnown[source.ordinal],
                stamp: mutableState.stamps[source.ordinal], problems: mutableState.problemsWhenRead[source.ordinal]
            )
        }
        let part = before.parts[source.ordinal]
        let former = before.isKnown ? part.listed.map(SourceScan.Former.init) : nil
        context.former = former
        // The rows of an interrupted scan exist, and are reused.
        var written = part.listed.flatMap { $0.index === index && $0.listing.count > 0 ? $0.listing : nil }
        if written == nil, former?.index === index { written = former?.listing }
        if part.listed?.index !== index {
            // The visible rows are in another index; this one may have rows from before, and from interrupted scans.
            try index.clearUnsettled()
            written = try index.source(source.key)?.listing
        }
        // During a scan after an interrupted one, no image disappears.
        var growth: ((Listing) -> Void)? =
            before.isKnown ? nil : { if $0.count > part.count { self.publish($0, index, of: source) } }
        if let former, former.index.isDamaged.load(ordering: .relaxed) {
            growth = { self.recover($0, index, of: source) }
        }
        let scan = try SourceScan(
            index: index, identity: source.identity,
            settled: before.parts.enumerated().compactMap { ordinal, part in
                if case .computed = part { return part }
                return ordinal < source.ordinal ? part : nil
            },
            former: former, written: written, growthInterval: configuration.growthInterval,
            nextRevision: { self.mutableState.withLock { $0.snapshot.revision + 1 } }, publishGrowth: growth)
        // However the scan ends, no write of it may run during the next one.
        defer { scan.end() }
        guard var report = try source.kind.read(source, context, into: scan), !isEnding else { return false }
        let outcome = try scan.finish()
        if outcome.listing.count == 0 { report.problems.add(source.emptyProblem) }
        try keepMetadata(of: source, without: outcome.dropped, from: firstNew, in: index)
        if outcome.hasChanges || former == nil || former?.index !== index {
            publish(outcome.listing, index, of: source, without: outcome.gone)
        }
        mutableState.withLock { mutableState in
            mutableState.isKnown[source.ordinal] = true
            mutableState.stamps[source.ordinal] = report.stamp
            mutableState.problemsWhenRead[source.ordinal] = report.problems
            if let unshown = report.unshown { mutableState.unshown[source.ordinal] = unshown }
        }
        records[source.ordinal].digest = report.digest
        settle(source, report.problems)
        let isOther = report.stamp != before.stamp || report.problems != before.problems
        if outcome.hasChanges || written == nil || isOther {
            try keep(outcome.listing, report.stamp, report.problems, of: source, in: index, without: outcome.dropped)
        }
        guard let reading = report.folders else { return false }
        let record = records[source.ordinal]
        let folders = reading.folders(after: record.folders?.fingerprints ?? [:])
        try index.keep(
            folders, of: source.key, before: record.folders?.index === index ? record.folders?.fingerprints : nil)
        record.folders = (folders, index)
        note(unshown: record.settle(reading, folders), of: source)
        return reading.hasFailed
    }

    /// Makes a source's images visible in a new revision. Only the scanning queue changes what is visible, so expensive
    /// work is done outside the lock.
    func publish(
        _ listing: Listing, _ index: Index, of source: NamedSource,
        without gone: [(id: ImageID, anchor: ImageID?)] = []
    ) {
        let before = mutableState.withLock { (snapshot: $0.snapshot, tombstones: $0.tombstones) }
        var parts = before.snapshot.parts
        parts[source.ordinal] = .listed(listing, index)
        let snapshot = Snapshot(revision: before.snapshot.revision + 1, parts: parts)
        var tombstones = before.tombstones
        for image in gone {
            tombstones.insert(image.id, image.anchor.map { .before($0) } ?? .end(source: source.ordinal))
        }
        mutableState.withLock { mutableState in
            mutableState.snapshot = snapshot
            if !gone.isEmpty { mutableState.tombstones = tombstones }
        }
        withExtendedLifetime(before) {}
        let departed = gone.map(\.id).filter { snapshot.index(of: $0) == nil }
        if !departed.isEmpty { for handler in departureWatchers.withLock(\.self) { handler(departed) } }
        notifyObservers()
    }

    /// Lets images that were scanned again after a damage be read from the new index. The order stays.
    private func recover(_ found: Listing, _ index: Index, of source: NamedSource) {
        let before = mutableState.withLock(\.snapshot)
        var parts = before.parts
        guard let listed = parts[source.ordinal].listed else { return }
        parts[source.ordinal] = .recovering(listed.listing, listed.index, found: found, index)
        let snapshot = Snapshot(revision: before.revision, parts: parts)
        mutableState.withLock { $0.snapshot = snapshot }
        withExtendedLifetime(before) {}
    }

    func settle(_ source: NamedSource, _ problem: CatalogState.Problem) {
        var problems = CatalogState.Problems()
        problems.add(problem)
        settle(source, problems)
    }

    /// Stores the problems of a source, and logs them when they change.
    func settle(_ source: NamedSource, _ problems: CatalogState.Problems) {
        var problems = problems
        let record = records[source.ordinal]
        if !record.refusals.isEmpty {
            problems.add(source.unwatched(record.refusals, watched: record.watch?.count ?? 0))
        }
        let hasChanges = mutableState.withLock { mutableState in
            defer { mutableState.problems[source.ordinal] = problems }
            return mutableState.problems[source.ordinal] != problems
        }
        guard hasChanges else { return }
        for problem in problems.first { logger.warning("\(problem)") }
        if problems.count > problems.first.count {
            logger.warning("\(source.name): \(problems.count - problems.first.count) more problems of this kind.")
        }
    }
}
