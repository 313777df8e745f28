import Dispatch
import Images
import Locking
import Logging
import Time

/// Buffers new metadata and writes it in batches, so that scrolling through a thousand images takes a few transactions
/// rather than a thousand. Readers see buffered metadata immediately.
final class MetadataBuffer: Sendable {
    /// The maximum number of images buffered while writes fail; their metadata can always be read again from the files.
    private static let capacity = 20_000
    /// The number of waiting images from which writing counts as falling behind.
    private static let behind = 4_000
    private static let retryDelay = DispatchTimeInterval.seconds(5)

    private struct Gathered {
        var pending: [ImageID: LearnedMetadata] = [:]
        /// The metadata being written. It is served from here until the transaction is committed.
        var writing: [ImageID: LearnedMetadata] = [:]
        var isArmed = false
        var isFailing = false
        var isClosed = false
    }

    private let gathered = Guarded(Gathered())
    private let queue = DispatchQueue(label: "tessera.catalog.facts")
    private let delay: DispatchTimeInterval
    private let batch: Int
    private let logger: Logger
    private let write: @Sendable ([ImageID: LearnedMetadata]) throws -> Void

    /// - Parameter write: Blocking; called on the buffer's own queue.
    init(
        delay: Duration, batch: Int, logger: Logger,
        write: @escaping @Sendable ([ImageID: LearnedMetadata]) throws -> Void
    ) {
        self.delay = delay.dispatched
        self.batch = batch
        self.logger = logger
        self.write = write
    }

    /// Any thread; returns at once. Facts that come after ``close()`` are dropped: they can be learnt again.
    func add(_ learned: LearnedMetadata, of id: ImageID) {
        enum Due { case now, later, armed }
        let due = gathered.withLock { gathered -> Due in
            guard !gathered.isClosed, gathered.pending.count < Self.capacity || gathered.pending[id] != nil else {
                return .armed
            }
            gathered.pending[id] = gathered.pending[id]?.updated(with: learned) ?? learned
            if gathered.pending.count == batch, !gathered.isFailing { return .now }
            if gathered.isArmed { return .armed }
            gathered.isArmed = true
            return .later
        }
        switch due {
        case .now: queue.async { self.flush() }
        case .later: queue.asyncAfter(deadline: .now() + delay) { self.flush() }
        case .armed: break
        }
    }

    /// The buffered metadata of these images.
    func gathered(of ids: [ImageID]) -> [ImageID: LearnedMetadata] {
        gathered.withLock { gathered in
            guard !gathered.pending.isEmpty || !gathered.writing.isEmpty else { return [:] }
            var learned: [ImageID: LearnedMetadata] = [:]
            for id in ids {
                switch (gathered.writing[id], gathered.pending[id]) {
                case (let older?, let newer?): learned[id] = older.updated(with: newer)
                case (let older, let newer): learned[id] = newer ?? older
                }
            }
            return learned
        }
    }

    /// Writes everything buffered so far, and returns when that is done.
    func drain() async {
        await withCheckedContinuation { done in
            queue.async {
                self.flush()
                done.resume()
            }
        }
    }

    /// The same, blocking.
    func drainNow() { queue.sync { flush() } }

    /// Writes everything added so far, and nothing from then on. Blocking.
    func close() {
        gathered.withLock { $0.isClosed = true }
        drainNow()
    }

    /// Whether the last attempt to write metadata failed.
    var isFailing: Bool { gathered.withLock(\.isFailing) }

    /// Whether producers of much metadata should wait for writes.
    var isBehind: Bool { gathered.withLock { $0.pending.count >= Self.behind } }

    private func flush() {
        let learned = gathered.withLock { gathered in
            gathered.isArmed = false
            gathered.writing = gathered.pending
            gathered.pending = [:]
            return gathered.writing
        }
        guard !learned.isEmpty else { return }
        do {
            try write(learned)
            gathered.withLock { gathered in
                gathered.writing = [:]
                gathered.isFailing = false
            }
        } catch {
            let (isFirst, isClosed) = gathered.withLock { gathered in
                let pending = gathered.writing.merging(gathered.pending) { $0.updated(with: $1) }
                gathered.pending = gathered.isClosed ? [:] : pending
                gathered.writing = [:]
                gathered.isArmed = true
                defer { gathered.isFailing = true }
                return (!gathered.isFailing, gathered.isClosed)
            }
            if isFirst {
                logger.error(
                    "Facts learned about images cannot be written; they are kept in memory.",
                    metadata: ["error": "\(error)"])
            }
            guard !isClosed else { return }
            queue.asyncAfter(deadline: .now() + Self.retryDelay) { [weak self] in self?.flush() }
        }
    }
}
