import Loading
import Scheduling

@testable import Cluster

/// An in-memory model of what the scripts do on the server: leases, requests, failures, and what was made.
struct ModelServer {
    struct Lease: Hashable {
        let node: Int
        let fence: UInt64
    }

    private(set) var leases: [String: Lease] = [:]
    private(set) var wishes: [String: [Wish: Priority.Level]] = [:]
    var made: Set<SharedName> = []
    private var fences: UInt64 = 0

    struct Wish: Hashable {
        let name: SharedName
        let node: Int
    }

    /// The published message, if there was one.
    typealias Published = LeaseMessage

    mutating func ask(_ name: SharedName, _ level: Priority.Level, by node: Int) -> (LeaseTable.Reply, Published?) {
        let subject = name.subject
        if let lease = leases[subject] {
            guard lease.node != node else { return (.granted(fence: lease.fence), nil) }
            wishes[subject, default: [:]][Wish(name: name, node: node)] = level
            return (.held(for: .seconds(1)), .requested(name, by: "\(lease.node)", level: level))
        }
        fences += 1
        leases[subject] = Lease(node: node, fence: fences)
        wishes[subject]?[Wish(name: name, node: node)] = nil
        return (.granted(fence: fences), nil)
    }

    /// Returns what else is wanted, and what was published.
    mutating func end(
        _ name: SharedName, _ fence: UInt64, _ outcome: LeaseOutcome, isLast: Bool, by node: Int
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
        case .abandoned:
            guard isLast else { return ([], nil) }
            leases[subject] = nil
            wishes[subject] = nil
            return ([], before.isEmpty ? nil : .free(subject: subject))
        }
    }

    mutating func withdraw(_ name: SharedName, by node: Int) -> Published? {
        guard wishes[name.subject]?.removeValue(forKey: Wish(name: name, node: node)) != nil else { return nil }
        return wishes[name.subject]?.keys.contains { $0.name == name } == true ? nil : .requestWithdrawn(name)
    }

    /// A lease expires.
    mutating func lapse(_ subject: String) { leases[subject] = nil }

    /// The server restarts without data.
    mutating func forget() {
        leases = [:]
        wishes = [:]
    }
}
