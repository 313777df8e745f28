import Catalog
import Dispatch
import Images
import Locking

/// What nodes share, in memory.
final class MemoryLog: Sendable {
    struct Entry {
        let facts: SharedFacts
        let change: Int64
        let node: ObjectIdentifier
    }

    struct State {
        var entries: [ImageID: Entry] = [:]
        var change: Int64 = 0
        var claims: [ImageContent: ObjectIdentifier] = [:]
        var nodes: [MemorySharing] = []
        var isAway = false
    }

    let state = Guarded(State())

    /// Whether it is not there for anybody.
    func setAway(_ isAway: Bool) {
        state.withLock { $0.isAway = isAway }
        wakeAll()
    }

    func wakeAll() {
        for node in state.withLock(\.nodes) { node.learned() }
    }
}

/// One node's share of it.
final class MemorySharing: FactsSharing {
    private let log: MemoryLog
    private let queue = DispatchQueue(label: "test.sharing")
    private let ledger = Guarded<(any FactsLedger)?>(nil)
    private static let name = "memory"

    init(_ log: MemoryLog) { self.log = log }

    func start(_ ledger: any FactsLedger) {
        self.ledger.withLock { $0 = ledger }
        log.state.withLock { $0.nodes.append(self) }
        learned()
    }

    func stop() {
        log.state.withLock { state in
            state.nodes.removeAll { $0 === self }
            state.claims = state.claims.filter { $0.value != ObjectIdentifier(self) }
        }
        queue.sync { ledger.withLock { $0 = nil } }
    }

    func learned() { queue.async { try? self.turn() } }

    private func turn() throws {
        guard let ledger = ledger.withLock(\.self), !log.state.withLock(\.isAway) else { return }
        let own = ObjectIdentifier(self)
        let former = try ledger.position(in: Self.name, isAnew: false)
        let (news, position) = log.state.withLock { state in
            let news = state.entries.values.filter { $0.change > former && $0.node != own }
            return (news.map(\.facts), state.change)
        }
        try ledger.heard(news, of: Self.name, after: former, upTo: position)
        let untold = try ledger.untold(limit: 100)
        guard !untold.isEmpty else { return }
        log.state.withLock { state in
            for facts in untold.facts {
                state.change += 1
                state.entries[facts.image] = MemoryLog.Entry(facts: facts, change: state.change, node: own)
                state.claims = state.claims.filter { $0.key.image != facts.image }
            }
        }
        try ledger.told(untold)
        log.wakeAll()
    }

    func claim(_ contents: [ImageContent], granted: @escaping @Sendable (Set<ImageContent>) -> Void) {
        let own = ObjectIdentifier(self)
        granted(
            log.state.withLock { state in
                guard !state.isAway else { return Set(contents) }
                let free = contents.filter { content in
                    state.claims[content] == nil && state.entries[content.image]?.facts.version != content.version
                }
                for content in free { state.claims[content] = own }
                return Set(free)
            })
    }

    func release(_ contents: [ImageContent]) {
        log.state.withLock { state in for content in contents { state.claims[content] = nil } }
    }
}
