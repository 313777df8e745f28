import Catalog
import Dispatch
import Images
import Locking

/// A metadata log in memory.
final class MemoryLog: Sendable {
    struct Entry {
        let metadata: SharedMetadata
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

    /// Makes the log unreachable for all nodes, or reachable again.
    func setAway(_ isAway: Bool) {
        state.withLock { $0.isAway = isAway }
        wakeAll()
    }

    func wakeAll() {
        for node in state.withLock(\.nodes) { node.learned() }
    }
}

/// One node's access to the log.
final class MemorySharing: MetadataSharing {
    private let log: MemoryLog
    private let queue = DispatchQueue(label: "test.sharing")
    private let ledger = Guarded<(any MetadataOutbox)?>(nil)
    private static let name = "memory"

    init(_ log: MemoryLog) { self.log = log }

    func start(_ ledger: any MetadataOutbox) {
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
            return (news.map(\.metadata), state.change)
        }
        try ledger.received(news, of: Self.name, after: former, upTo: position)
        let unpublished = try ledger.unpublished(limit: 100)
        guard !unpublished.isEmpty else { return }
        log.state.withLock { state in
            for metadata in unpublished.metadata {
                state.change += 1
                state.entries[metadata.image] = MemoryLog.Entry(metadata: metadata, change: state.change, node: own)
                state.claims = state.claims.filter { $0.key.image != metadata.image }
            }
        }
        try ledger.published(unpublished)
        log.wakeAll()
    }

    func claim(_ contents: [ImageContent], granted: @escaping @Sendable (Set<ImageContent>) -> Void) {
        let own = ObjectIdentifier(self)
        granted(
            log.state.withLock { state in
                guard !state.isAway else { return Set(contents) }
                let free = contents.filter { content in
                    state.claims[content] == nil && state.entries[content.image]?.metadata.version != content.version
                }
                for content in free { state.claims[content] = own }
                return Set(free)
            })
    }

    func release(_ contents: [ImageContent]) {
        log.state.withLock { state in for content in contents { state.claims[content] = nil } }
    }
}
