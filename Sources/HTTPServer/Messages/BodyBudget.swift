import Clients
import Locking

/// How many bytes of bodies a server may hold in memory, together and of one client: one for the bodies of requests,
/// another for those of answers.
///
/// When it is used up, a body that brings more is refused and not held back: bodies that wait for each other's room,
/// none of them whole, would wait for ever.
final class BodyBudget: Sendable {
    private struct State {
        var bytes = 0
        var held = Tally<Client>()
    }

    private let limit: Int
    private let limitPerClient: Int
    private let state = Guarded(State())

    /// - Parameters:
    ///   - limit: bytes of all bodies.
    ///   - limitPerClient: bytes of the bodies of one client.
    init(limit: Int, perClient limitPerClient: Int) {
        self.limit = limit
        self.limitPerClient = limitPerClient
    }

    /// Bytes that are held at this moment.
    var heldBytes: Int { state.withLock(\.bytes) }

    /// Counts `count` bytes more of a client, if there is room for them.
    func take(_ count: Int, of client: Client) -> Bool {
        state.withLock { state in
            guard state.bytes + count <= limit, state.held.take(count, for: client, upTo: limitPerClient) else {
                return false
            }
            state.bytes += count
            return true
        }
    }

    func giveBack(_ count: Int, by client: Client) {
        state.withLock { state in
            state.bytes -= count
            state.held.giveBack(count, by: client)
        }
    }
}
