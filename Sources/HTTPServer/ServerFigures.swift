public import EventLoops
import Locking

/// What a server can say of itself while it runs; made before it, so that whoever answers its requests can tell it.
public final class ServerFigures: Sendable {
    private struct State {
        var census: Census?
        var loops: [EventLoop] = []
        var isStopping = false
    }

    private let state = Guarded(State())

    public init() {}

    func begin(_ census: Census, _ loops: [EventLoop]) {
        state.withLock { state in
            state.census = census
            state.loops = loops
        }
    }

    func beginStop() { state.withLock { $0.isStopping = true } }

    /// Whether the server takes no new connection any more; what has come on one before is still answered.
    public var isStopping: Bool { state.withLock(\.isStopping) }

    /// Connections: those open now, the clients that have them, and those refused so far because there were too many.
    public var connections: (open: Int, clients: Int, refused: Int) {
        state.withLock(\.census).map { ($0.value, $0.clients, $0.refusals) } ?? (0, 0, 0)
    }

    /// How long the turns of all loops took.
    public func turnTimes() async -> TurnTimes {
        var all = TurnTimes()
        for loop in state.withLock(\.loops) { all.add(await loop.turnTimes()) }
        return all
    }
}
