import Dispatch
import Images
import Locking

/// Writes what a scan has seen to the index, batch after batch in their order, beside the reading: one waits for disks
/// while the other reckons.
final class BatchWriter: @unchecked Sendable {
    // Sendable because what changes is touched on the queue alone, but for what is guarded.

    typealias Seen = (id: ImageID, known: UInt32?, sighting: Sighting)

    /// Batches that wait to be written, at most; whoever reads faster waits.
    private static let mostWaiting = 4

    private let index: Index
    private let nextRevision: @Sendable () -> UInt64
    private let queue = DispatchQueue(label: "tessera.catalog.scan.write")
    private let room = DispatchSemaphore(value: mostWaiting)
    private var builder = ListingBuilder()
    private var nextRow: UInt32
    private var isNews = false
    /// The first; nothing is written after it.
    private let error = Guarded<(any Error)?>(nil)

    /// - Parameters:
    ///   - nextRow: the number of the next new row.
    ///   - nextRevision: the revision in which the images will be seen; called anywhere.
    init(index: Index, nextRow: UInt32, nextRevision: @escaping @Sendable () -> UInt64) {
        self.index = index
        self.nextRow = nextRow
        self.nextRevision = nextRevision
    }

    /// Blocks while too many wait.
    ///
    /// - Throws: what went wrong with any batch before.
    func write(_ batch: [Seen]) throws {
        room.wait()
        if let error = error.withLock({ $0 }) {
            room.signal()
            throw error
        }
        queue.async { [self] in
            defer { room.signal() }
            guard error.withLock({ $0 }) == nil else { return }
            do {
                let written = try index.write(batch, nextRow: &nextRow, revision: nextRevision())
                for (seen, row) in zip(batch, written.rows) { builder.append(seen.id, row: row) }
                isNews = isNews || written.isNews
            } catch {
                self.error.withLock { $0 = error }
            }
        }
    }

    /// Drops what waits, and returns when nothing is being written any more.
    func end() {
        error.withLock { $0 = $0 ?? CancellationError() }
        queue.sync {}
    }

    /// What was written until now, and whether any image came or changed. Blocks until it is.
    ///
    /// - Throws: what went wrong with any of it.
    func written() throws -> (listing: Listing, isNews: Bool) {
        try queue.sync {
            if let error = error.withLock({ $0 }) { throw error }
            return (builder.listing(), isNews)
        }
    }
}
