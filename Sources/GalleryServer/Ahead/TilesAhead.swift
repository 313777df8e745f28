import Catalog
import Dispatch
import Images
import Loading
import Locking
import Logging
import Renditions
import Scheduling

/// Makes the tiles of all folders before anybody asks for them, behind all that anybody asks for: who comes later finds
/// them made. It goes through the gallery in its order, rests when there is nothing left to make, and goes through it once
/// more when the catalog has changed.
final class TilesAhead: Sendable {
    /// What is made, and how: as browsers of these years want it in a grid; the preview comes with it.
    static let rendition = Rendition.tile
    static let format = OutputFormat.negotiate(accept: "image/avif,image/webp,image/*", for: rendition)
    /// Behind everything that is asked for, and behind the looking into files, which tells more for less.
    private static let priority = Priority(lane: .background, viewport: 0, distance: 0)
    private static let imagesAtOnce = 64
    /// Of the tiles' budget. What is made ahead is not to push out what somebody has looked at.
    static let mostOfBudget = 0.75
    private static let tellInterval = Duration.seconds(60)

    /// Pictures that are remembered as such of which none can be made.
    private static let mostFailed = 100_000

    private struct Content: Hashable {
        let image: ImageID
        let version: ContentVersion?

        init(_ image: GalleryImage) {
            self.image = image.id
            version = image.version
        }
    }

    /// How soon what waits is looked for again, of the system's clock.
    struct Pace: Sendable {
        /// For the sources to be read to their end.
        var scanning: Duration = .seconds(2)
        /// So long it waits for that, at most.
        var patience: Duration = .seconds(30)
        /// After a change, for others that come with it.
        var settling: Duration = .seconds(5)
        /// After something stood in the way.
        var failing: Duration = .seconds(60)
    }

    private let catalog: Catalog
    private let loader: Loader
    /// Loads under way at a time: more would only wait for a worker.
    let mostUnderWay: Int
    private let pace: Pace
    private let logger: Logger
    /// Where the disk is asked what is there.
    private let reader = DispatchQueue(label: "tessera.ahead", qos: .utility)
    /// Of which none can be made: it is tried again when somebody asks for it, or with other contents.
    private let failed = Guarded<Set<Content>>([])
    private let published = Guarded(Progress())
    private let running = Guarded<Task<Void, Never>?>(nil)

    /// How far it has come in the gallery.
    struct Progress: Encodable, Hashable, Sendable {
        /// Images that it has come past.
        var done = 0
        var total = 0
        /// It has ended early, for the tiles' budget is used up.
        var isFull = false
    }

    init(catalog: Catalog, loader: Loader, atOnce: Int, pace: Pace = Pace(), logger: Logger) {
        self.catalog = catalog
        self.loader = loader
        mostUnderWay = max(1, atOnce)
        self.pace = pace
        self.logger = logger
    }

    /// Any thread, never waits.
    var progress: Progress { published.withLock { $0 } }

    /// Returns at once.
    func start() {
        let (changes, change) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        catalog.onChange { change.yield() }
        change.yield()
        let task = Task { [weak self, pace] in
            for await _ in changes {
                while !Task.isCancelled {
                    do {
                        try await self?.walk()
                        // Others come with a change.
                        try await Task.sleep(for: pace.settling)
                        break
                    } catch {
                        try? await Task.sleep(for: pace.failing)
                    }
                }
            }
        }
        running.withLock { $0 = task }
    }

    /// Gives up what is under way. Returns at once.
    func stop() {
        running.withLock { task in
            task?.cancel()
            task = nil
        }
    }

    /// A person asks for another look: what could not be made is tried again.
    func tryAgain() { failed.withLock { $0 = [] } }

    /// Why a walk cannot go on now.
    private enum Obstacle: Error {
        /// What is made is not kept.
        case nothingIsKept
        /// One after the other could not be made for a reason that may pass.
        case filesAway
    }

    /// Once through the gallery, as it is when a place in it is come to.
    private func walk() async throws {
        try await awaitScan()
        let wasFull = self.progress.isFull
        var progress = Progress(total: catalog.state.total)
        var (position, made, told) = (0, 0, ContinuousClock.now)
        var outcome = Outcome()
        while position < progress.total {
            try Task.checkCancellation()
            publish(progress)
            if isFull {
                progress.isFull = true
                return tell(progress, made: made, isNews: !wasFull)
            }
            let images = try await catalog.images(at: position..<position + Self.imagesAtOnce)
            let lacking = await lacking(images)
            try await make(lacking, &outcome)
            if outcome.made > 0, await self.lacking(lacking).count == lacking.count { throw Obstacle.nothingIsKept }
            made += outcome.made
            outcome.made = 0
            position += Self.imagesAtOnce
            progress.total = catalog.state.total
            progress.done = min(position, progress.total)
            if made > 0, .now - told > Self.tellInterval {
                told = .now
                logger.notice("Tiles of \(progress.done) of \(progress.total) pictures have been made ahead.")
            }
        }
        tell(progress, made: made)
    }

    /// For so long: a source that hangs keeps its own pictures alone.
    private func awaitScan() async throws {
        let since = ContinuousClock.now
        while catalog.isScanning, .now - since < pace.patience { try await Task.sleep(for: pace.scanning) }
    }

    private func publish(_ progress: Progress) { published.withLock { $0 = progress } }

    private func tell(_ progress: Progress, made: Int, isNews: Bool = false) {
        publish(progress)
        guard made > 0 || isNews else { return }
        if progress.isFull {
            logger.notice(
                "The tiles made ahead fill the cache (--tile-cache): \(progress.done) of \(progress.total) pictures.")
        } else {
            logger.notice("The tiles of all \(progress.total) pictures are there; \(made) were made ahead.")
        }
    }

    /// Those of which there is no tile and may be one. Files alone: an origin is not asked for what nobody wants.
    private func lacking(_ images: [GalleryImage]) async -> [GalleryImage] {
        let failed = failed.withLock { $0 }
        let files = images.filter { image in
            guard case .file = image.location else { return false }
            return image.facts.isBroken != true && !failed.contains(Content(image))
        }
        guard !files.isEmpty else { return [] }
        return await withCheckedContinuation { [loader] continuation in
            reader.async {
                continuation.resume(returning: loader.lacking(Self.rendition, Self.format, of: files))
            }
        }
    }

    private var isFull: Bool { loader.shareOfTileBudget >= Self.mostOfBudget }

    /// What became of the loads of a walk.
    private struct Outcome {
        var made = 0
        /// How many in a row could not be made for a reason that may pass.
        var passing = 0
        /// So many are no chance.
        static let mostPassing = 8

        mutating func note(_ failure: LoadFailure?) throws {
            guard let failure else {
                made += 1
                passing = 0
                return
            }
            passing = failure.isPermanent ? 0 : passing + 1
            if passing >= Self.mostPassing { throw Obstacle.filesAway }
        }
    }

    private func make(_ images: [GalleryImage], _ outcome: inout Outcome) async throws {
        outcome = try await withThrowingTaskGroup(of: LoadFailure?.self) { [outcome] group in
            var outcome = outcome
            for (number, image) in images.enumerated() {
                if isFull || loader.statistics.cacheProblem != nil { break }
                if number >= mostUnderWay, let end = try await group.next() { try outcome.note(end) }
                group.addTask { [self] in
                    let failure = try await Self.make(image, by: loader)
                    if failure?.isPermanent == true { note(failed: image) }
                    return failure
                }
            }
            for try await end in group { try outcome.note(end) }
            return outcome
        }
        if loader.statistics.cacheProblem != nil { throw Obstacle.nothingIsKept }
    }

    private func note(failed image: GalleryImage) {
        failed.withLock { failed in
            if failed.count < Self.mostFailed { failed.insert(Content(image)) }
        }
    }

    /// - Returns: Why it could not be made, if it could not.
    private static func make(_ image: GalleryImage, by loader: Loader) async throws -> LoadFailure? {
        let request = LoadRequest(image: image, rendition: rendition, format: format, isForLater: true)
        let wait = Wait()
        let handle = loader.load(request, priority: priority) { result in
            if case .failure(let failure) = result { wait.end(failure) } else { wait.end(nil) }
        }
        let failure = await withTaskCancellationHandler {
            await wait.value
        } onCancel: {
            handle.cancel()
            wait.end(nil)
        }
        try Task.checkCancellation()
        return failure
    }

    /// For the end of one load, however it comes.
    private final class Wait: Sendable {
        private struct State {
            var hasEnded = false
            var failure: LoadFailure?
            var waiter: CheckedContinuation<LoadFailure?, Never>?
        }

        private let state = Guarded(State())

        /// Only the first end counts.
        func end(_ failure: LoadFailure?) {
            let waiter = state.withLock { state -> CheckedContinuation<LoadFailure?, Never>? in
                guard !state.hasEnded else { return nil }
                (state.hasEnded, state.failure) = (true, failure)
                defer { state.waiter = nil }
                return state.waiter
            }
            waiter?.resume(returning: failure)
        }

        var value: LoadFailure? {
            get async {
                await withCheckedContinuation { continuation in
                    let hasEnded = state.withLock { state in
                        if !state.hasEnded { state.waiter = continuation }
                        return state.hasEnded
                    }
                    if hasEnded { continuation.resume(returning: state.withLock(\.failure)) }
                }
            }
        }
    }
}
