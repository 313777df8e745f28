import BlockingIO
import Catalog
import Images
import Loading
import Logging
import Renditions
import Scheduling
import Synchronization
import Time

/// Reads the metadata of every local file with the render workers, in the background, so that it is known before a user
/// gets to the image. Each content of a file is indexed once.
actor MetadataIndexer {
    /// The most files that are open at a time, waiting for a worker or in one.
    static let filesAtOnce = 64
    /// After this many temporary failures the whole indexer waits for the next retry.
    private static let maximumPostponed = 1_000
    private static let reportInterval = Duration.seconds(30)
    /// Below all requests, and above the prefilling of tiles.
    private static let priority = Priority(level: .background, viewport: 1, distance: 0)

    let catalog: Catalog
    private let renderer: any Rendering
    /// The other nodes, so that no file is indexed twice; nil on a single node.
    private let sharing: (any MetadataSharing)?
    private let logger: Logger
    nonisolated let runner: BackgroundRunner<IndexingProgress>
    private let isStopped = Atomic(false)

    private var position: IndexingPosition?
    /// The catalog's counts from when `ready` was last filled: the files it returned then are not done yet.
    private var counts = (given: 0, total: 0)
    /// Files that this node will index and has not begun.
    private var ready: ArraySlice<UnindexedFile> = []
    /// The number of files that are open or being opened.
    private var inFlight = 0
    /// Where the result of each render job is delivered, by the first file of the job.
    private var continuations: [UnindexedFile: AsyncStream<Result<RenderResult, RenderError>>.Continuation] = [:]
    private var postponed: [UnindexedFile] = []
    private var filesIndexedElsewhere = FilesIndexedElsewhere()
    private var nextClaimTime = ContinuousClock.now
    /// No worker is available, or too many files failed.
    var isBlocked = false
    private var isSettled = false
    /// Counts since the end of indexing was last logged.
    private var indexed = (all: 0, broken: 0)
    private var hasLoggedEnd = false

    /// An open file, and its content version.
    private struct Opened: Sendable {
        let file: UnindexedFile
        let version: ContentVersion
        let descriptor: OwnedDescriptor
    }

    init(
        catalog: Catalog, renderer: any Rendering, sharing: (any MetadataSharing)? = nil,
        pace: BackgroundPace = BackgroundPace(), logger: Logger
    ) {
        self.catalog = catalog
        self.renderer = renderer
        self.sharing = sharing
        self.logger = logger
        runner = BackgroundRunner(catalog: catalog, pace: pace, progress: IndexingProgress())
    }

    nonisolated var progress: IndexingProgress { runner.progress }

    /// Starts in the background. Returns at once.
    nonisolated func start() {
        runner.start { [weak self] isRetry in try await self?.pass(isRetry) ?? .complete }
    }

    /// Begins nothing more, records nothing more, and cancels what is in progress.
    func stop() {
        isStopped.store(true, ordering: .relaxed)
        runner.stop()
    }

    // MARK: - A pass

    private func pass(_ isRetry: Bool) async throws -> BackgroundRunner<IndexingProgress>.Outcome {
        if isRetry {
            catalog.reopen(postponed)
            counts.given -= postponed.count
            (postponed, position, isSettled) = ([], nil, false)
        }
        isBlocked = false
        try await withThrowingTaskGroup(of: Void.self) { group in
            while true {
                // Wait for room for a whole job: otherwise each file that ends would lead to a job of a single file.
                while !isBlocked, inFlight <= Self.filesAtOnce - RenderJob.maximumFilesPerJob {
                    let files = try await next()
                    guard !files.isEmpty else { break }
                    inFlight += files.count
                    for batch in Self.batches(files) {
                        group.addTask {
                            await self.index(batch)
                            await self.jobEnded(batch)
                        }
                    }
                }
                publish()
                if inFlight > 0 {
                    _ = try await group.next()
                } else if filesIndexedElsewhere.isEmpty || isBlocked {
                    break
                } else {
                    try await Task.sleep(until: nextClaimTime)
                }
            }
        }
        if isBlocked { return .blocked }
        await recordCompletion()
        reportEnd()
        return postponed.isEmpty ? .complete : .incomplete
    }

    /// The files to begin now, as many as there is room for; empty if there are no more.
    private func next() async throws -> [UnindexedFile] {
        try await runner.awaitScan()
        if !filesIndexedElsewhere.isEmpty, .now >= nextClaimTime {
            nextClaimTime = .now + runner.pace.claimPoll
            let unindexed = await runner.read { [catalog, files = filesIndexedElsewhere.files] in
                catalog.unindexed(of: files)
            }
            let (open, overdue) = filesIndexedElsewhere.take(unindexed, now: .now)
            ready += overdue
            ready += await claim(open)
        }
        while ready.isEmpty, !filesIndexedElsewhere.isFull {
            let (found, here, counts) = try await runner.read { [catalog, position, skipped = runner.skippedFolders] in
                Result { () throws(CatalogError) in
                    var position = position
                    let found = try catalog.unindexed(after: &position, limit: Self.filesAtOnce, skipping: skipped)
                    return (found, position, catalog.indexing)
                }
            }.get()
            position = here
            ready += await claim(found)
            self.counts = counts
            guard !found.isEmpty else { break }
            isSettled = false
        }
        try Task.checkCancellation()
        let files = ready.prefix(Self.filesAtOnce - inFlight)
        ready = ready.dropFirst(files.count)
        return Array(files)
    }

    /// - Returns: The files that this node may index.
    private func claim(_ files: [UnindexedFile]) async -> [UnindexedFile] {
        guard let sharing, !files.isEmpty else { return files }
        let (grants, grant) = AsyncStream.makeStream(of: Set<ImageContent>.self)
        sharing.claim(files.map(\.content)) { grant.yield($0) }
        let own = await grants.first { _ in true } ?? []
        let (mine, others) = (files.filter { own.contains($0.content) }, files.filter { !own.contains($0.content) })
        filesIndexedElsewhere.remove(mine)
        filesIndexedElsewhere.add(others, at: .now)
        return mine
    }

    private static func batches(_ files: [UnindexedFile]) -> [[UnindexedFile]] {
        Dictionary(grouping: files, by: \.folder).values.flatMap { files in
            stride(from: 0, to: files.count, by: RenderJob.maximumFilesPerJob).map { start in
                Array(files[start..<min(start + RenderJob.maximumFilesPerJob, files.count)])
            }
        }
    }

    /// Records in the index that all files are indexed, for the next start.
    private func recordCompletion() async {
        guard let position, !isSettled, runner.skippedFolders.isEmpty else { return }
        isSettled = true
        if await runner.read({ [catalog, postponed] in catalog.settleIndexing(position, left: postponed) }) {
            // A source is being scanned: try again after that.
            isSettled = false
            runner.wake(after: runner.pace.scanPoll * 10)
        } else {
            await catalog.prepareOrders()
        }
    }

    // MARK: - Jobs

    /// Indexes files of one folder.
    private func index(_ files: [UnindexedFile]) async {
        guard let folder = files.first?.folder else { return }
        guard !runner.skippedFolders.contains(folder) else { return postpone(files) }
        let sidecars = await readSidecars(of: files)
        let described = files.filter { sidecars[$0] != nil }
        guard !described.isEmpty else { return }
        let results: [Opened?]
        do throws(BlockingPool.Failure) {
            results = try await runner.pool.value(in: folder) { [catalog] in
                described.map { Self.open($0, of: catalog) }
            }.get()
        } catch {
            if error == .hangs { skip(folder) }
            return postpone(described)
        }
        let opened = results.compactMap(\.self)
        postpone(zip(described, results).filter { $1 == nil }.map(\.0))
        guard let first = opened.first, !isStopped.load(ordering: .relaxed) else { return }
        let job =
            opened.count == 1
            ? RenderJob(.readMetadata, of: first.descriptor.number, in: folder)
            : RenderJob(readingMetadataOf: opened.map(\.descriptor.number), in: folder)
        switch await render(job, of: first.file, holding: opened.map(\.descriptor)) {
        case nil: postpone(opened.map(\.file))
        case .success(let answer)? where opened.count == 1: record(first, .success(answer), sidecars)
        case .success(let answer)? where answer.fileResults.count == opened.count:
            for (file, result) in zip(opened, answer.fileResults) {
                switch result {
                case .metadata(let metadata, let source):
                    record(file, .success(RenderResult(metadata: metadata, source: source)), sidecars)
                case .failed(let error): record(file, .failure(error), sidecars)
                case .skipped: await self.index([file.file])
                }
            }
        case .failure(let error)? where error.reason == .unavailable:
            isBlocked = true
            postpone(opened.map(\.file))
        case .failure(let error)? where error.reason == .sourceHangs:
            skip(folder)
            postpone(opened.map(\.file))
        case .failure(let error)? where opened.count == 1: record(first, .failure(error), sidecars)
        // One of the files is to blame: index each by itself to find it.
        case .success?, .failure?: for file in opened { await index([file.file]) }
        }
    }

    private static func open(_ file: UnindexedFile, of catalog: Catalog) -> Opened? {
        do throws(CatalogError) {
            let open = try catalog.openFile(folder: file.folder, path: file.path)
            let version = open.version
            return Opened(file: file, version: version, descriptor: OwnedDescriptor(open.release()))
        } catch {
            return nil
        }
    }

    /// - Parameters:
    ///   - file: The first file that the job is for.
    ///   - descriptors: Stay open until the job is over.
    /// - Returns: Nil if the job was given up.
    func render(
        _ job: RenderJob, of file: UnindexedFile, holding descriptors: [OwnedDescriptor]
    ) async -> Result<RenderResult, RenderError>? {
        let (answers, answer) = AsyncStream.makeStream(of: Result<RenderResult, RenderError>.self)
        let handle = renderer.render(job, priority: Self.priority) { result in
            _ = withExtendedLifetime(descriptors) { answer.yield(result) }
        }
        continuations[file] = answer
        defer { continuations[file] = nil }
        let first = await answers.first { _ in true }
        if first == nil { handle.cancel() }
        return first
    }

    /// Skips a folder whose disk does not respond, and gives up the jobs that wait for it.
    func skip(_ folder: Int) {
        runner.skip(folder)
        for (file, continuation) in continuations where file.folder == folder { continuation.finish() }
    }

    private func record(
        _ opened: Opened, _ result: Result<RenderResult, RenderError>, _ sidecars: [UnindexedFile: SidecarMetadata]
    ) {
        guard !isStopped.load(ordering: .relaxed) else { return }
        let (file, version) = (opened.file, opened.version)
        switch result {
        case .success(let answer):
            // Metadata read while the file changed is not reliable.
            guard answer.source.version == version else { return postpone([file]) }
            var metadata = answer.metadata.completed(by: sidecars[file] ?? [:])
            // The version from before the sidecars were read: if they have changed since, they are read again.
            metadata.sidecars = file.sidecars
            catalog.learned(metadata, version: version, of: file.image)
            indexed.all += 1
        case .failure(let error) where error.isPermanent:
            if let source = error.source, source.version != version { return postpone([file]) }
            var metadata = ImageMetadata()
            metadata.isBroken = true
            metadata.readerVersion = ImageMetadata.currentReader
            metadata.sidecars = file.sidecars
            catalog.learned(metadata, version: version, of: file.image)
            indexed.all += 1
            indexed.broken += 1
        case .failure: postpone([file])
        }
    }

    func postpone(_ files: [UnindexedFile]) {
        guard !files.isEmpty else { return }
        postponed += files
        sharing?.release(files.map(\.content))
        if postponed.count >= Self.maximumPostponed { isBlocked = true }
    }

    private func jobEnded(_ files: [UnindexedFile]) {
        inFlight -= files.count
        publish()
    }

    // MARK: - Progress

    private func publish() {
        let outstanding = inFlight + ready.count + postponed.count + filesIndexedElsewhere.count
        let progress = IndexingProgress(done: max(0, counts.given - outstanding), total: counts.total)
        runner.publish(progress)
        guard indexed.all > 0, inFlight > 0, runner.mayReport(every: Self.reportInterval) else { return }
        logger.notice("\(progress.done) of \(progress.total) images are indexed.")
    }

    private func reportEnd() {
        guard indexed.all > 0, !catalog.state.isScanning else { return }
        if !hasLoggedEnd || indexed.all >= Self.maximumPostponed {
            let report = IndexingReport(
                total: progress.total, postponed: postponed.count, read: indexed.all, broken: indexed.broken)
            logger.notice("\(report)")
        }
        hasLoggedEnd = true
        indexed = (0, 0)
    }
}

extension UnindexedFile {
    fileprivate var content: ImageContent { ImageContent(image: image, version: version, sidecars: sidecars) }
}

extension SourceStatus {
    fileprivate var version: ContentVersion {
        ContentVersion(fileSize: size, modifiedSeconds: modifiedSeconds, nanoseconds: nanoseconds)
    }
}
