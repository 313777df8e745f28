import CLinux
import Dispatch
import Glibc
import Locking

/// A serial queue that watches descriptors and timers.
///
/// The loop owns a private epoll descriptor, watched by one long-lived `DispatchSourceRead`, and a timerfd in it.
/// Watched descriptors come and go only in the epoll instance. A libdispatch source per descriptor would be slower,
/// and has bugs on Linux when many come and go.
///
/// While busy, the loop keeps its thread: it waits a moment in `epoll_wait` itself before it releases the thread. A
/// detour through libdispatch takes two context switches, which cost more than answering a request.
///
/// Everything on the loop runs serially: closures given to ``execute(_:)``, handlers, timers, and the jobs of tasks
/// that prefer this executor. Nothing on the loop may block. A loop lives until it is stopped.
public final class EventLoop: SerialExecutor, TaskExecutor, Sendable {
    /// For debugging.
    public let label: String

    private let queue: DispatchQueue
    /// Invariant: libdispatch's sources are thread-safe, though their Swift protocol does not say so.
    nonisolated(unsafe) private let source: any DispatchSourceRead
    let epoll: Int32
    let timerDescriptor: Int32
    /// An eventfd that interrupts the wait in epoll.
    let alarm: Int32
    /// Jobs posted by other threads and by the loop itself.
    let inbox = Guarded(Inbox())
    private static let owner = DispatchSpecificKey<ObjectIdentifier>()

    /// The loop's own state. Invariant: accessed only on `queue`.
    nonisolated(unsafe) var state = State()

    struct State {
        var registrations: [Registration] = []
        var timers = TimerHeap()
        var timersMade: UInt64 = 0
        /// The time for which the timerfd is armed; nil while it is not.
        var armedFor: UInt64?
        var isStopped = false
        /// Storage reused for the next jobs.
        var spareJobs: [Inbox.Job] = []
        var callbackTimes = CallbackTimes()
        var callbackBegan: UInt64 = 0
        var events = [epoll_event](repeating: epoll_event(), count: 256)
    }

    /// Creates and starts a loop. Throws ``LoopError`` if the process has run out of descriptors.
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
        // A strong reference, which cancelling the source releases. A weak one would slow down every other reference
        // to the loop.
        source.setEventHandler { [self] in run(spins: true) }
        source.setCancelHandler { [epoll, timerDescriptor, alarm] in
            close(alarm)
            close(timerDescriptor)
            close(epoll)
        }
        source.activate()
    }

    /// Runs `body` on the loop, after the jobs that are already waiting. Callable from any thread.
    public func execute(_ body: @escaping @Sendable () -> Void) {
        post(.closure(body))
    }

    func post(_ job: Inbox.Job) {
        // The eventfd is written under the lock: until it is released, the loop cannot finish its wait, and so cannot
        // close it.
        let mustStart = inbox.withLock { inbox in
            inbox.post(job) {
                var one: UInt64 = 1
                write(alarm, &one, MemoryLayout<UInt64>.size)
            }
        }
        if mustStart { queue.async { [self] in run(spins: false) } }
    }

    /// Whether the caller is running on this loop.
    public var isCurrent: Bool {
        DispatchQueue.getSpecific(key: Self.owner) == ObjectIdentifier(self)
    }

    /// Traps unless the caller is running on this loop.
    public func preconditionCurrent() {
        precondition(isCurrent, "not on the event loop \(label)")
    }

    /// Drops all descriptors and timers without notifying their owners, and closes the loop's own descriptors.
    /// Closures passed to ``execute(_:)`` later still run; watching a descriptor throws.
    public func stop() async {
        await withCheckedContinuation { continuation in
            execute { [self] in
                state.isStopped = true
                state.registrations = []
                for timer in state.timers.removeAll() { timer.detach() }
                source.cancel()
                continuation.resume()
            }
        }
    }

    // MARK: - Task executor

    public func enqueue(_ job: consuming ExecutorJob) {
        post(.task(UnownedJob(job)))
    }

    public func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }

    public func checkIsolated() { preconditionCurrent() }

    public func isIsolatingCurrentContext() -> Bool? { isCurrent }

    /// The monotonic clock in nanoseconds.
    public static func now() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
    }
}
