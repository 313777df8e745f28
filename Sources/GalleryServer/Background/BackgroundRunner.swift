import BlockingIO
import Catalog
import Locking

/// Repeats passes of background work over the gallery: one at the start, one after each change of the catalog, and one
/// after a pass that left something undone, with a growing delay.
///
/// The owner decides what a pass does, and the runner decides when it runs. A folder whose disk hangs is skipped until
/// the next retry, so that it delays only its own images.
final class BackgroundRunner<Progress: Sendable>: Sendable {
    enum Outcome: Sendable {
        case complete
        /// Something is left for the next retry; until then passes still follow changes of the catalog.
        case incomplete
        /// Nothing can be done before the next retry.
        case blocked
    }

    private struct State {
        var progress: Progress
        var task: Task<Void, Never>?
        var skippedFolders: Set<Int> = []
        var failures = 0
        var isRetryScheduled = false
        var isRetryDue = false
        var isBlocked = false
        var scanningSince: ContinuousClock.Instant?
        var reported = ContinuousClock.now
    }

    /// For blocking calls. Its groups are the folder sources.
    let pool: BlockingPool
    let pace: BackgroundPace
    private let catalog: Catalog
    private let state: Guarded<State>
    private let wakeUps: AsyncStream<Void>
    private let wakeUp: AsyncStream<Void>.Continuation

    init(catalog: Catalog, pace: BackgroundPace, progress: Progress) {
        self.catalog = catalog
        self.pace = pace
        pool = BlockingPool(label: "background", threads: 64, threadsPerGroup: 2, deadline: pace.diskDeadline)
        state = Guarded(State(progress: progress))
        (wakeUps, wakeUp) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// The progress so far. Callable from any thread; never blocks.
    var progress: Progress { state.withLock(\.progress) }

    func publish(_ progress: Progress) { state.withLock { $0.progress = progress } }

    /// Whether to log the progress now: at most once per interval.
    func mayReport(every interval: Duration) -> Bool {
        state.withLock { state in
            guard .now - state.reported > interval else { return false }
            state.reported = .now
            return true
        }
    }

    /// Starts the passes. Returns at once.
    ///
    /// - Parameter pass: Its `isRetry` is true after the delay that follows an incomplete or blocked pass. A pass that
    ///   throws counts as blocked.
    func start(_ pass: @escaping @Sendable (_ isRetry: Bool) async throws -> Outcome) {
        catalog.onChange { [wakeUp] in wakeUp.yield() }
        wakeUp.yield()
        let task = Task { [weak self, wakeUps] in
            for await _ in wakeUps {
                guard !Task.isCancelled, let self else { return }
                await run(pass)
            }
        }
        state.withLock { $0.task = task }
    }

    /// Cancels the present pass, and starts no more. Returns at once.
    func stop() {
        state.withLock { state in
            state.task?.cancel()
            state.task = nil
        }
        wakeUp.finish()
    }

    private func run(_ pass: @Sendable (_ isRetry: Bool) async throws -> Outcome) async {
        let isRetry = state.withLock { state -> Bool? in
            if state.isBlocked, !state.isRetryDue { return nil }
            defer { (state.isBlocked, state.isRetryDue) = (false, false) }
            if state.isRetryDue { state.skippedFolders = [] }
            return state.isRetryDue
        }
        guard let isRetry else { return }
        var outcome = Outcome.blocked
        do {
            try await awaitScan()
            outcome = try await pass(isRetry)
        } catch {
            guard !Task.isCancelled else { return }
        }
        state.withLock { state in
            if outcome == .complete, !state.skippedFolders.isEmpty { outcome = .incomplete }
            if outcome == .complete { state.failures = 0 }
            state.isBlocked = outcome == .blocked
        }
        if outcome != .complete { scheduleRetry() }
        try? await Task.sleep(for: pace.settling)
    }

    /// Requests another pass after a delay.
    func wake(after delay: Duration) {
        Task { [wakeUp] in
            try? await Task.sleep(for: delay)
            wakeUp.yield()
        }
    }

    private func scheduleRetry() {
        let delay = state.withLock { state -> Duration? in
            guard !state.isRetryScheduled else { return nil }
            state.isRetryScheduled = true
            state.failures += 1
            return pace.delay(after: state.failures)
        }
        guard let delay else { return }
        Task { [weak self] in
            try? await Task.sleep(for: delay)
            guard let self else { return }
            state.withLock { ($0.isRetryScheduled, $0.isRetryDue) = (false, true) }
            wakeUp.yield()
        }
    }

    /// Waits until the scan of the sources has ended, but not for ever: a source that hangs delays only its own images.
    func awaitScan() async throws {
        while catalog.isScanning {
            let since = state.withLock { state in
                let since = state.scanningSince ?? .now
                state.scanningSince = since
                return since
            }
            guard .now - since < pace.maximumScanWait else { return }
            try await Task.sleep(for: pace.scanPoll)
        }
        state.withLock { $0.scanningSince = nil }
    }

    /// Whether the last call of ``awaitScan()`` found a scan in progress.
    var sawScan: Bool { state.withLock { $0.scanningSince != nil } }

    // MARK: - Blocking calls

    /// Runs work that reads the catalog or the caches, off the cooperative threads.
    func read<Result: Sendable>(_ work: @escaping @Sendable () -> Result) async -> Result {
        await withCheckedContinuation { continuation in
            pool.submit(in: -1) { continuation.resume(returning: work()) }
        }
    }

    /// Skips this folder until the next retry.
    func skip(_ folder: Int) { state.withLock { _ = $0.skippedFolders.insert(folder) } }

    var skippedFolders: Set<Int> { state.withLock(\.skippedFolders) }
}
