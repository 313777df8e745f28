import Clients
import DequeModule

/// Connections of one loop that have more to do than fits in a turn, and when each goes on: turns go round the clients, and
/// among a client's connections round these, however many it has.
struct Rounds<Member> {
    private var waiting: [Client?: Deque<Member>] = [:]
    private var clients: Deque<Client?> = []

    var isEmpty: Bool { clients.isEmpty }

    /// - Parameter client: nil for what is nobody's, which together has the share of one.
    mutating func add(_ member: Member, of client: Client?) {
        if waiting[client] == nil { clients.append(client) }
        waiting[client, default: []].append(member)
    }

    mutating func next() -> Member? {
        guard let client = clients.popFirst(), let member = waiting[client]?.popFirst() else { return nil }
        if waiting[client]?.isEmpty == true { waiting[client] = nil } else { clients.append(client) }
        return member
    }
}
