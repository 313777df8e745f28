import Loading
import Scheduling

@testable import Cluster

/// What the scripts do on the server, played in memory: leases, wishes, failures, and what was made.
struct ModelServer {
    struct Lease: Hashable {
        let node: Int
        let fence: UInt64
    }

    private(set) var leases: [String: Lease] = [:]
    private(set) var wishes: [String: [Wish: Priority.Lane]] = [:]
    var made: Set<SharedName> = []
    private var fences: UInt64 = 0

    struct Wish: Hashable {
        let name: SharedName
        let node: Int
    }

    /// The message, if one was published.
    typealias Published = TurnMessage

    mutating func ask(_ name: SharedName, _ urgency: Priority.Lane, by node: Int) -> (TurnBook.Reply, Published?) {
        let subject = name.subject
        if let lease = leases[subject] {
            guard lease.node != node else { return (.mine(fence: lease.fence), nil) }
            wishes[subject, default: [:]][Wish(name: name, node: node)] = urgency
            return (.held(for: .seconds(1)), .wanted(name, by: "\(lease.node)", urgency: urgency))
        }
        fences += 1
        leases[subject] = Lease(node: node, fence: fences)
        wishes[subject]?[Wish(name: name, node: node)] = nil
        return (.mine(fence: fences), nil)
    }

    /// What else is wanted, and what was published.
    mutating func end(
        _ name: SharedName, _ fence: UInt64, _ outcome: TurnOutcome, isLast: Bool, by node: Int
    ) -> (wanted: [SharedName], Published?) {
        let subject = name.subject
        guard leases[subject] == Lease(node: node, fence: fence) else { return ([], nil) }
        let before = wishes[subject] ?? [:]
        switch outcome {
        case .failed(let failure):
            wishes[subject] = nil
            if isLast { leases[subject] = nil }
            return ([], before.isEmpty ? nil : .failed(subject: subject, failure))
        case .made:
            let left = before.filter { $0.key.name != name }
            wishes[subject] = left
            let message: Published? = left.count < before.count ? .made(name) : nil
            guard isLast else { return ([], message) }
            guard left.isEmpty else { return (left.keys.map(\.name), message) }
            leases[subject] = nil
            return ([], message)
        case .gaveUp:
            guard isLast else { return ([], nil) }
            leases[subject] = nil
            wishes[subject] = nil
            return ([], before.isEmpty ? nil : .free(subject: subject))
        }
    }

    mutating func withdraw(_ name: SharedName, by node: Int) -> Published? {
        guard wishes[name.subject]?.removeValue(forKey: Wish(name: name, node: node)) != nil else { return nil }
        return wishes[name.subject]?.keys.contains { $0.name == name } == true ? nil : .unwanted(name)
    }

    /// The time of a lease has run out.
    mutating func lapse(_ subject: String) { leases[subject] = nil }

    /// Begins anew, with nothing.
    mutating func forget() {
        leases = [:]
        wishes = [:]
    }
}
