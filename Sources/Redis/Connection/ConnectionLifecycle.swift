/// A state machine for the connection to a server: when to connect, when the connection counts, and when to give it up.
///
/// Events go in with their time, and effects come out. A server that hangs counts as away: after some time without
/// replies the connection is given up, so that nobody waits for it any longer. A connection that ends early counts as a
/// failed attempt.
struct ConnectionLifecycle: Sendable {
    typealias Instant = ContinuousClock.Instant

    enum State: Hashable, Sendable {
        /// No connection; the next attempt follows after a pause.
        case resting(failures: Int)
        /// Connecting, or waiting for the server to accept the connection.
        case greeting(failures: Int)
        case connected(Established)
        case stopped
    }

    /// A connection whose server answers commands.
    struct Established: Hashable, Sendable {
        /// The number of failed attempts before it.
        let failures: Int
        let since: Instant
        /// The time since which a reply has been due and none has arrived.
        var silentSince: Instant?
    }

    enum Effect: Hashable, Sendable {
        case connect
        /// Waits, and then calls ``timerFired()``.
        case wait(Duration)
        /// Closes the connection; no further event of it may be reported.
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

    /// Begins to connect: at the start, and at the end of each pause.
    mutating func timerFired() -> [Effect] {
        guard case .resting(let failures) = state else { return [] }
        state = .greeting(failures: failures)
        return [.connect]
    }

    /// The server has accepted the connection.
    mutating func greeted(at now: Instant) {
        guard case .greeting(let failures) = state else { return }
        state = .connected(Established(failures: failures, since: now))
    }

    /// The connection was refused, has ended, or its greeting timed out.
    ///
    /// - Parameter chance: Jitter from 0 to 1, the position in the second half of the nominal pause, so that nodes that
    ///   lost the same server do not reconnect at the same time.
    mutating func ended(at now: Instant, chance: Double) -> [Effect] {
        switch state {
        case .greeting(let failures): rest(after: failures, chance)
        case .connected(let established): rest(after: failures(of: established, at: now), chance)
        case .resting, .stopped: []
        }
    }

    /// A command was sent.
    mutating func sent(at now: Instant) {
        guard case .connected(var established) = state, established.silentSince == nil else { return }
        established.silentSince = now
        state = .connected(established)
    }

    /// A command got its reply, whatever it says.
    ///
    /// - Parameter isOwed: Whether other commands still wait for replies.
    mutating func answered(at now: Instant, isOwed: Bool) {
        guard case .connected(var established) = state else { return }
        established.silentSince = isOwed ? now : nil
        state = .connected(established)
    }

    /// A command timed out.
    mutating func timedOut(at now: Instant, chance: Double) -> [Effect] {
        guard case .connected(let established) = state, let since = established.silentSince,
            since.duration(to: now) >= longestSilence
        else { return [] }
        return [.drop] + rest(after: failures(of: established, at: now), chance)
    }

    mutating func stop() -> [Effect] {
        defer { state = .stopped }
        switch state {
        case .greeting, .connected: return [.drop]
        case .resting, .stopped: return []
        }
    }

    private func failures(of established: Established, at now: Instant) -> Int {
        established.since.duration(to: now) < steadyTime ? established.failures : 0
    }

    private mutating func rest(after failures: Int, _ chance: Double) -> [Effect] {
        state = .resting(failures: failures + 1)
        let nominal = min(firstPause * (1 << min(failures, 16)), longestPause)
        return [.wait(nominal / 2 + nominal / 2 * min(max(chance, 0), 1))]
    }
}
