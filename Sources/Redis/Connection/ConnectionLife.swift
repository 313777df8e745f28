/// Whether a server is there, as a value: when a connection is tried, when it counts, and when it is given up.
///
/// Events go in, with their moment, and what is to be done comes out. A server that hangs is a server that is away: when it
/// has owed answers for a while and given none, the connection is given up, so that from then on nobody waits for it. A
/// connection that ends soon is an attempt in vain.
struct ConnectionLife: Sendable {
    typealias Moment = ContinuousClock.Instant

    enum State: Hashable, Sendable {
        /// No connection; another is tried after a pause.
        case resting(failures: Int)
        /// A connection is being made, or its server has not let one in yet.
        case greeting(failures: Int)
        case connected(Standing)
        case stopped
    }

    /// A connection whose server answers commands.
    struct Standing: Hashable, Sendable {
        /// Attempts in vain before it.
        let failures: Int
        let since: Moment
        /// Since when an answer is owed and none has come.
        var silentSince: Moment?
    }

    enum Effect: Hashable, Sendable {
        case connect
        /// To be told of by ``woke()``.
        case wait(Duration)
        /// Closes the connection; to be told of by nothing more.
        case drop
    }

    private(set) var state = State.resting(failures: 0)
    private let longestSilence: Duration
    private let firstPause: Duration
    private let longestPause: Duration
    private let steadyTime: Duration

    init(_ configuration: RedisClient.Configuration) {
        longestSilence = configuration.longestSilence
        firstPause = configuration.firstPause
        longestPause = configuration.longestPause
        steadyTime = configuration.steadyTime
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
    mutating func greeted(at now: Moment) {
        guard case .greeting(let failures) = state else { return }
        state = .connected(Standing(failures: failures, since: now))
    }

    /// The connection was refused, has ended, or its greeting took too long.
    ///
    /// - Parameter chance: From 0 to 1: where in the second half of the nominal pause to go, so that nodes which lost the
    ///   same server do not come back together.
    mutating func ended(at now: Moment, chance: Double) -> [Effect] {
        switch state {
        case .greeting(let failures): rest(after: failures, chance)
        case .connected(let standing): rest(after: failures(of: standing, at: now), chance)
        case .resting, .stopped: []
        }
    }

    /// A command was sent.
    mutating func sent(at now: Moment) {
        guard case .connected(var standing) = state, standing.silentSince == nil else { return }
        standing.silentSince = now
        state = .connected(standing)
    }

    /// A command was answered, whatever the answer.
    ///
    /// - Parameter isOwed: Whether others still wait for theirs.
    mutating func answered(at now: Moment, isOwed: Bool) {
        guard case .connected(var standing) = state else { return }
        standing.silentSince = isOwed ? now : nil
        state = .connected(standing)
    }

    /// A command's time ran out.
    mutating func timedOut(at now: Moment, chance: Double) -> [Effect] {
        guard case .connected(let standing) = state, let since = standing.silentSince,
            since.duration(to: now) >= longestSilence
        else { return [] }
        return [.drop] + rest(after: failures(of: standing, at: now), chance)
    }

    mutating func stop() -> [Effect] {
        defer { state = .stopped }
        switch state {
        case .greeting, .connected: return [.drop]
        case .resting, .stopped: return []
        }
    }

    private func failures(of standing: Standing, at now: Moment) -> Int {
        standing.since.duration(to: now) < steadyTime ? standing.failures : 0
    }

    private mutating func rest(after failures: Int, _ chance: Double) -> [Effect] {
        state = .resting(failures: failures + 1)
        let nominal = min(firstPause * (1 << min(failures, 16)), longestPause)
        return [.wait(nominal / 2 + nominal / 2 * min(max(chance, 0), 1))]
    }
}
