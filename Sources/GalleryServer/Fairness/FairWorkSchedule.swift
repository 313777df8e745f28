import Clients
import DequeModule

/// Schedules work whose pieces take milliseconds: each client has one piece running at a time, and clients take
/// turns. While other clients are active, a client that has used much CPU time pauses between its pieces, so that its
/// share is limited and the rest is left to everything else. A client that is alone does not wait.
///
/// A pure value without threads or clocks; times are in seconds of one monotonic clock.
struct FairWorkSchedule {
    typealias ID = UInt64

    /// The work that a client may do before it pauses, in seconds.
    static let burst = 0.25
    /// The sustained seconds of work per second of a client.
    static let rate = 0.1

    private struct ClientQueue {
        var waiting: Deque<ID> = []
        var isRunning = false
        /// Whether the client is in `ready` or `pausing`.
        var isScheduled = false
        /// Work done and not yet compensated for, in seconds, as of `asOf`.
        var spent = 0.0
        var asOf = 0.0

        func spent(at now: Double) -> Double { max(0, spent - (now - asOf) * FairWorkSchedule.rate) }
    }

    /// The number of pieces that may run at once.
    let permits: Int
    /// The number of pieces of one client that may wait.
    let waitingPerClient: Int

    private var queues: [Client: ClientQueue] = [:]
    private var ready: Deque<Client> = []
    private var pausing: [Client] = []
    private var runningCount = 0
    private var activity = ClientActivity()

    init(permits: Int, waitingPerClient: Int) {
        self.permits = max(1, permits)
        self.waitingPerClient = waitingPerClient
    }

    var isEmpty: Bool { runningCount == 0 && ready.isEmpty && pausing.isEmpty }
    /// The number of remembered clients.
    var clientCount: Int { queues.count }

    /// Queues a piece of work for its client. Returns false if the client's queue is full.
    mutating func enqueue(_ id: ID, of client: Client, now: Double) -> Bool {
        var queue = queues[client] ?? ClientQueue(asOf: now)
        guard queue.waiting.count < waitingPerClient else { return false }
        queue.waiting.append(id)
        queues[client] = queue
        activity.note(client, now: now)
        markReady(client)
        return true
    }

    /// Removes a waiting piece. Returns false if it isn't waiting.
    mutating func remove(_ id: ID, of client: Client) -> Bool {
        guard let place = queues[client]?.waiting.firstIndex(of: id) else { return false }
        queues[client]?.waiting.remove(at: place)
        return true
    }

    /// The piece to start now, if there is one. Call it until it returns nil.
    mutating func next(now: Double) -> ID? {
        wake(now)
        while runningCount < permits, let client = ready.popFirst() {
            queues[client]?.isScheduled = false
            guard var queue = queues[client], !queue.waiting.isEmpty else {
                forgetIfIdle(client, now)
                continue
            }
            guard pause(of: queue, client, now) == 0 else {
                queues[client]?.isScheduled = true
                pausing.append(client)
                continue
            }
            let id = queue.waiting.removeFirst()
            queue.isRunning = true
            queues[client] = queue
            runningCount += 1
            return id
        }
        return nil
    }

    /// Records that a running piece has ended.
    ///
    /// - Parameter seconds: How long it took.
    mutating func finished(of client: Client, after seconds: Double, now: Double) {
        guard var queue = queues[client], queue.isRunning else { return }
        runningCount -= 1
        queue.isRunning = false
        // Limits the debt that the client ran up while it was alone.
        queue.spent = min(queue.spent(at: now) + seconds, 2 * Self.burst)
        queue.asOf = now
        queues[client] = queue
        activity.note(client, now: now)
        markReady(client)
        forgetIfIdle(client, now)
    }

    /// Seconds until a pausing client may continue; nil if none is pausing.
    func nextWake(now: Double) -> Double? {
        pausing.compactMap { client in queues[client].map { pause(of: $0, client, now) } }.min()
    }

    private mutating func markReady(_ client: Client) {
        guard var queue = queues[client], !queue.isScheduled, !queue.isRunning, !queue.waiting.isEmpty else { return }
        queue.isScheduled = true
        queues[client] = queue
        ready.append(client)
    }

    private mutating func wake(_ now: Double) {
        guard !pausing.isEmpty else { return }
        let due = pausing.filter { client in queues[client].map { pause(of: $0, client, now) == 0 } ?? true }
        guard !due.isEmpty else { return }
        pausing.removeAll { due.contains($0) }
        ready.append(contentsOf: due)
    }

    private func pause(of queue: ClientQueue, _ client: Client, _ now: Double) -> Double {
        let excess = queue.spent(at: now) - Self.burst
        guard excess > 0 else { return 0 }
        return min(excess / Self.rate, activity.othersActiveFor(for: client, now: now))
    }

    /// Forgets a client without debt. One that still has some is forgotten in a later clean-up.
    private mutating func forgetIfIdle(_ client: Client, _ now: Double) {
        func isIdle(_ queue: ClientQueue) -> Bool {
            queue.waiting.isEmpty && !queue.isRunning && !queue.isScheduled && queue.spent(at: now) == 0
        }
        if queues[client].map(isIdle) ?? false { queues[client] = nil }
        guard queues.count > 2 * remembered else { return }
        queues = queues.filter { !isIdle($0.value) }
        remembered = max(queues.count, Self.leastRemembered)
    }

    private static let leastRemembered = 512
    /// The number of clients remembered after the last clean-up.
    private var remembered = leastRemembered
}
