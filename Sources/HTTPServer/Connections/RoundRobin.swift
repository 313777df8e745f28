import Clients
import DequeModule

/// The loop's connections that have more work than fits into one turn, in round-robin order: turns rotate among
/// clients, and among a client's connections, however many it has.
struct RoundRobin<Member> {
    private var waiting: [ClientAddress?: Deque<Member>] = [:]
    private var clients: Deque<ClientAddress?> = []

    var isEmpty: Bool { clients.isEmpty }

    /// - Parameter client: Nil for connections that count for no client; together they have one client's share.
    mutating func add(_ member: Member, of client: ClientAddress?) {
        if waiting[client] == nil { clients.append(client) }
        waiting[client, default: []].append(member)
    }

    mutating func next() -> Member? {
        guard let client = clients.popFirst(), let member = waiting[client]?.popFirst() else { return nil }
        if waiting[client]?.isEmpty == true { waiting[client] = nil } else { clients.append(client) }
        return member
    }
}
