import Dispatch
import GRDB
import Glibc
import Images
import Locking
import Logging
import Synchronization

extension Catalog {
    /// Ordinals of the sources that are read; a template needs no reading.
    var readable: [Int] { sources.filter { !$0.isTemplate }.map(\.ordinal) }

    /// Reads the sources again; what has changed is seen when a source has been read to its end. Returns at once.
    ///
    /// A folder that was full when the program ran last and has been empty since it began is believed to be so only now:
    /// before, its disk may have been missing.
    public func rescan() {
        standing.withLock { $0.isAskedFor = true }
        rescan(Set(readable))
        scanning.async { self.reopenBroken() }
    }

    /// Reads these again from beginning to end, without a word from a person.
    func rescan(_ ordinals: Set<Int>) {
        standing.withLock { $0.wholes.formUnion(ordinals) }
        refresh(ordinals)
    }

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
        while true {
            let ordinals = standing.withLock(\.unread)
            for ordinal in ordinals.sorted() where !isStopped.load(ordering: .relaxed) { scan(sources[ordinal]) }
            settleIndexes()
            let waiters = standing.withLock { standing -> [CheckedContinuation<Void, Never>]? in
                standing.unread = standing.isClosed ? [] : standing.again
                standing.again = []
                standing.isScanning = !standing.unread.isEmpty
                guard !standing.isScanning else { return nil }
                defer { standing.waiters = [] }
                return standing.waiters
            }
            guard let waiters else { continue }
            retryWhatFailed()
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
    private func retryWhatFailed() {
        let retry = standing.withLock { standing -> (number: UInt64, failures: Int)? in
            standing.troubles = standing.troubled.isEmpty ? 0 : standing.troubles + 1
            standing.retry += 1
            return standing.troubled.isEmpty || standing.isClosed ? nil : (standing.retry, standing.troubles)
        }
        guard let retry else { return }
        let delay = configuration.retrying.delay(after: retry.failures)
        scanning.asyncAfter(deadline: .now() + delay.dispatched) { [weak self] in
            guard let self else { return }
            let troubled = standing.withLock { $0.retry == retry.number ? $0.troubled : [] }
            if !troubled.isEmpty { rescan(troubled) }
        }
    }

    /// Reads one source. What cannot be read keeps the place that it had.
    private func scan(_ source: NamedSource) {
        var index = shelf.disk
        var isTroubled = true
        var dirt = records[source.ordinal].watch?.take() ?? Dirt()
        if standing.withLock({ $0.wholes.remove(source.ordinal) != nil }) { dirt.isWhole = true }
        var damage = index.isDamaged.load(ordering: .relaxed) ? DatabaseError(resultCode: .SQLITE_CORRUPT) : nil
        for _ in 0..<3 {
            do {
                if let damage { index = try successor(of: index, because: damage) }
                isTroubled = try scan(source, into: index, dirt) || index !== shelf.disk
                break
            } catch let error as DatabaseError where error.isDamage && index === shelf.disk {
                damage = error
            } catch let error as DatabaseError {
                damage = nil
                guard index === shelf.disk, let memory = try? shelf.memory(because: error) else {
                    settle(source, CatalogState.Problem(source: source.name, reason: "The index cannot be written."))
                    break
                }
                index = memory
            } catch {
                let reason = (error as? Emptiness)?.reason ?? Source.unreadable(Catalog.code(of: error))
                settle(source, CatalogState.Problem(source: source.name, reason: reason))
                break
            }
        }
        lookAgain(at: source)
        standing.withLock { standing in
            standing.unread.remove(source.ordinal)
            if isTroubled { standing.troubled.insert(source.ordinal) } else { standing.troubled.remove(source.ordinal) }
        }
    }

    private static func code(of error: any Error) -> Int32 {
        (error as? FolderRoot.Failure)?.code ?? (error as? ListFile.Failure)?.code ?? 0
    }

    /// - Returns: whether something could not be told that may be told later.
    private func scan(_ source: NamedSource, into index: Index, _ dirt: Dirt) throws -> Bool {
        if case .folder(let path) = source.source, index === shelf.disk,
            let isTroubled = try update(source, at: path, in: index, dirt)
        {
            return isTroubled
        }
        let firstNew = try index.counters().nextRow
        let before = standing.withLock { standing in
            (
                parts: standing.snapshot.parts, isKnown: standing.isKnown[source.ordinal],
                stamp: standing.stamps[source.ordinal]
            )
        }
        let part = before.parts[source.ordinal]
        let former = before.isKnown ? part.listed.map(SourceScan.Former.init) : nil
        var written = former?.index === index ? former?.listing : nil
        if part.listed?.index !== index {
            // What is shown has its rows elsewhere: this index may have some from before, and from scans that broke off.
            try index.clearUnsettled()
            written = try index.source(source.key)?.listing
        }
        var growth: ((Listing) -> Void)? = before.isKnown ? nil : { self.show($0, index, of: source) }
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
        let isStopped = { self.isStopped.load(ordering: .relaxed) }
        var problems = CatalogState.Problems()
        var stamp: FileStamp?
        var isTroubled = false
        switch source.source {
        case .folder(let path):
            isTroubled = try walk(path, of: source, scan, dirt, &problems)
        case .list(let path, let format):
            let file = ListFile(
                path: path, format: format, limit: configuration.longestLine, calls: configuration.fileSystem)
            watchList(path, of: source, &problems)
            records[source.ordinal].isBlind = problems.count > 0 || !configuration.watches
            let (now, status) = try file.status()
            stamp = now
            let sign = dirt.paths.values.first
            if former != nil, sign != .changed, !isWholeList(source, path, status, sign) { return false }
            if former != nil, former?.index === index, stamp == before.stamp {
                settle(source, standing.withLock { $0.problemsWhenRead[source.ordinal] })
                return false
            }
            try file.read(isStopped: isStopped) { entry in
                switch entry {
                case .image(let sighting): try scan.add(sighting)
                case .bad(let line, let reason):
                    problems.add(.init(source: source.name, line: line, reason: reason))
                case .nothing: break
                }
            }
        case .template: return false
        }
        guard !isStopped() else { return false }
        let outcome = try scan.finish()
        if outcome.listing.count == 0 { problems.add(source.emptiness) }
        try keepFacts(of: source, without: outcome.dropped, from: firstNew, in: index)
        if outcome.isNews || former == nil || former?.index !== index {
            show(outcome.listing, index, of: source, without: outcome.gone)
        }
        standing.withLock { standing in
            standing.isKnown[source.ordinal] = true
            standing.stamps[source.ordinal] = stamp
            standing.problemsWhenRead[source.ordinal] = problems
        }
        settle(source, problems)
        // A folder that is as it was, most rescans, writes nothing.
        guard outcome.isNews || written == nil || stamp != before.stamp else { return isTroubled }
        try keep(outcome.listing, stamp, problems, of: source, in: index, without: outcome.dropped)
        return isTroubled
    }

    /// Names what lies in a folder now.
    ///
    /// - Returns: whether something could not be told that may be told later.
    private func walk(
        _ path: String, of source: NamedSource, _ scan: SourceScan, _ dirt: Dirt,
        _ problems: inout CatalogState.Problems
    ) throws -> Bool {
        // Opened anew: what is mounted here may have changed.
        let calls = configuration.fileSystem
        let root = try FolderRoot(path: path, calls: calls)
        let before = standing.withLock { $0.roots[source.ordinal] }
        var isTroubled = false
        let began = ContinuousClock.now
        let watch = watch(of: source, &problems)
        let record = records[source.ordinal]
        record.isBlind = watch == nil
        // Of what a damaged index had there is nothing to keep while a file is waited for.
        let isFirst = standing.withLock { standing in
            let index = standing.snapshot.parts[source.ordinal].listed?.index
            return !standing.isKnown[source.ordinal] || index?.isDamaged.load(ordering: .relaxed) == true
        }
        let signs = dirt.paths
        record.folders = nil
        record.readings += 1
        var unfinished = Set(record.unfinished.paths)
        var folders: Set<[UInt8]> = []
        var links: Set<[UInt8]> = []
        var refusals: Set<FolderWatch.Refusal> = []
        var met = problems
        func add(_ path: String, _ reason: String) {
            met.add(.init(source: source.name, path: FilePath.printable(path), reason: reason))
        }
        let walk = FolderWalk(
            root: root, avoided: shelf.identity, isStopped: { self.isStopped.load(ordering: .relaxed) },
            entering: { path, descriptor in
                folders.insert(path)
                if FileSystemKind.isSilent(calls.fileSystemType(of: descriptor)) { record.isBlind = true }
                if let refusal = watch?.add(path, folder: descriptor) { refusals.insert(refusal) }
            },
            isWhole: { path, status in
                // What is there at the first look is taken as it is; who still writes it is heard when he is done.
                if isFirst || signs[path] == .changed { return true }
                unfinished.remove(path)
                return record.unfinished.isWhole(path, status, isBegun: signs[path] == .begun)
            },
            found: scan.add,
            untold: { path, failure in
                scan.keep(path)
                // Rights do not come back by themselves.
                if ![EACCES, EPERM].contains(failure.code) { isTroubled = true }
                add(path, FolderWalk.untoldReason(failure))
            }, undecided: scan.keep, linked: { links.insert($0) }, refused: add)
        let hasNames = try walk.run()
        if !isTroubled { watch?.keepOnly(folders) }
        // Those that were not met are gone, or are known to be whole.
        for path in unfinished { record.unfinished.forget(path) }
        if !isStopped.load(ordering: .relaxed) { record.duration = .now - began }
        if !refusals.isEmpty { record.isBlind = true }
        if !refusals.isEmpty { met.add(source.unwatched(refusals, watched: watch?.count ?? 0)) }
        // The place where a disk is mounted is an empty folder while it is not.
        if !hasNames, let before, before.device != root.device {
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
        standing.withLock { standing in
            standing.roots[source.ordinal] = root
            if hasNames { standing.filled.insert(source.ordinal) }
        }
        problems = met
        record.folders = folders
        record.links = links
        return isTroubled
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

    private func settle(_ source: NamedSource, _ problem: CatalogState.Problem) {
        var problems = CatalogState.Problems()
        problems.add(problem)
        settle(source, problems)
    }

    /// Keeps what was wrong with a source; the log has it once, until it changes.
    func settle(_ source: NamedSource, _ problems: CatalogState.Problems) {
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

/// A folder that had pictures when the program ran last is empty when it begins: as it is while its disk is not mounted.
private struct Emptiness: Error {
    /// How many pictures it had.
    let before: Int

    var reason: String {
        "is empty, but had \(before) pictures when it was read last. They are kept, for its disk may not be mounted: mount"
            + " it, and it is read by itself. If it is meant to be empty, have it read again (SIGUSR1)."
    }
}
