import Clients

/// The connections of a shard that can be closed to make room for others, so that no client can lock out the rest.
///
/// First come those that have not sent a whole request yet, then those that are idle between requests. Within either
/// group, the client with the most of them loses one, the one that has waited longest, and so on until all are down to
/// the same number. The networks of one IPv6 site count together, and connections of proxies are never closed.
///
/// Built at most every ``lifetime``, whatever the number of new connections.
struct EvictionQueue {
    /// How long a queue is used, in nanoseconds.
    static let lifetime: UInt64 = 50_000_000

    private struct Group: Hashable {
        let site: ClientAddress.Site
        let isSilent: Bool
    }

    private struct Candidate {
        let connection: Connection
        let group: Group
        /// How many connections its group has when this one's turn comes, with this one.
        let remaining: Int
    }

    /// The next one last.
    private var candidates: [Candidate] = []
    /// How many connections each site has, of both groups, and of those admitted since.
    private var counts = Tally<ClientAddress.Site>()
    private let builtAt: UInt64

    init(_ connections: some Sequence<Connection>, at now: UInt64) {
        builtAt = now
        var groups: [Group: [Connection]] = [:]
        for connection in connections {
            guard let site = connection.countedClient?.site, connection.isIdle else { continue }
            groups[Group(site: site, isSilent: connection.isSilent), default: []].append(connection)
            _ = counts.take(for: site)
        }
        for (group, members) in groups {
            // The newest one remains until last.
            for (index, connection) in members.sorted(by: { $0.waitsSince > $1.waitsSince }).enumerated() {
                candidates.append(Candidate(connection: connection, group: group, remaining: index + 1))
            }
        }
        candidates.sort { one, other in
            if one.group.isSilent != other.group.isSilent { return other.group.isSilent }
            if one.remaining != other.remaining { return one.remaining < other.remaining }
            return one.connection.waitsSince > other.connection.waitsSince
        }
    }

    func isOutdated(at now: UInt64) -> Bool { now < builtAt || now - builtAt > Self.lifetime }

    /// Takes the connection to be closed in favour of a new one, which then counts for `client`.
    ///
    /// - Parameter client: Nil for a proxy.
    /// - Returns: Nil if no other client has more connections than this one would have, and none is silent.
    mutating func next(for client: ClientAddress?) -> Connection? {
        let own = client.map { counts[$0.site] } ?? 0
        while let candidate = candidates.last {
            // A silent connection gives way even to a client with as many: it has had time to send something.
            guard candidate.remaining > (candidate.group.isSilent ? own : own + 1) else { return nil }
            candidates.removeLast()
            let connection = candidate.connection
            guard connection.isIdle, connection.isSilent == candidate.group.isSilent else { continue }
            counts.giveBack(by: candidate.group.site)
            if let client { _ = counts.take(for: client.site) }
            return connection
        }
        return nil
    }
}

extension Connection {
    /// Whether it waits for a request, and has nothing else to do.
    fileprivate var isIdle: Bool {
        phase == .open && channel == nil && exchanges.isEmpty && receiving == nil && heldBack == nil && takesRequests
    }

    /// Whether it has never sent a whole request head.
    fileprivate var isSilent: Bool { nextNumber == 0 }
}
