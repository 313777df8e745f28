import Dispatch
import GRDB
import Glibc
import Images
import Locking
import Logging
import Synchronization

extension Catalog {
    /// Ordinals of the sources that are read; a template needs no reading.
    var readable: [Int] { sources.filter { $0.series == nil }.map(\.ordinal) }

    /// Reads the sources again; what has changed is seen when a source has been read to its end. Returns at once.
    ///
    /// A folder that was full when the program ran last and has been empty since it began is believed to be so only now:
    /// before, its disk may have been missing.
    ///
    /// - Parameter time: What another node has begun to list within it serves, too.
    public func rescan(orReadListedWithin time: Duration = .zero) {
        standing.withLock { $0.isAskedFor = true }
        rescan(Set(readable), listedWithin: time)
        scanning.async { self.reopenBroken() }
    }

    /// Looks at these again from beginning to end, without a word from a person.
    ///
    /// - Parameter time: What another node has begun to list within it need not be listed again.
    func rescan(_ ordinals: Set<Int>, _ extent: Dirt.Extent = .everything, listedWithin time: Duration = .zero) {
        rescan(ordinals, extent, listedSince: .now - time)
    }

    private func rescan(_ ordinals: Set<Int>, _ extent: Dirt.Extent, listedSince since: ContinuousClock.Instant) {
        standing.withLock { standing in
            for ordinal in ordinals {
                standing.extents[ordinal] = max(extent, standing.extents[ordinal] ?? extent)
                standing.listedSince[ordinal] = max(since, standing.listedSince[ordinal] ?? since)
            }
        }
        refresh(ordinals)
    }

    /// Has a source be read in a moment that another node is listing and must not list again so soon.
    func comeBack(to source: NamedSource, listedSince since: ContinuousClock.Instant) {
        watching.asyncAfter(deadline: .now() + Self.patience) { [weak self] in
            self?.rescan([source.ordinal], .everything, listedSince: since)
        }
    }

    private static let patience = DispatchTimeInterval.seconds(2)

    /// Reads again what has changed in these.
    func refresh(_ ordinals: Set<Int>) {
        let isFirst = standing.withLock { standing in
            guard !standing.isClosed else { return false }
            guard !standing.isScanning else {
                standing.again.formUnion(ordinals)
                return false
            }
            standing.isScanning = true
            standing.unread = ordinals
            return true
        }
        if isFirst { scanning.async { self.scanUntilSettled() } }
    }

    /// Returns when no source is being read and none is waiting to be.
    public func scanCompleted() async {
        await withCheckedContinuation { waiter in
            let isIdle = standing.withLock { standing in
                if standing.isScanning { standing.waiters.append(waiter) }
                return !standing.isScanning
            }
            if isIdle { waiter.resume() }
        }
    }

    private func scanUntilSettled() {
        var read: Set<Int> = []
        while true {
            let ordinals = standing.withLock(\.unread)
            let began = ContinuousClock.now
            for ordinal in ordinals.sorted() where !isStopped.load(ordering: .relaxed) {
                if scan(sources[ordinal]) { read.insert(ordinal) }
            }
            settleIndexes()
            let waiters = standing.withLock { standing -> [CheckedContinuation<Void, Never>]? in
                standing.readingTime = .now - began
                standing.unread = standing.isClosed ? [] : standing.again
                standing.again = []
                standing.isScanning = !standing.unread.isEmpty
                guard !standing.isScanning else { return nil }
                defer { standing.waiters = [] }
                return standing.waiters
            }
            guard let waiters else { continue }
            retryWhatFailed(of: read)
            rescanInTime()
            for waiter in waiters { waiter.resume() }
            return
        }
    }

    /// Sees to what is left over from an index that was given up.
    private func settleIndexes() {
        guard !isStopped.load(ordering: .relaxed) else { return }
        let parts = standing.withLock(\.snapshot.parts)
        if let memory = shelf.memoryInUse, !parts.contains(where: { $0.uses(memory) }) { shelf.leaveMemory() }
        if !shelf.disk.isDamaged.load(ordering: .relaxed) { saveFacts() }
    }

    /// Has sources that could not be read as they should be read again by themselves, a little later each time.
    ///
    /// - Parameter read: those that were read just now. What was not is waited for already.
    private func retryWhatFailed(of read: Set<Int>) {
        let retry = standing.withLock { standing -> (number: UInt64, failures: Int)? in
            guard standing.troubled.isEmpty || !standing.troubled.isDisjoint(with: read) else { return nil }
            standing.troubles = standing.troubled.isEmpty ? 0 : standing.troubles + 1
            standing.retry += 1
            return standing.troubled.isEmpty || standing.isClosed ? nil : (standing.retry, standing.troubles)
        }
        guard let retry else { return }
        let delay = configuration.retrying.delay(after: retry.failures)
        scanning.asyncAfter(deadline: .now() + delay.dispatched) { [weak self] in
            guard let self else { return }
            let troubled = standing.withLock { $0.retry == retry.number ? $0.troubled : [] }
            if !troubled.isEmpty { rescan(troubled, listedWithin: configuration.listingAge) }
        }
    }

    /// Reads one source. What cannot be read keeps the place that it had.
    ///
    /// - Returns: whether what kept it from being read, if anything did, was met anew, or is over.
    private func scan(_ source: NamedSource) -> Bool {
        var index = shelf.disk
        var isTroubled = true
        var dirt = records[source.ordinal].watch?.take() ?? Dirt()
        let (extent, since) = standing.withLock { standing in
            (
                standing.extents.removeValue(forKey: source.ordinal),
                standing.listedSince.removeValue(forKey: source.ordinal)
            )
        }
        if let extent { dirt.extent = max(dirt.extent, extent) }
        let listedSince = since ?? .now - configuration.listingAge
        var damage = index.isDamaged.load(ordering: .relaxed) ? DatabaseError(resultCode: .SQLITE_CORRUPT) : nil
        for attempt in 1...3 {
            do {
                if let damage { index = try successor(of: index, because: damage) }
                isTroubled = try scan(source, into: index, dirt, listedSince) || index !== shelf.disk
                break
            } catch let error as DatabaseError where error.isDamage && index === shelf.disk {
                damage = error
                dirt.extent = .everything
            } catch is ListingTrouble where attempt < 3 {
                // Whose turn it is now reads it from its beginning.
                damage = nil
                dirt.extent = .everything
            } catch let error as DatabaseError {
                damage = nil
                guard index === shelf.disk, let memory = try? shelf.memory(because: error) else {
                    settle(source, CatalogState.Problem(source: source.name, reason: "The index cannot be written."))
                    break
                }
                index = memory
            } catch {
                let reason = (error as? any SourceTrouble)?.reason ?? Source.unreadable(Catalog.code(of: error))
                settle(source, CatalogState.Problem(source: source.name, reason: reason))
                break
            }
        }
        lookAgain(at: source)
        return standing.withLock { standing in
            standing.unread.remove(source.ordinal)
            guard isTroubled else {
                standing.troubled.remove(source.ordinal)
                return true
            }
            return standing.troubled.insert(source.ordinal).inserted || dirt.extent != .paths
        }
    }

    private static func code(of error: any Error) -> Int32 {
        (error as? FolderRoot.Failure)?.code ?? (error as? ListFile.Failure)?.code ?? 0
    }

    /// - Returns: whether something could not be told that may be told later.
    private func scan(
        _ source: NamedSource, into index: Index, _ dirt: Dirt, _ listedSince: ContinuousClock.Instant
    ) throws -> Bool {
        var visit = SourceVisit(catalog: self, index: index, dirt: dirt, listedSince: listedSince)
        if index === shelf.disk, let isTroubled = try source.kind.update(source, visit) { return isTroubled }
        let firstNew = try index.counters().nextRow
        let before = standing.withLock { standing in
            (
                parts: standing.snapshot.parts, isKnown: standing.isKnown[source.ordinal],
                stamp: standing.stamps[source.ordinal], problems: standing.problemsWhenRead[source.ordinal]
            )
        }
        let part = before.parts[source.ordinal]
        let former = before.isKnown ? part.listed.map(SourceScan.Former.init) : nil
        visit.former = former
        // What broke off in its middle is there all the same, and goes on by its rows.
        var written = part.listed.flatMap { $0.index === index && $0.listing.count > 0 ? $0.listing : nil }
        if written == nil, former?.index === index { written = former?.listing }
        if part.listed?.index !== index {
            // What is shown has its rows elsewhere: this index may have some from before, and from scans that broke off.
            try index.clearUnsettled()
            written = try index.source(source.key)?.listing
        }
        // Of one that broke off nothing goes while it is read again.
        var growth: ((Listing) -> Void)? =
            before.isKnown ? nil : { if $0.count > part.count { self.show($0, index, of: source) } }
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
            nextRevision: { self.standing.withLock { $0.snapshot.revision + 1 } }, showGrowth: growth)
        // Whatever ends it, nothing is written behind the back of the next.
        defer { scan.end() }
        guard var report = try source.kind.read(source, visit, into: scan), !isEnding else { return false }
        let outcome = try scan.finish()
        if outcome.listing.count == 0 { report.problems.add(source.emptiness) }
        try keepFacts(of: source, without: outcome.dropped, from: firstNew, in: index)
        if outcome.isNews || former == nil || former?.index !== index {
            show(outcome.listing, index, of: source, without: outcome.gone)
        }
        standing.withLock { standing in
            standing.isKnown[source.ordinal] = true
            standing.stamps[source.ordinal] = report.stamp
            standing.problemsWhenRead[source.ordinal] = report.problems
        }
        records[source.ordinal].digest = report.digest
        settle(source, report.problems)
        let isOther = report.stamp != before.stamp || report.problems != before.problems
        if outcome.isNews || written == nil || isOther {
            try keep(outcome.listing, report.stamp, report.problems, of: source, in: index, without: outcome.dropped)
        }
        guard let reading = report.folders else { return false }
        let record = records[source.ordinal]
        let folders = reading.folders(after: record.folders?.prints ?? [:])
        try index.keep(folders, of: source.key, before: record.folders?.index === index ? record.folders?.prints : nil)
        record.folders = (folders, index)
        return reading.isTroubled
    }

    /// Shows a source's images as another revision. Only the scanning queue changes what is shown, so that what costs
    /// something is done beside the lock.
    func show(
        _ listing: Listing, _ index: Index, of source: NamedSource,
        without gone: [(id: ImageID, anchor: ImageID?)] = []
    ) {
        let before = standing.withLock { (snapshot: $0.snapshot, departures: $0.departures) }
        var parts = before.snapshot.parts
        parts[source.ordinal] = .listed(listing, index)
        let snapshot = Snapshot(revision: before.snapshot.revision + 1, parts: parts)
        var departures = before.departures
        for image in gone {
            departures.insert(image.id, image.anchor.map { .before($0) } ?? .end(source: source.ordinal))
        }
        standing.withLock { standing in
            standing.snapshot = snapshot
            if !gone.isEmpty { standing.departures = departures }
        }
        withExtendedLifetime(before) {}
        tellOfChange()
    }

    /// Has what was read again of a source whose index is damaged be read from the new index. The order stays.
    private func recover(_ found: Listing, _ index: Index, of source: NamedSource) {
        let before = standing.withLock(\.snapshot)
        var parts = before.parts
        guard let listed = parts[source.ordinal].listed else { return }
        parts[source.ordinal] = .recovering(listed.listing, listed.index, found: found, index)
        let snapshot = Snapshot(revision: before.revision, parts: parts)
        standing.withLock { $0.snapshot = snapshot }
        withExtendedLifetime(before) {}
    }

    func settle(_ source: NamedSource, _ problem: CatalogState.Problem) {
        var problems = CatalogState.Problems()
        problems.add(problem)
        settle(source, problems)
    }

    /// Keeps what was wrong with a source; the log has it once, until it changes.
    func settle(_ source: NamedSource, _ problems: CatalogState.Problems) {
        var problems = problems
        let record = records[source.ordinal]
        if !record.refusals.isEmpty {
            problems.add(source.unwatched(record.refusals, watched: record.watch?.count ?? 0))
        }
        let isNews = standing.withLock { standing in
            defer { standing.problems[source.ordinal] = problems }
            return standing.problems[source.ordinal] != problems
        }
        guard isNews else { return }
        for problem in problems.first { logger.warning("\(problem)") }
        if problems.count > problems.first.count {
            logger.warning("\(source.name): \(problems.count - problems.first.count) more problems of this kind.")
        }
    }
}
