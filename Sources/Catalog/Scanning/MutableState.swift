import Images

/// The state of the catalog at one moment; owned by `Catalog.mutableState` alone.
struct MutableState {
    var snapshot: Snapshot
    var tombstones = Tombstones()
    /// Whether a scan is running.
    var isScanning = false
    /// How long it took to scan the changed sources last time, one after another; nil before the first scan.
    var readingTime: Duration?
    /// The ordinals of the sources that the running scan has not finished.
    var unfinishedSources: Set<Int> = []
    /// Sources requested again during a scan.
    var nextSources: Set<Int> = []
    /// How much of each unread or requested source must be scanned, by ordinal.
    var extents: [Int: DirtySet.Extent] = [:]
    /// The earliest acceptable beginning of another node's bucket listing, by ordinal.
    var listedSince: [Int: ContinuousClock.Instant] = [:]
    /// Sources that could not be read correctly, for a reason that may pass.
    var failing: Set<Int> = []
    /// The number of consecutive scans that left sources in trouble, and the number of the retry that is scheduled.
    var failures = 0
    var retry: UInt64 = 0
    var repair = IndexRepair()
    /// The problems of each source, by its ordinal.
    var problems: [CatalogState.Problems]
    /// The problems of each source at its last complete scan.
    var problemsWhenRead: [CatalogState.Problems]
    /// How many files or objects of each source are not shown, as far as this run has found.
    var unshown: [UnshownCounts]
    /// Whether the source has ever been scanned completely, so that its listing is complete, though perhaps old.
    var isKnown: [Bool]
    /// The state of a list's file at its last complete scan.
    var stamps: [FileStamp?]
    /// Folders that have contained something since the program started.
    var filled: Set<Int> = []
    /// Whether a person has requested a rescan, and so accepts empty folders as empty.
    var isRescanRequested = false
    /// The roots of the folders among the sources.
    var roots: [FolderRoot?]
    var isClosed = false
    /// Callers that wait for the end of the scan.
    var waiters: [CheckedContinuation<Void, Never>] = []

    /// The state from the index, as the last run left it. Blocking.
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
        unshown = known.map { _ in UnshownCounts() }
        isKnown = known.map { $0 != nil }
        stamps = known.map { $0?.stamp }
        self.roots = roots
    }
}
