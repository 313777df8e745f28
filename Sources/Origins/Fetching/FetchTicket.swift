import EventLoops
import Scheduling
import Synchronization

/// The caller's handle of a fetch. Its flags are read on the event loop before each event, so that cancel and pause
/// take effect before their own job on the loop has run.
final class FetchTicket: OriginFetch {
    private let engine: FetchEngine
    private let cancelled = Atomic(false)
    private let paused = Atomic(false)
    private let whole = Atomic(false)

    init(_ engine: FetchEngine) {
        self.engine = engine
    }

    var isCancelled: Bool { cancelled.load(ordering: .acquiring) }
    var isPaused: Bool { paused.load(ordering: .acquiring) }
    /// Whether the caller wants more than the prefix.
    var wantsRest: Bool { whole.load(ordering: .acquiring) }

    func cancel() {
        guard !cancelled.exchange(true, ordering: .acquiringAndReleasing) else { return }
        engine.loop.execute { [self] in engine.cancel(self) }
    }

    func reprioritise(_ priority: Priority) {
        engine.loop.execute { [self] in engine.reprioritise(self, priority) }
    }

    func pause() {
        guard !paused.exchange(true, ordering: .acquiringAndReleasing) else { return }
        engine.loop.execute { [self] in engine.applyPause(self) }
    }

    func resume() {
        guard paused.exchange(false, ordering: .acquiringAndReleasing) else { return }
        engine.loop.execute { [self] in engine.applyPause(self) }
    }

    func fetchRest() {
        guard !whole.exchange(true, ordering: .acquiringAndReleasing) else { return }
        engine.loop.execute { [self] in engine.fetchRest(self) }
    }
}
