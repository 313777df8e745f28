import Clients
import Locking

/// A budget of bytes that a server may hold in memory, in total and per client. One is for request bodies, another
/// for responses.
///
/// When the budget is used up, a body that needs more is refused rather than suspended: incomplete bodies waiting for
/// each other's memory would wait forever.
final class BodyBudget: Sendable {
    private struct State {
        var bytes = 0
        var held = Tally<ClientAddress>()
    }

    private let limit: Int
    private let limitPerClient: Int
    private let state = Guarded(State())

    /// - Parameters:
    ///   - limit: The bytes of all bodies.
    ///   - limitPerClient: The bytes of one client's bodies.
    init(limit: Int, perClient limitPerClient: Int) {
        self.limit = limit
        self.limitPerClient = limitPerClient
    }

    /// The bytes held now.
    var heldBytes: Int { state.withLock(\.bytes) }

    /// Counts `count` more bytes of a client. Returns false if there is no room for them.
    func take(_ count: Int, of client: ClientAddress) -> Bool {
        state.withLock { state in
            guard state.bytes + count <= limit, state.held.take(count, for: client, upTo: limitPerClient) else {
                return false
            }
            state.bytes += count
            return true
        }
    }

    func giveBack(_ count: Int, by client: ClientAddress) {
        state.withLock { state in
            state.bytes -= count
            state.held.giveBack(count, by: client)
        }
    }
}
