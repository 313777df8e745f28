import Dispatch
import Locking
import Synchronization
import Time

/// Blocking work on a thread of its own whose caller waits for it, but not for a disk that hangs: the caller goes on
/// without the work when that makes no progress for a while. A call that hangs in the kernel cannot be ended; the thread
/// lives until the call returns.
///
/// ```swift
/// let names = try AbandonableWork.value(label: "scan", patience: .seconds(5)) { progress in
///     while let name = folder.nextName(), !progress.isAbandoned { progress.note(); … }
/// }
/// ```
public enum AbandonableWork {
    /// Runs the work, and blocks until it returns or is abandoned.
    ///
    /// - Parameters:
    ///   - label: The thread's name; at most 15 bytes of it are used.
    ///   - patience: How long the work may go without noting progress.
    ///   - onLateEnd: Called on the work's thread when abandoned work has returned.
    ///   - work: Runs while the caller is blocked, so until it is abandoned it may use everything that is the caller's;
    ///     after that, nothing: see ``WorkProgress/unlessAbandoned(_:)``.
    /// - Throws: `BlockingPool.Failure.hangs` if the work was abandoned, `.neverBegan` if the system could not start a
    ///   thread, or the work's own error.
    public static func value<Value>(
        label: String, patience: Duration, onLateEnd: @escaping @Sendable () -> Void = {},
        _ work: @escaping (WorkProgress) throws -> Value
    ) throws -> Value {
        let progress = WorkProgress()
        let box = Box(work)
        let hasStarted = BlockingThread.start {
            BlockingThread.name(label)
            box.run(progress)
            if !progress.end() { onLateEnd() }
        }
        guard hasStarted else { throw BlockingPool.Failure.neverBegan }
        try progress.awaitEnd(patience: patience)
        guard let result = box.result else { preconditionFailure("work that has ended has a result") }
        return try result.get()
    }

    /// The work and its result.
    private final class Box<Value>: @unchecked Sendable {
        // Sendable because one thread at a time uses it: the work's until `WorkProgress.end()`, then the caller's. If the
        // work is abandoned, the caller never touches it again.
        private var work: ((WorkProgress) throws -> Value)?
        private(set) var result: Result<Value, any Error>?

        init(_ work: @escaping (WorkProgress) throws -> Value) { self.work = work }

        func run(_ progress: WorkProgress) {
            result = work.map { work in Result { try work(progress) } }
            work = nil
        }
    }
}

/// How far some abandonable work has come, as noted by the work and watched by its caller.
public final class WorkProgress: Sendable {
    private enum State {
        case running, ended, abandoned
    }

    private let steps = Atomic<UInt64>(0)
    private let state = Guarded(State.running)
    private let isOver = DispatchSemaphore(value: 0)

    /// Notes that the work has made progress. Costs a few nanoseconds.
    public func note() { steps.wrappingAdd(1, ordering: .relaxed) }

    /// Whether the caller has gone on without the work, which then should end soon.
    public var isAbandoned: Bool { state.withLock { $0 == .abandoned } }

    /// Calls the closure, which may use what belongs to the caller. It must not block on the disk that the work reads.
    ///
    /// - Throws: `CancellationError` if the work was abandoned; then the closure is not called.
    public func unlessAbandoned<Result>(_ body: () throws -> Result) throws -> Result {
        try state.withLock { state in
            guard state != .abandoned else { throw CancellationError() }
            note()
            return try body()
        }
    }

    /// - Returns: Whether the caller still waits.
    fileprivate func end() -> Bool {
        let isAwaited = state.withLock { state in
            guard state == .running else { return false }
            state = .ended
            return true
        }
        isOver.signal()
        return isAwaited
    }

    fileprivate func awaitEnd(patience: Duration) throws(BlockingPool.Failure) {
        var (last, since) = (steps.load(ordering: .relaxed), ContinuousClock.now)
        while isOver.wait(timeout: .now() + (patience / 8).dispatched) == .timedOut {
            let now = steps.load(ordering: .relaxed)
            if now != last {
                (last, since) = (now, .now)
                continue
            }
            guard since.duration(to: .now) >= patience else { continue }
            let isAbandoned = state.withLock { state in
                // It may have ended, or noted progress within `unlessAbandoned`, while this waited for the lock.
                guard state == .running, steps.load(ordering: .relaxed) == last else { return false }
                state = .abandoned
                return true
            }
            if isAbandoned { throw .hangs }
        }
    }
}
