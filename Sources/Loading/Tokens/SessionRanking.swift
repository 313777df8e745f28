import Clients
import Scheduling

/// Decides which session to end when there is no room: one of the client's own if the client is over its limit,
/// otherwise one of the client that holds the most. Among a client's sessions, those without live tokens come first,
/// and then the least recently used.
///
/// A change costs O(log n) comparisons.
struct SessionRanking: Sendable {
    /// Ranks the smallest first.
    private struct Least<Value: Comparable & Sendable>: Comparable, Sendable {
        let value: Value
        static func < (left: Self, right: Self) -> Bool { left.value > right.value }
    }

    private struct Worth: Comparable, Sendable {
        let hasLive: Bool
        let lastUse: Duration
        static func < (left: Worth, right: Worth) -> Bool {
            (left.hasLive ? 1 : 0, left.lastUse) < (right.hasLive ? 1 : 0, right.lastUse)
        }
    }

    private struct Holder: Sendable {
        var sessions = IndexedHeap<SessionID, Least<Worth>>()
        var tokens = 0
    }

    private var holders: [Client: Holder] = [:]
    private var heaviest = IndexedHeap<Client, Int>()
    private var longestIdle = IndexedHeap<SessionID, Least<Duration>>()

    var isEmpty: Bool { holders.isEmpty && heaviest.isEmpty && longestIdle.isEmpty }

    /// The number of a client's sessions.
    func sessionCount(of client: Client) -> Int { holders[client]?.sessions.count ?? 0 }
    /// The number of a client's tokens, live and remembered.
    func tokenCount(of client: Client) -> Int { holders[client]?.tokens ?? 0 }

    /// The least recently used session, and when it was last used.
    var idlest: (id: SessionID, lastUse: Duration)? { longestIdle.first.map { ($0.id, $0.rank.value) } }

    /// The first of a client's sessions to end.
    func leastWorth(of client: Client) -> SessionID? { holders[client]?.sessions.first?.id }

    /// The session to end first among those of the client that holds the most; if that is `kept`, the least recently
    /// used session.
    func leastWorth(except kept: SessionID) -> SessionID? {
        if let client = heaviest.first?.id, let id = leastWorth(of: client), id != kept { return id }
        return longestIdle.first.flatMap { $0.id == kept ? nil : $0.id }
    }

    /// Adds a session of a client, or updates its rank.
    mutating func set(_ id: SessionID, of client: Client, hasLive: Bool, lastUse: Duration) {
        longestIdle.set(id, to: Least(value: lastUse))
        holders[client, default: Holder()].sessions
            .set(id, to: Least(value: Worth(hasLive: hasLive, lastUse: lastUse)))
        weigh(client)
    }

    /// Protects a session until it is set again: the client just used it, though it may have no token yet.
    mutating func keep(_ id: SessionID, of client: Client) {
        holders[client]?.sessions.set(id, to: Least(value: Worth(hasLive: true, lastUse: .seconds(Int64.max))))
    }

    mutating func remove(_ id: SessionID, of client: Client) {
        longestIdle.remove(id)
        holders[client]?.sessions.remove(id)
        weigh(client)
    }

    /// Changes the number of tokens a client holds.
    mutating func count(_ change: Int, of client: Client) {
        holders[client]?.tokens += change
        weigh(client)
    }

    private mutating func weigh(_ client: Client) {
        guard let holder = holders[client] else { return }
        if holder.sessions.isEmpty, holder.tokens <= 0 {
            holders[client] = nil
            heaviest.remove(client)
        } else {
            heaviest.set(client, to: holder.sessions.count + holder.tokens)
        }
    }
}
