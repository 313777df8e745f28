import Catalog
import EventLoops
import Images
import Locking
import Logging

extension PostgresMetadataLog {
    /// Callable on any thread; returns at once.
    public nonisolated func learned() {
        loop.execute { [self] in
            assumeIsolated { log in
                log.hasUnpublished = true
                log.wakeSignal.signal()
            }
        }
    }

    /// How far the log has been read, and which read position the outbox has stored.
    struct Position {
        var next: Int64
        var kept: Int64

        init(kept: Int64) {
            self.kept = kept
            next = kept
        }
    }

    /// The maximum number of changes without new metadata before the read position is stored.
    private static let maximumUnkept: Int64 = 10_000

    /// Reads metadata from other nodes and stores it through the outbox.
    ///
    /// - Parameter known: Nil to ask the outbox for the position.
    /// - Returns: The position from which to read on, and whether there is more.
    /// - Throws: `OutboxError` if the outbox must be asked again.
    func receive(
        _ session: LogSession, _ outbox: any MetadataOutbox, after known: Position?
    ) async throws -> (next: Position, hasMore: Bool) {
        let log = session.log
        var position: Position
        if let known {
            position = known
        } else {
            position = Position(kept: try await onOutboxQueue { try outbox.position(in: log, isAnew: false) })
            hasUnpublished = true
            let count = try await onOutboxQueue { try outbox.countUnpublished() }
            figures.withLock { $0.unpublished = count }
        }
        let received = try await session.received(after: position.next)
        guard received.head >= position.next else {
            logger.notice("PostgreSQL has lost data; all metadata is published again.")
            _ = try await onOutboxQueue { try outbox.position(in: log, isAnew: true) }
            throw OutboxError()
        }
        position.next = received.position
        if !received.metadata.isEmpty || position.next - position.kept > Self.maximumUnkept {
            try await onOutboxQueue { [position] in
                try outbox.received(received.metadata, of: log, after: position.kept, upTo: position.next)
            }
            position.kept = position.next
            figures.withLock { $0.received += received.metadata.count }
        }
        return (position, received.hasMore)
    }

    /// Publishes some of this node's unpublished metadata.
    ///
    /// - Returns: Whether there may be more.
    func publish(_ session: LogSession, _ outbox: any MetadataOutbox) async throws -> Bool {
        guard hasUnpublished else { return false }
        // Reset before the outbox is read, so that metadata added meanwhile is looked for again.
        hasUnpublished = false
        do {
            let unpublished = try await onOutboxQueue { [batch = pace.batch] in try outbox.unpublished(limit: batch) }
            guard !unpublished.isEmpty else {
                figures.withLock { $0.unpublished = 0 }
                return false
            }
            // If this is all, the read has counted it; metadata added meanwhile is counted later.
            let isAll = unpublished.metadata.count < pace.batch
            figures.withLock {
                $0.unpublished = isAll ? unpublished.metadata.count : max($0.unpublished, unpublished.metadata.count)
            }
            let refused = try await session.publish(unpublished.metadata)
            if let first = refused.first {
                logger.warning(
                    "PostgreSQL rejects image metadata.",
                    metadata: ["images": "\(refused.count)", "one": "\(first.image)"])
            }
            try await onOutboxQueue { try outbox.published(unpublished) }
            figures.withLock { figures in
                figures.published += unpublished.metadata.count - refused.count
                figures.unpublished = max(0, figures.unpublished - unpublished.metadata.count)
            }
            try await release(session) { [images = Set(unpublished.metadata.map(\.image))] content, _ in
                images.contains(content.image)
            }
        } catch {
            hasUnpublished = true
            throw error
        }
        hasUnpublished = true
        return true
    }
}
