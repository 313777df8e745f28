import BlockingIO
import DequeModule
import Locking
import Scheduling

/// Computes hashes of passwords on a thread of its own, one after another: each takes 50 ms and 19 MiB.
///
/// The queue runs the newest attempt of each urgency first, and refuses the oldest if too many are waiting. So a person who
/// signs in while strangers send a thousand attempts waits for the one in progress, and not for theirs.
final class PasswordQueue: Sendable {
    /// Which attempts go first.
    enum Urgency: Int, Sendable {
        /// An address that has failed.
        case failed
        /// An address that has not.
        case fresh
        /// The sender is signed in, or the browser has been used with the account before.
        case known

        var level: Priority.Level {
            switch self {
            case .failed: .background
            case .fresh: .prefetch
            case .known: .visible
            }
        }

        /// The most attempts that wait.
        var capacity: Int {
            switch self {
            case .failed: 4
            case .fresh: 128
            case .known: 64
            }
        }
    }

    private struct Waiting {
        let number: UInt64
        let handle: BlockingPool.Handle
        let refuse: @Sendable () -> Void
    }

    private struct State {
        var count: UInt64 = 0
        /// By urgency, the oldest first. Some may have begun or ended.
        var waiting: [Deque<Waiting>] = [[], [], []]
    }

    private let pool = BlockingPool(label: "passwords", threads: 1)
    private let state = Guarded(State())

    /// - Throws: ``AccountsError/tooManyAttempts(wait:)``.
    func run<Value: Sendable>(
        _ urgency: Urgency, _ work: @escaping @Sendable () -> Value
    ) async throws(AccountsError) -> Value {
        let result: Result<Value, AccountsError> = await withCheckedContinuation { continuation in
            start(urgency, work) { continuation.resume(returning: $0) }
        }
        return try result.get()
    }

    private func start<Value: Sendable>(
        _ urgency: Urgency, _ work: @escaping @Sendable () -> Value,
        then completion: @escaping @Sendable (Result<Value, AccountsError>) -> Void
    ) {
        let refused = state.withLock { state -> Waiting? in
            state.count += 1
            let number = state.count
            let priority = Priority(level: urgency.level, viewport: number, distance: 0)
            let handle = pool.run(priority: priority, work) { [self] result in
                forget(number, urgency)
                completion(result.mapError { _ in .tooManyAttempts(wait: 5) })
            }
            state.waiting[urgency.rawValue].append(
                Waiting(number: number, handle: handle) { completion(.failure(.tooManyAttempts(wait: 2))) })
            guard state.waiting[urgency.rawValue].count > urgency.capacity else { return nil }
            return state.waiting[urgency.rawValue].removeFirst()
        }
        // One that has begun completes by itself.
        if let refused, refused.handle.cancel() { refused.refuse() }
    }

    /// The attempts that wait or are in progress.
    var waitingCount: Int { state.withLock { $0.waiting.reduce(0) { $0 + $1.count } } }

    private func forget(_ number: UInt64, _ urgency: Urgency) {
        state.withLock { state in
            guard let place = state.waiting[urgency.rawValue].firstIndex(where: { $0.number == number }) else { return }
            state.waiting[urgency.rawValue].remove(at: place)
        }
    }
}
