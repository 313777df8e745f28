import EventLoops
import Glibc
import Images
import Locking
import Logging
import Renditions
import Scheduling
import Testing

@testable import RenderWorkers

/// The pool around its state machine, with workers that report what the test tells them to.
@Suite(.timeLimit(.minutes(1))) struct RenderPoolTests {
    @Test func `what a job captured is released when it is over, however it ended`() async throws {
        for end in [TalkingWorkers.End.heavy, .stopped, .made, .gone] {
            let workers = TalkingWorkers()
            let pool = try workers.pool()
            let isFreed = Guarded(false)
            let file = open("/dev/null", O_RDONLY)
            var holder: Holder? = Holder { isFreed.withLock { $0 = true } }
            let handle = pool.render(RenderJob(.make([.tile: .jpeg]), of: file), priority: .visible) { [holder] _ in
                withExtendedLifetime(holder) {}
            }
            holder = nil
            await workers.begun()
            handle.cancel()
            await workers.ends(end)
            while !isFreed.withLock({ $0 }) { await Task.yield() }
            await pool.stop()
            close(file)
        }
    }
}

private final class Holder: Sendable {
    private let end: @Sendable () -> Void

    init(_ end: @escaping @Sendable () -> Void) { self.end = end }

    deinit { end() }
}

/// Workers that take jobs and report nothing until the test tells them to.
private final class TalkingWorkers: WorkerStarting {
    enum End: Sendable {
        case heavy
        case stopped
        case made
        case gone
    }

    private struct State {
        var begun: [TalkingWorker] = []
        var loop: EventLoop?
    }

    private let state = Guarded(State())

    func pool() throws -> RenderPool {
        var configuration = RenderPool.Configuration()
        configuration.logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        return try RenderPool(configuration: configuration, starter: self)
    }

    func start(on loop: EventLoop, onEvent: @escaping (WorkerEvent) -> Void) -> any RenderWorker {
        state.withLock { $0.loop = loop }
        let worker = TalkingWorker(self, loop, onEvent)
        loop.execute { worker.tell(.ready(.init(files: true, calls: true, threads: true))) }
        return worker
    }

    fileprivate func has(begun worker: TalkingWorker) { state.withLock { $0.begun.append(worker) } }

    func begun() async { while state.withLock({ $0.begun.isEmpty }) { await Task.yield() } }

    /// The next worker with a job reports this, after all earlier events of its pool.
    func ends(_ end: End) async {
        guard let (worker, loop) = state.withLock({ state in state.loop.map { (state.begun.removeFirst(), $0) } })
        else {
            return
        }
        await withCheckedContinuation { continuation in
            loop.execute {
                switch end {
                case .heavy: worker.tell(.heavy)
                case .stopped: worker.tell(.ended(.failure(RenderError(.stopped, "Stopped.")), memory: 0))
                case .made: worker.tell(.ended(.success(RenderResult()), memory: 0))
                case .gone: worker.tell(.gone("signal 6", byOthers: false))
                }
                continuation.resume()
            }
        }
    }
}

/// Used on the loop only.
private final class TalkingWorker: RenderWorker, @unchecked Sendable {
    // Sendable because only the loop touches its members.
    private let fixture: TalkingWorkers
    private let loop: EventLoop
    private let events: (WorkerEvent) -> Void
    private var hasGone = false

    init(_ fixture: TalkingWorkers, _ loop: EventLoop, _ events: @escaping (WorkerEvent) -> Void) {
        self.fixture = fixture
        self.loop = loop
        self.events = events
    }

    func tell(_ event: WorkerEvent) {
        guard !hasGone else { return }
        if case .gone = event { hasGone = true }
        events(event)
    }

    func begin(_ job: RenderJob, id: UInt64, mayBeHeavy: Bool) { fixture.has(begun: self) }
    func stop(_ job: UInt64) {}
    var wasStarved: Bool { false }
    func hasAdvanced() -> Bool { true }
    var isUninterruptible: Bool { false }
    func kill() { loop.execute { self.tell(.gone("killed", byOthers: false)) } }
}
