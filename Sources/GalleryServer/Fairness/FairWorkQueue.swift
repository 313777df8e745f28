import Clients
import Dispatch
import HTTPServer
import HTTPTypes
import Loading
import Locking
import Time

/// Lets clients take turns at work that takes milliseconds, such as token requests and pages. It runs on the
/// concurrent pool, off the event loops, in the order of ``FairWorkSchedule``.
final class FairWorkQueue: Sendable {
    private struct State {
        var schedule: FairWorkSchedule
        var continuations: [FairWorkSchedule.ID: CheckedContinuation<Void, any Error>] = [:]
        var last: FairWorkSchedule.ID = 0
        /// When the next check of pausing clients is scheduled, in seconds; nil if none is.
        var wakeTime: Double?
    }

    private let state: Guarded<State>
    private let time: any TimeKeeping
    private let queue = DispatchQueue(label: "tessera.turns")

    /// - Parameters:
    ///   - permits: The number of pieces that may run at once.
    ///   - waitingPerClient: The number of pieces of one client that may wait.
    init(permits: Int = 4, waitingPerClient: Int = 64, time: any TimeKeeping = SystemTime()) {
        state = Guarded(State(schedule: FairWorkSchedule(permits: permits, waitingPerClient: waitingPerClient)))
        self.time = time
    }

    /// Performs work when it is the client's turn.
    ///
    /// - Throws: What the work throws; a `Problem` with status 429 if the client's queue is full; `CancellationError`
    ///   if the task is cancelled before the work starts.
    func run<Value: Sendable>(
        for client: Client, _ work: @Sendable () async throws -> Value
    ) async throws -> Value {
        try await begin(client)
        let began = now
        defer { finish(client, after: now - began) }
        return try await withTaskExecutorPreference(globalConcurrentExecutor) { try await work() }
    }

    private var now: Double { time.uptime().inSeconds }

    private func begin(_ client: Client) async throws {
        let id = state.withLock { state in
            state.last += 1
            return state.last
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let isIn = state.withLock { state in
                    guard state.schedule.enqueue(id, of: client, now: now) else { return false }
                    state.continuations[id] = continuation
                    return true
                }
                guard isIn else { return continuation.resume(throwing: Problem.tooManyRequestsAtOnce) }
                // The task may have been cancelled before there was anything to remove.
                if Task.isCancelled { cancel(id, of: client) }
                beginDue()
            }
        } onCancel: {
            cancel(id, of: client)
        }
    }

    private func cancel(_ id: FairWorkSchedule.ID, of client: Client) {
        let waiting = state.withLock { state in
            state.schedule.remove(id, of: client) ? state.continuations.removeValue(forKey: id) : nil
        }
        waiting?.resume(throwing: CancellationError())
    }

    private func finish(_ client: Client, after seconds: Double) {
        state.withLock { $0.schedule.finished(of: client, after: seconds, now: now) }
        beginDue()
    }

    private func beginDue() {
        let now = now
        let (due, wakes) = state.withLock { state in
            var due: [CheckedContinuation<Void, any Error>] = []
            while let id = state.schedule.next(now: now) {
                if let begin = state.continuations.removeValue(forKey: id) { due.append(begin) }
            }
            guard let wakes = state.schedule.nextWake(now: now) else { return (due, nil as Double?) }
            if let set = state.wakeTime, set > now, set <= now + wakes { return (due, nil) }
            state.wakeTime = now + wakes
            return (due, wakes)
        }
        for begin in due { begin.resume() }
        guard let wakes else { return }
        queue.asyncAfter(deadline: .now() + .microseconds(Int(wakes * 1e6) + 500)) { [weak self] in
            guard let self else { return }
            state.withLock { $0.wakeTime = nil }
            beginDue()
        }
    }
}

extension Problem {
    static let tooManyRequestsAtOnce = Problem(
        .tooManyRequests, title: "Too many requests at once",
        detail: "You have too many concurrent requests. Wait for a response before sending the next.",
        headers: [.retryAfter: "1"])
}
