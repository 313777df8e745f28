import CLinux
import Dispatch
import GRDB
import Glibc
import Images
import Locking
public import Logging
import Synchronization
import Time

/// The gallery's images in order, from one or several sources: which images there are, where their originals are, and
/// their metadata.
public final class Catalog: Sendable {
    let configuration: Configuration
    let sources: [NamedSource]
    let logger: Logger
    let indexStore: IndexStore
    let metadata: MetadataBuffer
    let recent = RecentImages()
    let renamed = RenamedImages()
    let orders = OrderCache(capacity: 8)
    /// What shares show, apart from the views that visitors choose: each request for a picture of a share needs it.
    let scopeOrders = OrderCache(capacity: 32)
    let surveys = Guarded(SurveyCache())
    /// Whether saving the columns is already scheduled.
    let isKeeping = Atomic(false)
    /// See `defaultView`.
    let opensNewestFirst = Atomic(false)
    /// Builds orders, one after another.
    let orderQueue = ReadQueue(label: "tessera.catalog.orders", bound: 64)
    /// Called after each new revision.
    let watchers = Guarded<[@Sendable () -> Void]>([])
    /// Called with the images that a new revision no longer has.
    let departureWatchers = Guarded<[@Sendable ([ImageID]) -> Void]>([])
    let counts = Guarded(IndexingCounts())
    /// The current state. The lock is held only to copy, never while waiting for the disk.
    let mutableState: Guarded<MutableState>
    /// Scans the sources, one after another. Only this queue changes the order.
    let scanning = DispatchQueue(label: "tessera.catalog.scan")
    /// Checks whether an unreadable index has become readable again.
    let probing = DispatchQueue(label: "tessera.catalog.probe")
    /// Builds pages, off the callers' event loops.
    let readQueue = ReadQueue(label: "tessera.catalog.read", bound: 128)
    /// Builds pages for the browser, so that people do not queue behind programs. Needs no bound: each session has one
    /// read at a time.
    let viewerQueue = ReadQueue(label: "tessera.catalog.view")
    /// Looks up single images, for people and programs alike: a fast read, which must not queue behind pages.
    let lookupQueue = ReadQueue(label: "tessera.catalog.find")
    /// Receives change events of the sources.
    let watching = DispatchQueue(label: "tessera.catalog.watch")
    /// Hints of object stores that nobody has followed up yet.
    let hints = HintQueue()
    /// State of each source, by its ordinal.
    let records: [SourceRecord]
    /// Stops a running scan.
    let isStopped = Atomic(false)

    /// Opens the index in the data folder, checks that the sources are readable, and starts to scan them. Returns as
    /// soon as browsing can start: images known from the last run are available at once, others appear during the scan.
    ///
    /// - Throws: `CatalogError`, of a kind that the operator can act on.
    public static func open(
        _ configuration: Configuration, sources: [Source], logger: Logger
    ) async throws -> Catalog {
        try configuration.validate()
        let queue = DispatchQueue(label: "tessera.catalog.open")
        // Handed over by a lock: the thread sanitizer does not see the happens-before edge of a continuation that is
        // resumed before it is awaited.
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
        let indexStore = try IndexStore(configuration, logger: logger)
        var mutableState: MutableState
        var damagedIndexes = [indexStore.firstDamaged].compactMap(\.self)
        do {
            mutableState = try MutableState(named, roots: roots, index: indexStore.disk)
        } catch let error as DatabaseError where error.isDamage {
            damagedIndexes.append(indexStore.disk)
            try indexStore.replaceDisk(because: error)
            mutableState = try MutableState(named, roots: roots, index: indexStore.disk)
        } catch let error as DatabaseError {
            throw CatalogError.dataFolderUnusable(path: configuration.dataFolder, reason: error.reason)
        }
        mutableState.repair.damagedIndexes = damagedIndexes
        self.configuration = configuration
        self.sources = named
        records = named.map { _ in SourceRecord(configuration) }
        self.logger = logger
        self.indexStore = indexStore
        self.mutableState = Guarded(mutableState)
        metadata = MetadataBuffer(
            delay: configuration.learningDelay, batch: configuration.learningBatch, logger: logger
        ) { learned in
            try indexStore.write(learned)
            configuration.sharing?.learned()
        }
        indexStore.onDamage { [weak self] index, error in self?.repair(index, because: error) }
        indexStore.onLearning { [weak self] ids, index in self?.rows(of: ids, in: index) ?? [] }
    }

    /// Whether running work is to stop.
    var isEnding: Bool { isStopped.load(ordering: .relaxed) }

    /// The revision and its number of images, without a copy of the whole state, because many requests need it.
    /// Callable on any thread; never waits.
    public var count: (revision: UInt64, total: Int) {
        mutableState.withLock { ($0.snapshot.revision, $0.snapshot.total) }
    }

    /// Whether reads of the index may fail for a while: it is damaged and being rebuilt, or the last read failed.
    /// Callable on any thread; never waits.
    public var isRepairing: Bool {
        indexStore.disk.isDamaged.load(ordering: .relaxed)
            || mutableState.withLock { mutableState in
                mutableState.repair.isDue || mutableState.repair.isUnreadable
                    || mutableState.snapshot.parts.contains {
                        $0.listed?.index.isDamaged.load(ordering: .relaxed) == true
                    }
            }
    }

    /// The current state. Callable on any thread; never waits.
    public var state: CatalogState {
        var indexProblems = indexStore.problems
        if metadata.isFailing {
            indexProblems.add(.init(reason: Self.unwritten))
        }
        let isRepairing = isRepairing
        return mutableState.withLock { mutableState in
            let sources = zip(sources, mutableState.snapshot.parts).enumerated().map { ordinal, source in
                CatalogState.SourceState(
                    name: source.0.name, total: source.1.count,
                    isScanning: mutableState.unfinishedSources.contains(ordinal))
            }
            return CatalogState(
                revision: mutableState.snapshot.revision, total: mutableState.snapshot.total,
                isScanning: mutableState.isScanning, readingTime: mutableState.readingTime, isRepairing: isRepairing,
                problems: .init([indexProblems] + mutableState.problems),
                unshown: mutableState.unshown.reduce(into: UnshownCounts()) { $0.add($1) }, sources: sources)
        }
    }

    private static let unwritten =
        "Image metadata cannot be written; it is kept in memory while there is room. Free space in the"
        + " data folder."

    /// Stores metadata read from an image. Callable on any thread; returns at once. Readers see it immediately; it is
    /// written to the index in batches.
    ///
    /// - Parameter version: The content version that the metadata was read from. The metadata of a file is used only
    ///   while this is the file's current version, so it is required for files. For a remote image it becomes the
    ///   version that the catalog takes as current; nil adds to the metadata of that version.
    public func learned(_ metadata: ImageMetadata, version: ContentVersion?, of id: ImageID) {
        self.metadata.add(LearnedMetadata(metadata: metadata.bounded, version: version), of: id)
        // In this order, so that a reader that has read the old metadata does not cache it again.
        recent.forget(id)
    }

    /// Opens a file of a folder source for reading. Blocking; call it on a thread for file reads.
    ///
    /// The path is resolved strictly beneath the folder's root, or through links beneath the root of another source: no
    /// `..`, no symbolic link that leaves these roots, and only a regular file.
    ///
    /// - Parameters:
    ///   - folder: The ordinal in `ImageLocation.file`.
    ///   - path: The path in `ImageLocation.file`.
    /// - Throws: `CatalogError.fileUnavailable`.
    public func openFile(folder: Int, path: String) throws(CatalogError) -> OpenFile {
        let roots = mutableState.withLock(\.roots)
        guard roots.indices.contains(folder) else { throw .fileUnavailable(.gone, reason: "no such folder") }
        do throws(FolderRoot.Failure) {
            // Without a root, the folder's disk did not answer at startup.
            guard let root = roots[folder] else { throw .hangs }
            return try ServedFolders(root: root, among: roots).openFile(FilePath.bytes(of: path))
        } catch {
            throw .fileUnavailable(.init(error), reason: error.reason)
        }
    }

    /// Opens a picture's sidecar for reading, in the same way. Blocking.
    ///
    /// - Throws: `CatalogError.fileUnavailable`, also if there is none.
    public func openSidecar(_ format: SidecarFormat, of file: UnindexedFile) throws(CatalogError) -> OpenFile {
        let (folder, name) = FilePath.split(FilePath.bytes(of: file.path))
        let path = try SidecarName.first(format, of: name) { name throws(CatalogError) -> String? in
            let path = FilePath.join(folder, name)
            return try hasFile(path, in: file.folder) ? FilePath.text(of: path) : nil
        }
        guard let path else { throw .fileUnavailable(.gone, reason: "no such sidecar") }
        return try openFile(folder: file.folder, path: path)
    }

    private func hasFile(_ path: [UInt8], in folder: Int) throws(CatalogError) -> Bool {
        let roots = mutableState.withLock(\.roots)
        guard roots.indices.contains(folder) else { return false }
        do throws(FolderRoot.Failure) {
            guard let root = roots[folder] else { throw .hangs }
            return try ServedFolders(root: root, among: roots).status(path).st_mode & S_IFMT == S_IFREG
        } catch {
            guard error.isAbsence else { throw .fileUnavailable(.init(error), reason: error.reason) }
            return false
        }
    }

    /// Stops scanning, writes pending metadata, and releases the data folder. Idempotent; later reads throw `.closed`.
    /// Does not wait for a disk that hangs during a read: the data folder is then released when the read returns or the
    /// process ends. Its contents are consistent at any time.
    public func close() async {
        isStopped.store(true, ordering: .relaxed)
        let isFirst = mutableState.withLock { mutableState in
            defer { mutableState.isClosed = true }
            return !mutableState.isClosed
        }
        probing.asyncAfter(deadline: .now() + configuration.closingTimeout.dispatched) { [weak self] in
            guard let self else { return }
            for waiter in mutableState.withLock({ exchange(&$0.waiters, with: []) }) { waiter.resume() }
        }
        await scanCompleted()
        guard isFirst else { return }
        await metadata.drain()
        if mutableState.withLock(\.isScanning) {
            logger.warning("A disk does not respond; its scan is abandoned.")
            return scanning.async { self.end() }
        }
        await withCheckedContinuation { done in
            scanning.async {
                self.end()
                done.resume()
            }
        }
    }

    /// Closes everything that is open. On the scanning queue.
    private func end() {
        endWatches()
        // Loads that end late may add metadata until now: everything that writes to the index ends before the index
        // closes.
        metadata.close()
        probing.sync {}
        indexStore.close()
    }
}
