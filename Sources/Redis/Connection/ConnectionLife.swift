/// Whether a server is there, as a value: when a connection is tried, when it counts, and when it is given up.
///
/// Events go in, and what is to be done comes out. A server that hangs is a server that is away: after some commands in a
/// row without an answer the connection is given up, so that from then on nobody waits for it.
struct ConnectionLife: Sendable {
    enum State: Hashable, Sendable {
        /// No connection; another is tried after a pause.
        case resting(failures: Int)
        /// A connection is being made, or its server has not let one in yet.
        case greeting(failures: Int)
        /// Commands are answered; so many in a row were not in time.
        case connected(silent: Int)
        case stopped
    }

    enum Effect: Hashable, Sendable {
        case connect
        /// To be told of by ``woke()``.
        case wait(Duration)
        /// Closes the connection; to be told of by nothing more.
        case drop
    }

    private(set) var state = State.resting(failures: 0)
    private let mostSilent: Int
    private let firstPause: Duration
    private let longestPause: Duration

    init(mostSilent: Int, firstPause: Duration, longestPause: Duration) {
        self.mostSilent = mostSilent
        self.firstPause = firstPause
        self.longestPause = longestPause
    }

    var isConnected: Bool {
        if case .connected = state { true } else { false }
    }

    /// The beginning, or the end of a pause.
    mutating func woke() -> [Effect] {
        guard case .resting(let failures) = state else { return [] }
        state = .greeting(failures: failures)
        return [.connect]
    }

    /// The server has let us in.
    mutating func greeted() {
        guard case .greeting = state else { return }
        state = .connected(silent: 0)
    }

    /// The connection was refused, has ended, or its greeting took too long.
    ///
    /// - Parameter chance: From 0 to 1: where in the second half of the nominal pause to go, so that nodes which lost the
    ///   same server do not come back together.
    mutating func ended(chance: Double) -> [Effect] {
        switch state {
        case .greeting(let failures): rest(after: failures, chance)
        case .connected: rest(after: 0, chance)
        case .resting, .stopped: []
        }
    }

    /// A command was answered, whatever the answer.
    mutating func answered() {
        guard case .connected = state else { return }
        state = .connected(silent: 0)
    }

    /// A command's time ran out.
    mutating func timedOut(chance: Double) -> [Effect] {
        guard case .connected(let silent) = state else { return [] }
        guard silent + 1 >= mostSilent else {
            state = .connected(silent: silent + 1)
            return []
        }
        return [.drop] + rest(after: 0, chance)
    }

    mutating func stop() -> [Effect] {
        defer { state = .stopped }
        switch state {
        case .greeting, .connected: return [.drop]
        case .resting, .stopped: return []
        }
    }

    private mutating func rest(after failures: Int, _ chance: Double) -> [Effect] {
        state = .resting(failures: failures + 1)
        let nominal = min(firstPause * (1 << min(failures, 16)), longestPause)
        return [.wait(nominal / 2 + nominal / 2 * min(max(chance, 0), 1))]
    }
}
