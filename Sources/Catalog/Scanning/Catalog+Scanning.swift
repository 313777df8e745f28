import Dispatch
import GRDB
import Images
import Logging
import Synchronization

extension Catalog {
    /// Reads the sources again; what has changed is seen when a source has been read to its end. Returns at once.
    public func rescan() {
        let isFirst = standing.withLock { standing in
            guard !standing.isClosed else { return false }
            defer { standing.phase = standing.phase == .idle ? .scanning : .scanningAgain }
            if standing.phase == .idle { standing.unread = Set(sources.filter { !$0.isTemplate }.map(\.ordinal)) }
            return standing.phase == .idle
        }
        if isFirst { scanning.async { self.scanUntilSettled() } }
    }

    /// Returns when no source is being read and none is waiting to be.
    public func scanCompleted() async {
        await withCheckedContinuation { waiter in
            let isIdle = standing.withLock { standing in
                if standing.phase != .idle { standing.waiters.append(waiter) }
                return standing.phase == .idle
            }
            if isIdle { waiter.resume() }
        }
    }

    /// Asks for the damaged index to be replaced and everything to be read again.
    func repair(_ index: Index, because error: any Error) {
        scanning.async {
            // Only once, however many readers met the damage.
            guard self.shelf.disk === index, !self.standing.withLock(\.isClosed) else { return }
            self.replaceIndex(because: error)
            self.rescan()
        }
    }

    private func scanUntilSettled() {
        while true {
            for source in sources where !source.isTemplate && !isStopped.load(ordering: .relaxed) { scan(source) }
            let waiters = standing.withLock { standing -> [CheckedContinuation<Void, Never>]? in
                let isAgain = standing.phase == .scanningAgain && !standing.isClosed
                standing.unread = isAgain ? Set(sources.filter { !$0.isTemplate }.map(\.ordinal)) : []
                standing.phase = isAgain ? .scanning : .idle
                guard !isAgain else { return nil }
                defer { standing.waiters = [] }
                return standing.waiters
            }
            guard let waiters else { continue }
            for waiter in waiters { waiter.resume() }
            return
        }
    }

    /// Reads one source to its end. What cannot be read keeps the place that it had.
    private func scan(_ source: NamedSource) {
        var index = shelf.disk
        for _ in 0..<3 {
            do {
                try scan(source, into: index)
                break
            } catch let error as DatabaseError where error.isDamage && index === shelf.disk {
                guard replaceIndex(because: error) else { break }
                index = shelf.disk
            } catch let error as DatabaseError {
                guard index === shelf.disk, let memory = try? shelf.memory(because: error) else {
                    settle(source, CatalogState.Problem(source: source.name, reason: "The index cannot be written."))
                    break
                }
                index = memory
            } catch {
                let reason = Source.unreadable(Catalog.code(of: error))
                settle(source, CatalogState.Problem(source: source.name, reason: reason))
                break
            }
        }
        standing.withLock { _ = $0.unread.remove(source.ordinal) }
    }

    private static func code(of error: any Error) -> Int32 {
        (error as? FolderRoot.Failure)?.code ?? (error as? ListFile.Failure)?.code ?? 0
    }

    private func scan(_ source: NamedSource, into index: Index) throws {
        let before = standing.withLock { standing in
            (
                parts: standing.snapshot.parts, isKnown: standing.isKnown[source.ordinal],
                stamp: standing.stamps[source.ordinal]
            )
        }
        var problems = CatalogState.Problems()
        var stamp: FileStamp?
        var previous: Listing?
        if case .listed(let listing, let its) = before.parts[source.ordinal], its === index, before.isKnown {
            previous = listing
        }
        let scan = try SourceScan(
            index: index, identity: source.identity,
            settled: before.parts.enumerated().compactMap { ordinal, part in
                if case .computed = part { return part }
                return ordinal < source.ordinal ? part : nil
            },
            previous: previous, growthInterval: configuration.growthInterval,
            nextRevision: { self.standing.withLock { $0.snapshot.revision + 1 } },
            showGrowth: before.isKnown ? nil : { self.show($0, index, of: source) })
        let isStopped = { self.isStopped.load(ordering: .relaxed) }
        switch source.source {
        case .folder(let path):
            // Opened anew: what is mounted here may have changed.
            let root = try FolderRoot(path: path)
            standing.withLock { $0.roots[source.ordinal] = root }
            let walk = FolderWalk(root: root, isStopped: isStopped, found: scan.add) { path, reason in
                problems.add(.init(source: source.name, path: FilePath.printable(path), reason: reason))
            }
            try walk.run()
        case .list(let path, let format):
            let file = ListFile(path: path, format: format, limit: configuration.longestLine)
            stamp = try file.stamp()
            if before.isKnown, previous != nil, stamp == before.stamp {
                return settle(source, standing.withLock { $0.problems[source.ordinal] })
            }
            try file.read(isStopped: isStopped) { entry in
                switch entry {
                case .image(let sighting): try scan.add(sighting)
                case .bad(let line, let reason):
                    problems.add(.init(source: source.name, line: line, reason: reason))
                case .nothing: break
                }
            }
        case .template: return
        }
        guard !isStopped() else { return }
        let outcome = try scan.finish()
        if outcome.listing.count == 0 { problems.add(Catalog.emptiness(of: source)) }
        if outcome.isNews || !before.isKnown { show(outcome.listing, index, of: source, without: outcome.gone) }
        standing.withLock { standing in
            standing.isKnown[source.ordinal] = true
            standing.stamps[source.ordinal] = stamp
        }
        settle(source, problems)
        // A folder that is as it was, most rescans, writes nothing.
        guard outcome.isNews || previous == nil || stamp != before.stamp else { return }
        try index.keep(KnownSource(listing: outcome.listing, stamp: stamp, problems: problems), as: source.key)
        for start in stride(from: 0, to: outcome.gone.count, by: 1000) {
            let batch = outcome.gone[start..<min(start + 1000, outcome.gone.count)]
            try index.remove(batch.map { ($0.id, $0.row) })
        }
    }

    /// Shows a source's images as another revision.
    private func show(
        _ listing: Listing, _ index: Index, of source: NamedSource,
        without gone: [(id: ImageID, row: UInt32, anchor: ImageID?)] = []
    ) {
        standing.withLock { standing in
            var parts = standing.snapshot.parts
            parts[source.ordinal] = .listed(listing, index)
            standing.snapshot = Snapshot(revision: standing.snapshot.revision + 1, parts: parts)
            for image in gone {
                standing.departures.insert(
                    image.id, image.anchor.map { .before($0) } ?? .end(source: source.ordinal))
            }
        }
    }

    private static func emptiness(of source: NamedSource) -> CatalogState.Problem {
        let reason =
            if case .folder = source.source {
                "holds no picture. Put some into it, or name another folder; in a container, check what is mounted."
            } else {
                "holds no usable URL."
            }
        return CatalogState.Problem(source: source.name, reason: reason)
    }

    private func settle(_ source: NamedSource, _ problem: CatalogState.Problem) {
        var problems = CatalogState.Problems()
        problems.add(problem)
        settle(source, problems)
    }

    /// Keeps what was wrong with a source; the log has it once, until it changes.
    private func settle(_ source: NamedSource, _ problems: CatalogState.Problems) {
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

    /// Begins a new index in the place of a damaged one: what was listed from it is gone until it is read again.
    @discardableResult private func replaceIndex(because error: any Error) -> Bool {
        do {
            try shelf.replaceDisk(because: error)
        } catch {
            logger.error("The damaged index cannot be replaced.", metadata: ["error": "\(error)"])
            return false
        }
        let disk = shelf.disk
        standing.withLock { standing in
            let parts = standing.snapshot.parts.enumerated().map { ordinal, part in
                guard case .listed = part else { return part }
                standing.isKnown[ordinal] = false
                return Snapshot.Part.listed(Listing(), disk)
            }
            standing.snapshot = Snapshot(revision: standing.snapshot.revision + 1, parts: parts)
        }
        return true
    }
}
