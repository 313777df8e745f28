import Clients
import Locking
import Synchronization

/// Counts the open connections of all shards, in total and per client.
final class ConnectionLimiter: Sendable {
    /// What to do with a new connection.
    enum Admission {
        case admitted
        /// There are too many connections in all, or of this client: say so and close it.
        case refused(byClient: Bool)
        /// There are so many that an explanation isn't worth the descriptor.
        case dropped
    }

    /// How many connections beyond the limit may be open, so that their clients can be told why they are refused. Small
    /// enough to leave some of the reserved descriptors.
    private var refusalsAtATime: Int { min(128, max(1, limit / 8)) }
    /// The same for one client.
    private static let refusalsOfClient = 16

    private let limit: Int
    private let limitPerClient: Int
    private let count = Atomic<Int>(0)
    private let held = Guarded(Tally<ClientAddress>())
    private let refusedCount = Atomic<Int>(0)
    private let evicted = Atomic<Int>(0)

    init(limit: Int, perClient: Int) {
        self.limit = limit
        limitPerClient = perClient
    }

    /// Counts a connection until ``leave(_:)``, whatever the result.
    ///
    /// - Parameters:
    ///   - client: Nil for a connection that counts for no client, such as a proxy's.
    ///   - makingRoom: Called if there are too many connections in all; closes another one, if one should give way.
    func enter(_ client: ClientAddress?, makingRoom: () -> Bool = { false }) -> Admission {
        let admission = admission(of: client, makingRoom)
        if case .admitted = admission {} else { refusedCount.wrappingAdd(1, ordering: .relaxed) }
        return admission
    }

    private func admission(of client: ClientAddress?, _ makingRoom: () -> Bool) -> Admission {
        let all = count.wrappingAdd(1, ordering: .relaxed).newValue
        let own = client.map { client in held.withLock { $0.take(for: client) } } ?? 0
        if own > limitPerClient {
            return own > limitPerClient + Self.refusalsOfClient ? .dropped : .refused(byClient: true)
        }
        guard all > limit else { return .admitted }
        guard !makingRoom() else {
            evicted.wrappingAdd(1, ordering: .relaxed)
            return .admitted
        }
        return all > limit + refusalsAtATime ? .dropped : .refused(byClient: false)
    }

    func leave(_ client: ClientAddress?) {
        count.wrappingSubtract(1, ordering: .relaxed)
        if let client { held.withLock { $0.giveBack(by: client) } }
    }

    /// Open connections.
    var value: Int { count.load(ordering: .relaxed) }
    /// Clients with open connections.
    var clients: Int { held.withLock(\.holderCount) }
    /// Connections refused so far.
    var refusals: Int { refusedCount.load(ordering: .relaxed) }
    /// Connections closed so far to make room for others.
    var evictions: Int { evicted.load(ordering: .relaxed) }
}
