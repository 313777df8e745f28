import Clients
import DequeModule

/// Decides whose work is done next, where a piece of it takes milliseconds: each client has one piece in hand at a time,
/// and the clients go round. A client that has worked for long rests in between, as long as others work too: what it may
/// take of the processor is then a share of it that leaves the rest to everything else. Whoever is alone does not wait.
///
/// A pure value: it knows neither threads nor clocks; times are seconds of one monotonic clock.
struct WorkShares {
    typealias ID = UInt64

    /// Work that a client may do before it rests, in seconds.
    static let burst = 0.25
    /// Seconds of work that a client may do in a second, on and on.
    static let rate = 0.1

    private struct Line {
        var waiting: Deque<ID> = []
        var isServed = false
        /// Whether the client stands in `ready` or in `resting`.
        var isListed = false
        /// Work that was done and is not made up for yet, in seconds, as of `asOf`.
        var spent = 0.0
        var asOf = 0.0

        func spent(at now: Double) -> Double { max(0, spent - (now - asOf) * WorkShares.rate) }
    }

    /// How many pieces are in hand at once.
    let places: Int
    /// How many pieces of one client may wait.
    let waitingPerClient: Int

    private var lines: [Client: Line] = [:]
    private var ready: Deque<Client> = []
    private var resting: [Client] = []
    private var inHand = 0
    private var company = Company()

    init(places: Int, waitingPerClient: Int) {
        self.places = max(1, places)
        self.waitingPerClient = waitingPerClient
    }

    var isEmpty: Bool { inHand == 0 && ready.isEmpty && resting.isEmpty }
    /// Clients that are remembered.
    var clientCount: Int { lines.count }

    /// Puts a piece of work in its client's line; false when as many wait there as may.
    mutating func enqueue(_ id: ID, of client: Client, now: Double) -> Bool {
        var line = lines[client] ?? Line(asOf: now)
        guard line.waiting.count < waitingPerClient else { return false }
        line.waiting.append(id)
        lines[client] = line
        company.note(client, now: now)
        list(client)
        return true
    }

    /// Takes out a piece that waits; false when it does not.
    mutating func remove(_ id: ID, of client: Client) -> Bool {
        guard let place = lines[client]?.waiting.firstIndex(of: id) else { return false }
        lines[client]?.waiting.remove(at: place)
        return true
    }

    /// The piece to begin now, if there is one. Call it until it answers nil.
    mutating func next(now: Double) -> ID? {
        wake(now)
        while inHand < places, let client = ready.popFirst() {
            lines[client]?.isListed = false
            guard var line = lines[client], !line.waiting.isEmpty else {
                forgetIfIdle(client, now)
                continue
            }
            guard rest(of: line, client, now) == 0 else {
                lines[client]?.isListed = true
                resting.append(client)
                continue
            }
            let id = line.waiting.removeFirst()
            line.isServed = true
            lines[client] = line
            inHand += 1
            return id
        }
        return nil
    }

    /// A piece that was begun is over.
    ///
    /// - Parameter seconds: how long it took.
    mutating func finished(of client: Client, after seconds: Double, now: Double) {
        guard var line = lines[client], line.isServed else { return }
        inHand -= 1
        line.isServed = false
        // What was worked while nobody else was there is not held against a client for long.
        line.spent = min(line.spent(at: now) + seconds, 2 * Self.burst)
        line.asOf = now
        lines[client] = line
        company.note(client, now: now)
        list(client)
        forgetIfIdle(client, now)
    }

    /// Seconds until a client that rests may go on; nil when none rests.
    func wakes(now: Double) -> Double? {
        resting.compactMap { client in lines[client].map { rest(of: $0, client, now) } }.min()
    }

    private mutating func list(_ client: Client) {
        guard var line = lines[client], !line.isListed, !line.isServed, !line.waiting.isEmpty else { return }
        line.isListed = true
        lines[client] = line
        ready.append(client)
    }

    private mutating func wake(_ now: Double) {
        guard !resting.isEmpty else { return }
        let due = resting.filter { client in lines[client].map { rest(of: $0, client, now) == 0 } ?? true }
        guard !due.isEmpty else { return }
        resting.removeAll { due.contains($0) }
        ready.append(contentsOf: due)
    }

    private func rest(of line: Line, _ client: Client, _ now: Double) -> Double {
        let excess = line.spent(at: now) - Self.burst
        guard excess > 0 else { return 0 }
        return min(excess / Self.rate, company.lasts(for: client, now: now))
    }

    /// Forgets a client that owes nothing. One that still does is forgotten when others come and go.
    private mutating func forgetIfIdle(_ client: Client, _ now: Double) {
        func isIdle(_ line: Line) -> Bool {
            line.waiting.isEmpty && !line.isServed && !line.isListed && line.spent(at: now) == 0
        }
        if lines[client].map(isIdle) ?? false { lines[client] = nil }
        guard lines.count > 2 * remembered else { return }
        lines = lines.filter { !isIdle($0.value) }
        remembered = max(lines.count, Self.leastRemembered)
    }

    private static let leastRemembered = 512
    /// How many were remembered when the idle ones were forgotten last.
    private var remembered = leastRemembered
}
