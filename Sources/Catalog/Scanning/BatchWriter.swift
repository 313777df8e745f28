import Dispatch
import Images
import Locking

/// Writes the results of a scan to the index, batch by batch in order and concurrently with the scan, so that one waits
/// for the disk while the other computes.
final class BatchWriter: @unchecked Sendable {
    // Sendable because the mutable state is confined to the queue or guarded.

    typealias Seen = (id: ImageID, known: UInt32?, scannedImage: ScannedImage)

    /// The maximum number of waiting batches; beyond it the scan waits.
    private static let maximumWaiting = 4

    private let index: Index
    private let nextRevision: @Sendable () -> UInt64
    private let queue = DispatchQueue(label: "tessera.catalog.scan.write")
    private let room = DispatchSemaphore(value: maximumWaiting)
    private var builder = ListingBuilder()
    private var nextRow: UInt32
    private var hasChanges = false
    /// The first error; nothing is written after it.
    private let error = Guarded<(any Error)?>(nil)

    /// - Parameters:
    ///   - nextRow: The number of the next new row.
    ///   - nextRevision: Returns the revision in which the images will be visible; called on any thread.
    init(index: Index, nextRow: UInt32, nextRevision: @escaping @Sendable () -> UInt64) {
        self.index = index
        self.nextRow = nextRow
        self.nextRevision = nextRevision
    }

    /// Queues a batch. Blocks while too many are waiting.
    ///
    /// - Throws: The error of an earlier batch.
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
                hasChanges = hasChanges || written.hasChanges
            } catch {
                self.error.withLock { $0 = error }
            }
        }
    }

    /// Discards waiting batches, and returns when no write is running any more.
    func end() {
        error.withLock { $0 = $0 ?? CancellationError() }
        queue.sync {}
    }

    /// The listing written so far, and whether any image is new or has changed. Blocks until all batches are written.
    ///
    /// - Throws: The first error of a batch.
    func written() throws -> (listing: Listing, hasChanges: Bool) {
        try queue.sync {
            if let error = error.withLock({ $0 }) { throw error }
            return (builder.listing(), hasChanges)
        }
    }
}
