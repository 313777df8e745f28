import Dispatch
import Images
import Locking
public import Metrics
import Time

extension Catalog {
    /// Listings caused by hints take at most 1 / `share` of the time.
    private static let share = 4

    /// Looks up the objects that these hints name; the gallery is up to date within a second or two. Callable on any
    /// thread; returns at once.
    ///
    /// - Returns: The hints that may concern images of a source.
    @discardableResult
    public func enqueue(_ hints: [ObjectHint]) -> [ObjectHint] {
        let heeded = hints.filter { hint in
            let paths = sources.compactMap { source in source.kind.path(of: hint).map { (source.ordinal, $0) } }
            for (ordinal, path) in paths { self.hints.add(path, to: ordinal) }
            return !paths.isEmpty
        }
        guard !heeded.isEmpty else { return [] }
        self.hints.gather(on: watching) { [weak self] in
            guard let self else { return }
            refresh(self.hints.ordinals)
        }
        return heeded
    }

    /// What became of the events that object stores sent since the start.
    public var eventReadings: [MetricReading] { hints.figures.readings }

    /// Looks up the objects that hints have named, in a source whose listing is sorted by key. On the scanning queue.
    ///
    /// - Parameter lookUp: Looks up what exists at each of these paths.
    /// - Returns: Whether the source still has a problem that may pass; nil if everything must be scanned.
    func follow(
        _ named: HintQueue.Named, in source: NamedSource, of index: Index,
        lookUp: ([[UInt8]]) throws -> [FolderUpdate.Scope]
    ) throws -> Bool? {
        let before = mutableState.withLock { mutableState in
            (
                parts: mutableState.snapshot.parts, isKnown: mutableState.isKnown[source.ordinal],
                problems: mutableState.problemsWhenRead[source.ordinal],
                hasFailed: mutableState.failing.contains(source.ordinal)
            )
        }
        let record = records[source.ordinal]
        guard before.isKnown, case .listed(let listing, let its) = before.parts[source.ordinal] else {
            return readInTime(source, before.hasFailed)
        }
        guard its === index else {
            record.lookups.forget()
            return nil
        }
        // Beyond this number, a listing needs fewer round trips than the lookups.
        let maximumLookups = ObjectLookup.atATime * (listing.count / BucketAddress.keysInPage + 1)
        guard !named.isTooMany, named.paths.count <= maximumLookups else {
            return readInTime(source, before.hasFailed)
        }
        guard !named.paths.isEmpty else { return before.hasFailed }
        // Until the objects are looked up, even a listing equal to the previous one would bring changes.
        let digest = exchange(&record.digest, with: nil)
        if configuration.listings != nil { record.lookups.note(named.paths) }
        let scopes = try lookUp(Array(named.paths))
        hints.count { $0.lookups += scopes.count }
        guard !isEnding else { return before.hasFailed }
        let update: FolderUpdate
        do {
            update = try FolderUpdate(
                scopes, of: listing, in: index, order: .keys, identity: source.identity,
                others: before.parts.enumerated().filter { $0.offset != source.ordinal }.map(\.element),
                unreadable: UnreadablePaths())
        } catch is FolderUpdate.Unclear {
            return readInTime(source, before.hasFailed)
        }
        let (shown, hasChanges) = try publish(update, of: source, in: index, listing)
        var problems = CatalogState.Problems()
        if shown.listing.count == 0 { problems.add(source.emptyProblem) }
        mutableState.withLock { $0.problemsWhenRead[source.ordinal] = problems }
        // A successful lookup does not mean that the problem with listing the source is over.
        if !before.hasFailed { settle(source, problems) }
        if !hasChanges { record.digest = digest }
        if hasChanges || problems != before.problems {
            try keep(shown.listing, nil, problems, of: source, in: index, without: shown.dropped)
        }
        return before.hasFailed
    }

    /// Has the whole source scanned: now, or once enough time has passed since the last listing. A source that could
    /// not be read is retried anyway, and hints do not make that happen sooner.
    private func readInTime(_ source: NamedSource, _ hasFailed: Bool) -> Bool? {
        let record = records[source.ordinal]
        // The hinted objects are not looked up: a listing from now on covers them.
        record.lookups.forget()
        guard !hasFailed, !record.isOverrun else { return hasFailed }
        hints.count { $0.listings += 1 }
        let rest = record.durations[.everything].map { $0 * (Self.share - 1) } ?? .zero
        let due = rest - (record.lastFullScan.map { .now - $0 } ?? rest)
        guard due > .zero else { return nil }
        record.isOverrun = true
        let ordinal = source.ordinal
        watching.asyncAfter(deadline: .now() + due.dispatched) { [weak self] in
            self?.rescan([ordinal])
        }
        return hasFailed
    }
}
