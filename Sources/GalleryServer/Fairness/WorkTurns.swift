import Clients
import Dispatch
import HTTPServer
import HTTPTypes
import Loading
import Locking

/// Has clients take turns at work that takes milliseconds: orders of tokens, and pages. Done on the concurrent pool, off
/// the loops, by ``WorkShares``.
final class WorkTurns: Sendable {
    private struct State {
        var shares: WorkShares
        var begins: [WorkShares.ID: CheckedContinuation<Void, any Error>] = [:]
        var last: WorkShares.ID = 0
        /// When those who rest will be looked after, in seconds; nil when nothing is set.
        var wakesAt: Double?
    }

    private let state: Guarded<State>
    private let time: any TimeKeeping
    private let queue = DispatchQueue(label: "tessera.turns")

    /// - Parameters:
    ///   - places: how many pieces of work go on at once.
    ///   - waitingPerClient: how many of one client may wait.
    init(places: Int = 4, waitingPerClient: Int = 64, time: any TimeKeeping = SystemTime()) {
        state = Guarded(State(shares: WorkShares(places: places, waitingPerClient: waitingPerClient)))
        self.time = time
    }

    /// Does work when it is the client's turn.
    ///
    /// - Throws: what the work throws; a `Problem` with status 429 when too much of the client waits; `CancellationError`
    ///   when the task is cancelled before the turn comes.
    func take<Value: Sendable>(
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
                    guard state.shares.enqueue(id, of: client, now: now) else { return false }
                    state.begins[id] = continuation
                    return true
                }
                guard isIn else { return continuation.resume(throwing: Problem.tooManyOrders) }
                // A cancel may have come before there was anything to take out.
                if Task.isCancelled { cancel(id, of: client) }
                beginDue()
            }
        } onCancel: {
            cancel(id, of: client)
        }
    }

    private func cancel(_ id: WorkShares.ID, of client: Client) {
        let waiting = state.withLock { state in
            state.shares.remove(id, of: client) ? state.begins.removeValue(forKey: id) : nil
        }
        waiting?.resume(throwing: CancellationError())
    }

    private func finish(_ client: Client, after seconds: Double) {
        state.withLock { $0.shares.finished(of: client, after: seconds, now: now) }
        beginDue()
    }

    private func beginDue() {
        let now = now
        let (due, wakes) = state.withLock { state in
            var due: [CheckedContinuation<Void, any Error>] = []
            while let id = state.shares.next(now: now) {
                if let begin = state.begins.removeValue(forKey: id) { due.append(begin) }
            }
            guard let wakes = state.shares.wakes(now: now) else { return (due, nil as Double?) }
            if let set = state.wakesAt, set > now, set <= now + wakes { return (due, nil) }
            state.wakesAt = now + wakes
            return (due, wakes)
        }
        for begin in due { begin.resume() }
        guard let wakes else { return }
        queue.asyncAfter(deadline: .now() + .microseconds(Int(wakes * 1e6) + 500)) { [weak self] in
            guard let self else { return }
            state.withLock { $0.wakesAt = nil }
            beginDue()
        }
    }
}

extension Problem {
    static let tooManyOrders = Problem(
        .tooManyRequests, title: "Too many requests at once",
        detail: "Your address asks for more at once than it is given. Wait for an answer before the next request.",
        headers: [.retryAfter: "1"])
}
