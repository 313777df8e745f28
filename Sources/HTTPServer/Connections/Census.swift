import Clients
import Locking
import Synchronization

/// How many connections are open in all shards, and of each client.
final class Census: Sendable {
    /// What becomes of a connection that has come.
    enum Admission {
        case admitted
        /// There are too many in all, or of its client: it is told so and closed.
        case turnedAway(byClient: Bool)
        /// There are so many that telling is not worth the descriptor.
        case dropped
    }

    /// Connections beyond the limit that get to know why, at a time: few enough to leave the descriptors that are in
    /// reserve.
    private var refusalsAtATime: Int { min(128, max(1, limit / 8)) }
    /// The same for one client.
    private static let refusalsOfClient = 16

    private let limit: Int
    private let limitPerClient: Int
    private let count = Atomic<Int>(0)
    private let held = Guarded(Tally<Client>())
    private let refused = Atomic<Int>(0)

    init(limit: Int, perClient: Int) {
        self.limit = limit
        limitPerClient = perClient
    }

    /// Counts one more, until ``leave(_:)``, whatever becomes of it.
    ///
    /// - Parameter client: Nil for one that is nobody's, such as a proxy's.
    func enter(_ client: Client?) -> Admission {
        let admission = admission(of: client)
        if case .admitted = admission {} else { refused.wrappingAdd(1, ordering: .relaxed) }
        return admission
    }

    private func admission(of client: Client?) -> Admission {
        let all = count.wrappingAdd(1, ordering: .relaxed).newValue
        let own = client.map { client in held.withLock { $0.take(for: client) } }
        if all > limit + refusalsAtATime { return .dropped }
        if let own, own > limitPerClient {
            return own > limitPerClient + Self.refusalsOfClient ? .dropped : .turnedAway(byClient: true)
        }
        return all > limit ? .turnedAway(byClient: false) : .admitted
    }

    func leave(_ client: Client?) {
        count.wrappingSubtract(1, ordering: .relaxed)
        if let client { held.withLock { $0.giveBack(by: client) } }
    }

    /// Open connections.
    var value: Int { count.load(ordering: .relaxed) }
    /// Clients that have some.
    var clients: Int { held.withLock(\.holderCount) }
    /// Connections refused so far.
    var refusals: Int { refused.load(ordering: .relaxed) }
}
