import Images

/// What is true of the catalog at one moment; one owner, `Catalog.standing`.
struct Standing {
    /// Whether sources are being read.
    enum Phase {
        case idle
        case scanning
        /// A scan is under way, and another one was asked for meanwhile.
        case scanningAgain
    }

    var snapshot: Snapshot
    var departures = Departures()
    var phase = Phase.idle
    /// Ordinals of the sources that the scan under way has not read to their end.
    var unread: Set<Int> = []
    /// Of each source, by its ordinal.
    var problems: [CatalogState.Problems]
    /// Whether the source was read to its end once, so that what is shown of it is whole, if perhaps old.
    var isKnown: [Bool]
    /// A list's file as it was when it was read to its end.
    var stamps: [FileStamp?]
    /// The roots of the folders among the sources.
    var roots: [FolderRoot?]
    var isClosed = false
    /// Those who wait for the scan's end.
    var waiters: [CheckedContinuation<Void, Never>] = []

    /// What the index knows from the last time. Blocking.
    init(_ sources: [NamedSource], roots: [FolderRoot?], index: Index) throws {
        try index.clearUnsettled()
        let known = try sources.map { try $0.isTemplate ? nil : index.source($0.key) }
        snapshot = Snapshot(
            revision: try index.counters().revision + 1,
            parts: zip(sources, known).map { source, known in
                source.series.map(Snapshot.Part.computed) ?? .listed(known?.listing ?? Listing(), index)
            })
        problems = known.map { $0?.problems ?? .init() }
        isKnown = known.map { $0 != nil }
        stamps = known.map { $0?.stamp }
        self.roots = roots
    }
}
