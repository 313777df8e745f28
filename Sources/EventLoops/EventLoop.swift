import CLinux
import Dispatch
import Glibc

/// A serial queue that watches descriptors and timers.
///
/// The loop owns one private epoll descriptor behind one long-lived `DispatchSourceRead`, and one timerfd in it. What
/// is watched comes and goes in the epoll alone, so libdispatch's own per-descriptor sources, which are slower and on
/// Linux not free of faults when many come and go, are never involved.
///
/// All that runs on the loop (``execute(_:)``, handlers, timers, and the jobs of tasks that prefer it) runs one after
/// the other. Nothing that runs on it may block.
public final class EventLoop: SerialExecutor, TaskExecutor, Sendable {
    /// For people who debug.
    public let label: String

    private let queue: DispatchQueue
    /// Invariant: libdispatch's sources are thread-safe, though their Swift protocol does not say so.
    nonisolated(unsafe) private let source: any DispatchSourceRead
    let epoll: Int32
    let timerDescriptor: Int32
    private static let owner = DispatchSpecificKey<ObjectIdentifier>()

    /// The loop's own state. Invariant: read and written on `queue` only (in `deinit`, nobody else is left).
    nonisolated(unsafe) var state = State()

    struct State {
        var registrations: [Registration] = []
        var timers = TimerHeap()
        var timersMade: UInt64 = 0
        /// The moment that the timerfd is set to; nil while it is not set.
        var armedFor: UInt64?
        var isStopped = false
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
        queue = DispatchQueue(label: label)
        source = DispatchSource.makeReadSource(fileDescriptor: epoll, queue: queue)
        queue.setSpecific(key: Self.owner, value: ObjectIdentifier(self))
        var event = epoll_event(events: EPOLLIN.rawValue, data: epoll_data_t(u64: Self.timerMark))
        _ = epoll_ctl(epoll, EPOLL_CTL_ADD, timerDescriptor, &event)
        source.setEventHandler { [weak self] in self?.drain() }
        source.setCancelHandler { [epoll, timerDescriptor] in
            close(timerDescriptor)
            close(epoll)
        }
        source.activate()
    }

    deinit {
        // After a cancel this does nothing; the descriptors are closed by the cancel handler in either case.
        source.cancel()
    }

    /// Runs `body` on the loop, after what is already waiting. From any thread.
    public func execute(_ body: @escaping @Sendable () -> Void) {
        queue.async(execute: body)
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
            queue.async { [self] in
                state.isStopped = true
                state.registrations = []
                _ = state.timers.removeAll()
                source.cancel()
                continuation.resume()
            }
        }
    }

    // MARK: The executor of tasks

    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { [self] in
            job.runSynchronously(
                isolatedTo: asUnownedSerialExecutor(),
                taskExecutor: asUnownedTaskExecutor())
        }
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
