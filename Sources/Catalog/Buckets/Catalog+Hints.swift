import Dispatch
import Images
import Locking

extension Catalog {
    /// Listings that hints have caused take at most one of so many parts of the time.
    private static let share = 4

    /// Has the objects that these name be looked at soon; the gallery is as it should be within a second or two. Any thread;
    /// returns at once.
    ///
    /// - Returns: those at which there may be pictures of a source.
    @discardableResult
    public func heed(_ hints: [ObjectHint]) -> [ObjectHint] {
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

    /// What became of hints since the start: those noted, objects that were looked at, and listings made in their place.
    public var hintFigures: [String: Int] {
        let figures = hints.figures
        return ["noted": figures.noted, "looked": figures.looked, "listings": figures.listings]
    }

    /// Looks at what hints have named in a source whose images are in the order of their keys. Scanning queue.
    ///
    /// - Parameter look: tells what lies at paths, each by itself.
    /// - Returns: whether something could not be told that may be told later; nil when everything is to be read.
    func follow(
        _ named: HintBook.Named, in source: NamedSource, of index: Index,
        look: ([[UInt8]]) throws -> [FolderUpdate.Scope]
    ) throws -> Bool? {
        let before = standing.withLock { standing in
            (
                parts: standing.snapshot.parts, isKnown: standing.isKnown[source.ordinal],
                problems: standing.problemsWhenRead[source.ordinal],
                isTroubled: standing.troubled.contains(source.ordinal)
            )
        }
        let record = records[source.ordinal]
        guard before.isKnown, case .listed(let listing, let its) = before.parts[source.ordinal] else {
            return readInTime(source, before.isTroubled)
        }
        guard its === index else {
            record.looks.forget()
            return nil
        }
        // With more than this a listing is done with fewer answers one after the other.
        let most = KeyLook.atATime * (listing.count / BucketAddress.keysInPage + 1)
        guard !named.isTooMany, named.paths.count <= most else {
            return readInTime(source, before.isTroubled)
        }
        guard !named.paths.isEmpty else { return before.isTroubled }
        // Until it is known what lies there, a listing that says the same as the one before tells something new.
        let digest = exchange(&record.digest, with: nil)
        if configuration.listings != nil { record.looks.note(named.paths) }
        let scopes = try look(Array(named.paths))
        hints.count { $0.looked += scopes.count }
        guard !isEnding else { return before.isTroubled }
        let update: FolderUpdate
        do {
            update = try FolderUpdate(
                scopes, of: listing, in: index, order: .keys, identity: source.identity,
                others: before.parts.enumerated().filter { $0.offset != source.ordinal }.map(\.element),
                untold: UntoldPaths())
        } catch is FolderUpdate.Unclear {
            return readInTime(source, before.isTroubled)
        }
        let (shown, isNews) = try show(update, of: source, in: index, listing)
        var problems = CatalogState.Problems()
        if shown.listing.count == 0 { problems.add(source.emptiness) }
        standing.withLock { $0.problemsWhenRead[source.ordinal] = problems }
        // What keeps the source from being listed is not over because an object could be looked at.
        if !before.isTroubled { settle(source, problems) }
        if !isNews { record.digest = digest }
        if isNews || problems != before.problems {
            try keep(shown.listing, nil, problems, of: source, in: index, without: shown.dropped)
        }
        return before.isTroubled
    }

    /// Has everything in a source be read: now, or when it has been left alone for long enough. One that could not be read is
    /// read again anyhow, and hints make that no sooner.
    private func readInTime(_ source: NamedSource, _ isTroubled: Bool) -> Bool? {
        let record = records[source.ordinal]
        // They are not looked at: what is listed from now on tells of them.
        record.looks.forget()
        guard !isTroubled, !record.isOverrun else { return isTroubled }
        hints.count { $0.listings += 1 }
        let rest = record.durations[.everything].map { $0 * (Self.share - 1) } ?? .zero
        let due = rest - (record.lookedAt.map { .now - $0 } ?? rest)
        guard due > .zero else { return nil }
        record.isOverrun = true
        let ordinal = source.ordinal
        watching.asyncAfter(deadline: .now() + due.dispatched) { [weak self] in
            self?.rescan([ordinal])
        }
        return isTroubled
    }
}
