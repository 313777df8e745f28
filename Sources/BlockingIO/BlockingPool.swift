import Dispatch
import Scheduling

/// A pool of long-lived threads for calls that block, such as file I/O, with a priority queue in front of it.
///
/// Work belongs to a group, for example the folder its file lies in, and a group occupies at most
/// `threadsPerGroup` threads: a disk that hangs leaves the other groups theirs. Threads start on demand and stay. If the
/// system cannot start one, the pool retries for as long as work is waiting.
///
/// ```swift
/// let pool = BlockingPool(label: "files", threads: 64, threadsPerGroup: 2)
/// let handle = pool.run(in: folder, priority: priority) {
///     readFile()
/// } then: { result in
///     // .failure(.hangs): the disk did not answer within the deadline.
/// }
/// handle.reprioritise(other)
/// handle.cancel()
/// ```
public final class BlockingPool: Sendable {
    /// Runs a closure on a new thread. Returns false when the system cannot start one.
    typealias ThreadStarter = @Sendable (_ body: @escaping @Sendable () -> Void) -> Bool

    /// Why work given to ``run(in:priority:_:then:)`` has no result.
    public enum Failure: Error {
        /// It began and did not return within the deadline. Or it waited for the whole deadline behind work that hangs:
        /// all the threads of its group have been taken for at least half of that time, and none has returned.
        case hangs
        /// It waited for the whole deadline because other work came first. This says nothing about its group, and a
        /// later attempt may succeed.
        case neverBegan
        /// The pool was stopped.
        case stopped
    }

    /// For work whose order does not matter: first come, first served.
    public static let arrivalOrder = Priority(level: .visible, viewport: 0, distance: 0)

    /// One submitted piece of work. Dropping the handle does not cancel it.
    public struct Handle: Sendable {
        let id: UInt64
        let core: Core

        /// Removes the work from the queue.
        ///
        /// - Returns: False if the work has already started, ended or been cancelled.
        @discardableResult
        public func cancel() -> Bool { core.cancel(id) }

        public func reprioritise(_ priority: Priority) { core.reprioritise(id, to: priority) }
    }

    private let core: Core

    /// - Parameters:
    ///   - label: The threads' name; at most 15 bytes of it are used.
    ///   - threads: How many pieces of work run at once.
    ///   - threadsPerGroup: How many pieces of work of one group run at once.
    ///   - deadline: How long work given to ``run(in:priority:_:then:)`` may wait until it begins, and how long it may
    ///     take from then on.
    public convenience init(
        label: String, threads: Int, threadsPerGroup: Int = .max, deadline: Duration = .seconds(15)
    ) {
        self.init(
            label: label, threads: threads, threadsPerGroup: threadsPerGroup, deadline: deadline,
            starter: BlockingThread.start)
    }

    init(
        label: String, threads: Int, threadsPerGroup: Int = .max, deadline: Duration = .seconds(15),
        idleTime: Duration = idleTime, starter: @escaping ThreadStarter
    ) {
        core = Core(
            label: label, permits: threads, permitsPerGroup: threadsPerGroup, deadline: deadline, idleTime: idleTime,
            starter: starter)
    }

    /// Threads without work for this time end.
    static let idleTime = Duration.seconds(60)

    deinit { core.stop() }

    /// Work that is queued or running.
    public var count: Int { core.count }

    /// Threads that have started and not ended.
    var threadCount: Int { core.threadCount }

    /// Queues work that has no deadline. Does nothing once the pool is stopped.
    @discardableResult
    public func submit(
        in group: Int = 0, priority: Priority = arrivalOrder, _ work: @escaping @Sendable () -> Void
    ) -> Handle {
        core.submit(in: group, priority: priority, work, onFailure: nil)
    }

    /// Queues work whose result is awaited for at most the pool's deadline until it begins, and as long again until it
    /// ends.
    ///
    /// - Parameter completion: Called exactly once, with the work's result or with the reason for having none; never
    ///   after a successful ``Handle/cancel()``. It must not block. After the deadline, work that has not begun never
    ///   begins; work that has begun keeps its thread until it returns, and its result is dropped.
    @discardableResult
    public func run<Value: Sendable>(
        in group: Int = 0, priority: Priority = arrivalOrder, _ work: @escaping @Sendable () -> Value,
        then completion: @escaping @Sendable (Result<Value, Failure>) -> Void
    ) -> Handle {
        let pending = PendingCompletion(completion)
        return core.submit(in: group, priority: priority) {
            pending.complete(.success(work()))
        } onFailure: {
            pending.complete(.failure($0))
        }
    }

    /// ``run(in:priority:_:then:)`` for asynchronous callers. Cancelling the task does not cancel the work.
    public func value<Value: Sendable>(
        in group: Int = 0, priority: Priority = arrivalOrder, _ work: @escaping @Sendable () -> Value
    ) async -> Result<Value, Failure> {
        await withCheckedContinuation { continuation in
            run(in: group, priority: priority, work) { continuation.resume(returning: $0) }
        }
    }

    /// Drops queued work and ends the threads after their present work. Returns at once.
    public func stop() { core.stop() }

    /// Blocks until every thread has ended or the time is over. Returns true if all have ended. Call only after
    /// ``stop()``.
    public func join(for seconds: Int) -> Bool { core.join(for: seconds) }
}
