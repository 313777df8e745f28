import Catalog
import EventLoops
import Images
import Locking
import Logging

extension PostgresFactsLog {
    /// Any thread; returns at once.
    public nonisolated func learned() {
        loop.execute { [self] in
            assumeIsolated { log in
                log.hasUntold = true
                log.bell.ring()
            }
        }
    }

    /// How far the log is followed, and how far the ledger has kept that it was.
    struct Position {
        var next: Int64
        var kept: Int64

        init(kept: Int64) {
            self.kept = kept
            next = kept
        }
    }

    /// Changes that were passed over, for they told nothing new, before it is kept that they were.
    private static let mostUnkept: Int64 = 10_000

    /// Takes some of what others have told into the ledger.
    ///
    /// - Parameter known: nil where the ledger is to be asked.
    /// - Returns: From where the log is to be followed next, and whether there is more.
    /// - Throws: `LedgerError` where the ledger is to be asked anew.
    func hear(
        _ session: LogSession, _ ledger: any FactsLedger, after known: Position?
    ) async throws -> (next: Position, hasMore: Bool) {
        let log = session.log
        var position: Position
        if let known {
            position = known
        } else {
            position = Position(kept: try await atDesk { try ledger.position(in: log, isAnew: false) })
            hasUntold = true
            let count = try await atDesk { try ledger.countUntold() }
            figures.withLock { $0.untold = count }
        }
        let heard = try await session.heard(after: position.next)
        guard heard.head >= position.next else {
            logger.notice("PostgreSQL knows less than before; it is told everything again.")
            _ = try await atDesk { try ledger.position(in: log, isAnew: true) }
            throw LedgerError()
        }
        position.next = heard.position
        if !heard.facts.isEmpty || position.next - position.kept > Self.mostUnkept {
            try await atDesk { [position] in
                try ledger.heard(heard.facts, of: log, after: position.kept, upTo: position.next)
            }
            position.kept = position.next
            figures.withLock { $0.heard += heard.facts.count }
        }
        return (position, heard.hasMore)
    }

    /// Tells some of what was learnt here and not told yet.
    ///
    /// - Returns: Whether there may be more.
    func tell(_ session: LogSession, _ ledger: any FactsLedger) async throws -> Bool {
        guard hasUntold else { return false }
        // Before the ledger is read: what comes meanwhile is looked for again.
        hasUntold = false
        do {
            let untold = try await atDesk { [batch = pace.batch] in try ledger.untold(limit: batch) }
            guard !untold.isEmpty else {
                figures.withLock { $0.untold = 0 }
                return false
            }
            // Where this is all that there is, it was counted by being read; what is learnt meanwhile is another part.
            let isAll = untold.facts.count < pace.batch
            figures.withLock { $0.untold = isAll ? untold.facts.count : max($0.untold, untold.facts.count) }
            let refused = try await session.tell(untold.facts)
            if let first = refused.first {
                logger.warning(
                    "PostgreSQL refuses what is known of images.",
                    metadata: ["images": "\(refused.count)", "one": "\(first.image)"])
            }
            try await atDesk { try ledger.told(untold) }
            figures.withLock { figures in
                figures.told += untold.facts.count - refused.count
                figures.untold = max(0, figures.untold - untold.facts.count)
            }
            try await release(session) { [images = Set(untold.facts.map(\.image))] content, _ in
                images.contains(content.image)
            }
        } catch {
            hasUntold = true
            throw error
        }
        hasUntold = true
        return true
    }
}
