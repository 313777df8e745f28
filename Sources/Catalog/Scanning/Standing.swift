import Images

/// What is true of the catalog at one moment; one owner, `Catalog.standing`.
struct Standing {
    var snapshot: Snapshot
    var departures = Departures()
    /// Whether sources are being read.
    var isScanning = false
    /// How long the sources that changed were read last, one after the other; nil before they were.
    var readingTime: Duration?
    /// Ordinals of the sources that the scan under way has not read to their end.
    var unread: Set<Int> = []
    /// Those that were asked for again while a scan was under way.
    var again: Set<Int> = []
    /// Of those of either that are to be looked at from beginning to end, how closely.
    var extents: [Int: Dirt.Extent] = [:]
    /// And since when what another node lists of them must have been begun.
    var listedSince: [Int: ContinuousClock.Instant] = [:]
    /// Sources that could not be read as they should, for a reason that may pass.
    var troubled: Set<Int> = []
    /// How often in a row sources were left in trouble, and the try that is to come.
    var troubles = 0
    var retry: UInt64 = 0
    var healing = Healing()
    /// Of each source, by its ordinal.
    var problems: [CatalogState.Problems]
    /// What was wrong with each when it was read to its end last.
    var problemsWhenRead: [CatalogState.Problems]
    /// Whether the source was read to its end once, so that what is shown of it is whole, if perhaps old.
    var isKnown: [Bool]
    /// A list's file as it was when it was read to its end.
    var stamps: [FileStamp?]
    /// Folders in which something was found since the program began.
    var filled: Set<Int> = []
    /// Whether a person has had everything read again, and so knows that what is empty now is meant to be.
    var isAskedFor = false
    /// The roots of the folders among the sources.
    var roots: [FolderRoot?]
    var isClosed = false
    /// Those who wait for the scan's end.
    var waiters: [CheckedContinuation<Void, Never>] = []

    /// What the index knows from the last time. Blocking.
    init(_ sources: [NamedSource], roots: [FolderRoot?], index: Index) throws {
        try index.clearUnsettled()
        let known = try sources.map { try $0.series == nil ? index.source($0.key) : nil }
        snapshot = Snapshot(
            revision: try index.counters().revision + 1,
            parts: zip(sources, known).map { source, known in
                source.series.map(Snapshot.Part.computed) ?? .listed(known?.listing ?? Listing(), index)
            })
        problems = known.map { $0?.problems ?? .init() }
        problemsWhenRead = problems
        isKnown = known.map { $0 != nil }
        stamps = known.map { $0?.stamp }
        self.roots = roots
    }
}
