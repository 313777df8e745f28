import Catalog
import Dispatch
import Encodings
import Images
import Loading
import Locking
import Logging
import Renditions
import Scheduling

/// Makes the tiles of all folders in the background, so that a user finds them in the cache. It walks through the
/// gallery in order, rests when no tile is missing, and walks again when the catalog has changed. Every request takes
/// precedence.
final class TilePrefiller: Sendable {
    /// The rendition and format that current browsers request for a grid; the preview is made along with it.
    static let rendition = Rendition.tile
    static var format: OutputFormat {
        OutputFormat.negotiate(accept: "image/avif,image/webp,image/*", for: rendition)
    }
    /// Below all requests, and below the indexing of metadata, which is more useful for less work.
    private static let priority = Priority(level: .background, viewport: 0, distance: 0)
    private static let imagesAtOnce = 64
    /// The share of the tile cache's budget that prefilling may fill, so that it does not evict tiles that users have
    /// viewed.
    static let maximumOfBudget = 0.75
    private static let reportInterval = Duration.seconds(60)

    /// The most pictures remembered as impossible to render.
    private static let maximumFailed = 100_000

    private struct Content: Hashable {
        let image: ImageID
        let version: ContentVersion?

        init(_ image: GalleryImage) {
            self.image = image.id
            version = image.version
        }
    }

    private let catalog: Catalog
    private let loader: Loader
    /// The most loads at a time; more would only wait for a worker.
    let maximumInFlight: Int
    private let logger: Logger
    /// Contents that cannot be rendered. They are tried again when a client requests them, or when their content
    /// changes.
    private let failed = Guarded<Set<Content>>([])
    let runner: BackgroundRunner<Progress>

    /// How far the present walk has come.
    struct Progress: JSONWritable, Hashable {
        /// Images passed so far.
        var done = 0
        var total = 0
        /// The walk has ended early, because its share of the tile cache is full.
        var isFull = false

        func write(to json: inout JSONWriter) {
            json.object { json in
                json.member("done", done)
                json.member("total", total)
                json.member("isFull", isFull)
            }
        }
    }

    init(
        catalog: Catalog, loader: Loader, atOnce: Int, pace: BackgroundPace = BackgroundPace(settling: .seconds(5)),
        logger: Logger
    ) {
        self.catalog = catalog
        self.loader = loader
        maximumInFlight = max(1, atOnce)
        self.logger = logger
        runner = BackgroundRunner(catalog: catalog, pace: pace, progress: Progress())
    }

    /// Callable from any thread; never blocks.
    var progress: Progress { runner.progress }

    /// Starts in the background. Returns at once.
    func start() {
        runner.start { [weak self] _ in
            try await self?.makePass() ?? .complete
        }
    }

    /// Cancels the loads in progress. Returns at once.
    func stop() { runner.stop() }

    /// Forgets failures, because a person asked for a rescan.
    func tryAgain() { failed.withLock { $0 = [] } }

    /// Why a walk cannot go on now.
    private enum PassFailure: Error {
        /// The cache does not store the tiles.
        case cacheUnavailable
        /// Many tiles in a row failed for a temporary reason.
        case filesUnavailable
    }

    /// Walks through the gallery once, in its present order at each step.
    private func makePass() async throws -> BackgroundRunner<Progress>.Outcome {
        let wasFull = self.progress.isFull
        var progress = Progress(total: catalog.state.total)
        var (position, made) = (0, 0)
        var outcome = Outcome()
        while position < progress.total {
            try Task.checkCancellation()
            runner.publish(progress)
            if isFull {
                progress.isFull = true
                report(progress, made: made, isChange: !wasFull)
                return .complete
            }
            let images = try await catalog.images(at: position..<position + Self.imagesAtOnce)
            let lacking = await lacking(images)
            try await make(lacking, &outcome)
            if outcome.made > 0, await self.lacking(lacking).count == lacking.count {
                throw PassFailure.cacheUnavailable
            }
            made += outcome.made
            outcome.made = 0
            position += Self.imagesAtOnce
            progress.total = catalog.state.total
            progress.done = min(position, progress.total)
            if made > 0, runner.mayReport(every: Self.reportInterval) {
                logger.notice("The tile prefiller has passed \(progress.done) of \(progress.total) images.")
            }
        }
        // Tiles that more urgent loads kept from being made are left for the next retry.
        guard !outcome.isOverloaded else {
            runner.publish(progress)
            return .incomplete
        }
        report(progress, made: made)
        return .complete
    }

    private func report(_ progress: Progress, made: Int, isChange: Bool = false) {
        runner.publish(progress)
        guard made > 0 || isChange else { return }
        if progress.isFull {
            logger.notice(
                "Prefilled tiles fill the cache (--tile-cache) after \(progress.done) of \(progress.total) images.")
        } else {
            logger.notice("The tile prefiller has passed all \(progress.total) images, and made \(made) tiles.")
        }
    }

    /// The images without a tile that may get one. Local files only: an origin gets no requests that no client needs.
    private func lacking(_ images: [GalleryImage]) async -> [GalleryImage] {
        let (failed, skipped) = (failed.withLock { $0 }, runner.skippedFolders)
        let files = images.filter { image in
            guard let folder = image.location.folder, !skipped.contains(folder) else { return false }
            return image.metadata.isBroken != true && !failed.contains(Content(image))
        }
        guard !files.isEmpty else { return [] }
        return await runner.read { [loader] in loader.lacking(Self.rendition, Self.format, of: files) }
    }

    private var isFull: Bool { loader.shareOfTileBudget >= Self.maximumOfBudget }

    /// The results of the loads of a walk.
    private struct Outcome {
        var made = 0
        /// The number of temporary failures in a row.
        var temporaryFailures = 0
        /// Some loads did not begin, because more urgent ones came first.
        var isOverloaded = false
        /// This many temporary failures in a row are no coincidence.
        static let maximumTemporaryFailures = 8

        mutating func note(_ failure: LoadFailure?) throws {
            guard let failure else {
                made += 1
                temporaryFailures = 0
                return
            }
            // The folder is skipped instead.
            guard !failure.isHungDisk else { return }
            isOverloaded = isOverloaded || failure == .overloaded
            temporaryFailures = failure.isPermanent ? 0 : temporaryFailures + 1
            if temporaryFailures >= Self.maximumTemporaryFailures { throw PassFailure.filesUnavailable }
        }
    }

    private func make(_ images: [GalleryImage], _ outcome: inout Outcome) async throws {
        outcome = try await withThrowingTaskGroup(of: LoadFailure?.self) { [outcome] group in
            var outcome = outcome
            for (number, image) in images.enumerated() {
                if isFull || loader.statistics.cacheProblem != nil { break }
                guard let folder = image.location.folder, !runner.skippedFolders.contains(folder) else { continue }
                if number >= maximumInFlight, let end = try await group.next() { try outcome.note(end) }
                group.addTask { [self] in
                    let failure = try await Self.make(image, by: loader)
                    if failure?.isPermanent == true { note(failed: image) }
                    if failure?.isHungDisk == true, let folder = image.location.folder { runner.skip(folder) }
                    return failure
                }
            }
            for try await end in group { try outcome.note(end) }
            return outcome
        }
        if loader.statistics.cacheProblem != nil { throw PassFailure.cacheUnavailable }
    }

    private func note(failed image: GalleryImage) {
        failed.withLock { failed in
            if failed.count < Self.maximumFailed { failed.insert(Content(image)) }
        }
    }

    /// - Returns: Why the tile could not be made; nil if it was.
    private static func make(_ image: GalleryImage, by loader: Loader) async throws -> LoadFailure? {
        let request = LoadRequest(image: image, rendition: rendition, format: format, isPrefill: true)
        let (failures, continuation) = AsyncStream.makeStream(of: LoadFailure?.self)
        let start = loader.load(request, priority: priority) { result in
            if case .failure(let failure) = result { continuation.yield(failure) } else { continuation.yield(nil) }
        }
        guard case .loading(let handle) = start else { return nil }
        for await failure in failures { return failure }
        handle.cancel()
        throw CancellationError()
    }
}
