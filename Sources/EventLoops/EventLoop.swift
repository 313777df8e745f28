import CLinux
import Dispatch
import Glibc
import Locking

/// A serial queue that watches descriptors and timers.
///
/// The loop owns one private epoll descriptor behind one long-lived `DispatchSourceRead`, and one timerfd in it. What
/// is watched comes and goes in the epoll alone, so libdispatch's own per-descriptor sources, which are slower and on
/// Linux not free of faults when many come and go, are never involved.
///
/// While there is much to do, the loop stays on its thread: it waits for the next event in the epoll itself for a
/// moment before it gives the thread back. A way round through libdispatch costs two changes of thread, more than it
/// takes to answer a request.
///
/// All that runs on the loop (``execute(_:)``, handlers, timers, and the jobs of tasks that prefer it) runs one after
/// the other. Nothing that runs on it may block. A loop lives until it is stopped.
public final class EventLoop: SerialExecutor, TaskExecutor, Sendable {
    /// For people who debug.
    public let label: String

    private let queue: DispatchQueue
    /// Invariant: libdispatch's sources are thread-safe, though their Swift protocol does not say so.
    nonisolated(unsafe) private let source: any DispatchSourceRead
    let epoll: Int32
    let timerDescriptor: Int32
    /// Ends a wait in the epoll.
    let alarm: Int32
    /// What other threads, and the loop itself, want to be run.
    let inbox = Guarded(Inbox())
    private static let owner = DispatchSpecificKey<ObjectIdentifier>()

    /// The loop's own state. Invariant: read and written on `queue` only.
    nonisolated(unsafe) var state = State()

    struct State {
        var registrations: [Registration] = []
        var timers = TimerHeap()
        var timersMade: UInt64 = 0
        /// The moment that the timerfd is set to; nil while it is not set.
        var armedFor: UInt64?
        var isStopped = false
        /// Memory for the next jobs.
        var spareJobs: [Inbox.Job] = []
        var turns = TurnTimes()
        var turnBegan: UInt64 = 0
        var events = [epoll_event](repeating: epoll_event(), count: 256)
    }

    /// One loop, running. Throws ``LoopError`` when the process has no descriptors left.
    public init(label: String) throws {
        self.label = label
        epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
        guard epoll >= 0 else { throw LoopError.system(call: "epoll_create1", code: errno) }
        timerDescriptor = timerfd_create(CLOCK_MONOTONIC, Int32(TFD_NONBLOCK | TFD_CLOEXEC))
        guard timerDescriptor >= 0 else {
            let code = errno
            close(epoll)
            throw LoopError.system(call: "timerfd_create", code: code)
        }
        alarm = eventfd(0, Int32(EFD_NONBLOCK | EFD_CLOEXEC))
        guard alarm >= 0 else {
            let code = errno
            close(timerDescriptor)
            close(epoll)
            throw LoopError.system(call: "eventfd", code: code)
        }
        queue = DispatchQueue(label: label)
        source = DispatchSource.makeReadSource(fileDescriptor: epoll, queue: queue)
        queue.setSpecific(key: Self.owner, value: ObjectIdentifier(self))
        for (descriptor, mark) in [(timerDescriptor, Self.timerMark), (alarm, Self.alarmMark)] {
            var event = epoll_event(events: EPOLLIN.rawValue, data: epoll_data_t(u64: mark))
            _ = epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event)
        }
        // A strong reference, which the source drops with its cancel: a weak one would make every other reference to the loop slower.
        source.setEventHandler { [self] in run(lingers: true) }
        source.setCancelHandler { [epoll, timerDescriptor, alarm] in
            close(alarm)
            close(timerDescriptor)
            close(epoll)
        }
        source.activate()
    }

    /// Runs `body` on the loop, after what is already waiting. From any thread.
    public func execute(_ body: @escaping @Sendable () -> Void) {
        post(.closure(body))
    }

    func post(_ job: Inbox.Job) {
        // The alarm is rung under the lock: the loop cannot leave its wait meanwhile, and so cannot close it.
        let mustStart = inbox.withLock { inbox in
            inbox.post(job) {
                var one: UInt64 = 1
                write(alarm, &one, MemoryLayout<UInt64>.size)
            }
        }
        if mustStart { queue.async { [self] in run(lingers: false) } }
    }

    /// Whether the caller runs on this loop.
    public var isCurrent: Bool {
        DispatchQueue.getSpecific(key: Self.owner) == ObjectIdentifier(self)
    }

    /// Stops the program unless the caller runs on this loop.
    public func preconditionCurrent() {
        precondition(isCurrent, "not on the event loop \(label)")
    }

    /// Forgets all descriptors and timers, without a call to their owners, and closes the loop's own descriptors.
    /// What is executed later still runs; what is watched later is refused.
    public func stop() async {
        await withCheckedContinuation { continuation in
            execute { [self] in
                state.isStopped = true
                state.registrations = []
                for timer in state.timers.removeAll() { timer.letGo() }
                source.cancel()
                continuation.resume()
            }
        }
    }

    // MARK: The executor of tasks

    public func enqueue(_ job: consuming ExecutorJob) {
        post(.task(UnownedJob(job)))
    }

    public func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }

    public func checkIsolated() { preconditionCurrent() }

    public func isIsolatingCurrentContext() -> Bool? { isCurrent }

    /// The monotonic clock, in nanoseconds.
    static func now() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
    }
}
