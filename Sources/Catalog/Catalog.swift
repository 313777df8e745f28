import Dispatch
import GRDB
import Images
import Locking
public import Logging
import Synchronization

/// The gallery's images in their order, from one source or several: what there is, where it is kept, and what has been
/// learnt of it.
public final class Catalog: Sendable {
    let configuration: Configuration
    let sources: [NamedSource]
    let logger: Logger
    let shelf: IndexShelf
    let facts: FactsBuffer
    let recent = RecentImages()
    let orders = OrderBook()
    let findings = Guarded(FindingsBook())
    /// Whether what orders are made of will be kept soon.
    let isKeeping = Atomic(false)
    /// Where orders are made, one after the other.
    let ordersDesk = Desk(label: "tessera.catalog.orders", bound: 64)
    /// Those who are told of each revision.
    let watchers = Guarded<[@Sendable () -> Void]>([])
    let counts = Guarded(ExaminationCounts())
    /// What is true now. Held only for copies, never while disk is waited for.
    let standing: Guarded<Standing>
    /// Reads the sources, one after the other; the only place that changes the order.
    let scanning = DispatchQueue(label: "tessera.catalog.scan")
    /// Where an index that cannot be read is asked whether it can be again.
    let probing = DispatchQueue(label: "tessera.catalog.probe")
    /// Where pages are put together: off the loops of those who ask.
    let desk = Desk(label: "tessera.catalog.read", bound: 128)
    /// The same for those who look at the gallery: what is read for programs does not stand in line before them. Each of
    /// them has one reading at a time, which is bound enough.
    let viewersDesk = Desk(label: "tessera.catalog.view")
    /// Where a picture or a few are looked up, whoever asks: that is done at once, and waits for no page.
    let findingDesk = Desk(label: "tessera.catalog.find")
    /// Where it is heard what happens in the sources.
    let watching = DispatchQueue(label: "tessera.catalog.watch")
    /// What stores have told of and nobody has looked at yet.
    let hints = HintBook()
    /// What is remembered of each source, by its ordinal.
    let records: [SourceRecord]
    /// Ends a scan that is under way.
    let isStopped = Atomic(false)

    /// Opens the index in the data folder, checks that the sources can be read, and begins to read them. Returns as soon
    /// as browsing can start: what is known from the last time is there at once, the rest comes while it is read.
    ///
    /// - Throws: `CatalogError`, of a kind that the person at the command line can act on.
    public static func open(
        _ configuration: Configuration, sources: [Source], logger: Logger
    ) async throws -> Catalog {
        try configuration.validate()
        let queue = DispatchQueue(label: "tessera.catalog.open")
        // Handed over by a lock: of a continuation that is resumed before it is awaited, the thread sanitizer does not see
        // that one thread has what another made.
        let made = Guarded<Result<Catalog, any Error>?>(nil)
        await withCheckedContinuation { opened in
            queue.async {
                let result = Result { try Catalog(configuration, sources: sources, logger: logger) }
                made.withLock { $0 = result }
                opened.resume()
            }
        }
        guard let catalog = try made.withLock(\.self)?.get() else { throw CatalogError.closed }
        catalog.rescan(Set(catalog.readable), listedWithin: catalog.configuration.listingAge)
        return catalog
    }

    /// Blocking.
    private init(_ configuration: Configuration, sources: [Source], logger: Logger) throws {
        let named = NamedSource.named(sources)
        let roots = try named.map { try $0.kind.open(configuration) }
        let shelf = try IndexShelf(configuration, logger: logger)
        var standing: Standing
        var wrecks = [shelf.firstWreck].compactMap(\.self)
        do {
            standing = try Standing(named, roots: roots, index: shelf.disk)
        } catch let error as DatabaseError where error.isDamage {
            wrecks.append(shelf.disk)
            try shelf.replaceDisk(because: error)
            standing = try Standing(named, roots: roots, index: shelf.disk)
        } catch let error as DatabaseError {
            throw CatalogError.dataFolderUnusable(path: configuration.dataFolder, reason: error.reason)
        }
        standing.healing.wrecks = wrecks
        self.configuration = configuration
        self.sources = named
        records = named.map { _ in SourceRecord(configuration) }
        self.logger = logger
        self.shelf = shelf
        self.standing = Guarded(standing)
        facts = FactsBuffer(
            delay: configuration.learningDelay, batch: configuration.learningBatch, logger: logger
        ) { learnt in
            try shelf.write(learnt)
            configuration.sharing?.learned()
        }
        shelf.onDamage { [weak self] index, error in self?.repair(index, because: error) }
        shelf.onLearning { [weak self] ids, index in self?.rows(of: ids, in: index) ?? [] }
    }

    /// Whether what is under way is to end.
    var isEnding: Bool { isStopped.load(ordering: .relaxed) }

    /// The revision and how many images it has: what is asked for often, and so copied from nowhere. Any thread, never
    /// waits.
    public var count: (revision: UInt64, total: Int) {
        standing.withLock { ($0.snapshot.revision, $0.snapshot.total) }
    }

    /// Whether what is asked of the index may have to be refused for a while: it is damaged and being built again, or it
    /// could not be read when it was asked last. Any thread, never waits.
    public var isHealing: Bool {
        shelf.disk.isDamaged.load(ordering: .relaxed)
            || standing.withLock { standing in
                standing.healing.isDue || standing.healing.isUnreadable
                    || standing.snapshot.parts.contains { $0.listed?.index.isDamaged.load(ordering: .relaxed) == true }
            }
    }

    /// The present state; any thread, never waits.
    public var state: CatalogState {
        var indexProblems = shelf.problems
        if facts.isFailing {
            indexProblems.add(.init(reason: Self.unwritten))
        }
        let isHealing = isHealing
        return standing.withLock { standing in
            let sources = zip(sources, standing.snapshot.parts).enumerated().map { ordinal, source in
                CatalogState.SourceState(
                    name: source.0.name, total: source.1.count, isScanning: standing.unread.contains(ordinal))
            }
            return CatalogState(
                revision: standing.snapshot.revision, total: standing.snapshot.total,
                isScanning: standing.isScanning, readingTime: standing.readingTime, isHealing: isHealing,
                problems: .init([indexProblems] + standing.problems),
                sources: sources)
        }
    }

    private static let unwritten =
        "What is learnt of pictures cannot be written; it is kept in memory, as far as there is room. Make room in the"
        + " data folder."

    /// Keeps what was learnt of an image by looking into it. Any thread, returns at once; written in batches, and seen
    /// by readers from now on.
    ///
    /// - Parameter version: the content that was looked into. A file's facts are shown only while this is its present
    ///   content, so they need it. For a remote image it becomes the version that the catalog believes current; nil
    ///   adds to what is known of that one.
    public func learned(_ facts: ImageFacts, version: ContentVersion?, of id: ImageID) {
        self.facts.add(Learnt(facts: facts.bounded, version: version), of: id)
        // In this order: whoever has read what was known before does not keep it.
        recent.forget(id)
    }

    /// Opens a file of a folder source for reading. Blocking; call it where files are read.
    ///
    /// The path is resolved beneath the folder's root only: no `..`, no symbolic link that leaves it, nothing but a
    /// regular file.
    ///
    /// - Parameters:
    ///   - folder: the ordinal in `ImageLocation.file`.
    ///   - path: the path in `ImageLocation.file`.
    /// - Throws: `CatalogError.fileUnavailable`.
    public func openFile(folder: Int, path: String) throws(CatalogError) -> OpenFile {
        let root = standing.withLock { $0.roots.indices.contains(folder) ? $0.roots[folder] : nil }
        guard let root else { throw .fileUnavailable(.gone, reason: "no such folder") }
        do throws(FolderRoot.Failure) {
            return try root.openFile(FilePath.bytes(of: path))
        } catch {
            throw .fileUnavailable(.init(error), reason: error.reason)
        }
    }

    /// Stops reading, writes what was learnt, and lets the data folder go. Idempotent; pages asked for later throw
    /// `.closed`. A disk that hangs while it is read is not waited for: the data folder is let go when it answers, or
    /// when the process ends; it is whole at any time.
    public func close() async {
        isStopped.store(true, ordering: .relaxed)
        let isFirst = standing.withLock { standing in
            defer { standing.isClosed = true }
            return !standing.isClosed
        }
        probing.asyncAfter(deadline: .now() + configuration.closingPatience.dispatched) { [weak self] in
            guard let self else { return }
            for waiter in standing.withLock({ exchange(&$0.waiters, with: []) }) { waiter.resume() }
        }
        await scanCompleted()
        guard isFirst else { return }
        await facts.drain()
        if standing.withLock(\.isScanning) {
            logger.warning("A disk does not answer; its reading is left behind.")
            return scanning.async { self.end() }
        }
        await withCheckedContinuation { done in
            scanning.async {
                self.end()
                done.resume()
            }
        }
    }

    /// Lets go of what is open. Scanning queue.
    private func end() {
        endWatches()
        shelf.close()
    }
}
