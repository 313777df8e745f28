public import EventLoops
import Locking
public import Metrics

/// A server's statistics. Created before the server, so that its responder can have them, too.
public final class ServerStatistics: Sendable {
    private struct State {
        var limiter: ConnectionLimiter?
        var counters: [RequestCounter] = []
        var isStopping = false
    }

    private let state = Guarded(State())

    public init() {}

    func begin(_ limiter: ConnectionLimiter, _ counters: [RequestCounter]) {
        state.withLock { state in
            state.limiter = limiter
            state.counters = counters
        }
    }

    func beginStop() { state.withLock { $0.isStopping = true } }

    /// Whether the server is stopping: it accepts no new connections, but still answers requests on existing ones.
    public var isStopping: Bool { state.withLock(\.isStopping) }

    /// As of now; all zero before the server has started.
    public var connections: ConnectionStatistics {
        guard let limiter = state.withLock(\.limiter) else { return ConnectionStatistics() }
        return ConnectionStatistics(
            open: limiter.value, clients: limiter.clients, refused: limiter.refusals, evicted: limiter.evictions)
    }

    /// How long the iterations of all loops took.
    public func callbackTimes() async -> CallbackTimes {
        var all = CallbackTimes()
        for counter in state.withLock(\.counters) { all.add(await counter.loop.callbackTimes()) }
        return all
    }

    /// The requests of all loops.
    public func requests() async -> RequestStatistics {
        var all = RequestStatistics()
        for counter in state.withLock(\.counters) { all.add(await counter.requests()) }
        return all
    }
}

/// The connections of a server. ``metrics`` says what each figure counts.
public struct ConnectionStatistics: Hashable, Sendable {
    public var open = 0
    public var clients = 0
    public var refused = 0
    public var evicted = 0
}

extension ConnectionStatistics: MetricsReporting {
    public static let metrics: [Metric<ConnectionStatistics>] = [
        .gauge("open", "Open connections.", \.open),
        .gauge("clients", "Clients that have a connection open.", \.clients),
        .counter("refused", "Connections refused because there were too many, in all or of one client.", \.refused),
        .counter("evicted", "Idle connections closed because there were too many in all.", \.evicted),
    ]
}
