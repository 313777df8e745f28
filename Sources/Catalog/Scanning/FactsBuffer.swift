import Dispatch
import Images
import Locking
import Logging

/// Gathers what is learnt and writes it in batches: a scroll through a thousand pictures is some transactions, not a
/// thousand. Readers see what is gathered at once, written or not.
final class FactsBuffer: Sendable {
    /// When the disk does not take them, this many images' facts are kept; they can always be learnt again.
    private static let capacity = 20_000
    /// So many wait when learning goes on faster than writing.
    private static let behind = 4_000
    private static let retryDelay = DispatchTimeInterval.seconds(5)

    private struct Gathered {
        var pending: [ImageID: Learnt] = [:]
        /// What is being written now: still shown from here until the transaction is committed.
        var writing: [ImageID: Learnt] = [:]
        var isArmed = false
        var isFailing = false
    }

    private let gathered = Guarded(Gathered())
    private let queue = DispatchQueue(label: "tessera.catalog.facts")
    private let delay: DispatchTimeInterval
    private let batch: Int
    private let logger: Logger
    private let write: @Sendable ([ImageID: Learnt]) throws -> Void

    /// - Parameter write: blocking; called on the buffer's own queue.
    init(
        delay: Duration, batch: Int, logger: Logger, write: @escaping @Sendable ([ImageID: Learnt]) throws -> Void
    ) {
        let parts = delay.components
        self.delay = .nanoseconds(Int(clamping: parts.seconds) * 1_000_000_000 + Int(parts.attoseconds / 1_000_000_000))
        self.batch = batch
        self.logger = logger
        self.write = write
    }

    /// Any thread; returns at once.
    func add(_ learnt: Learnt, of id: ImageID) {
        enum Due { case now, later, armed }
        let due = gathered.withLock { gathered -> Due in
            guard gathered.pending.count < Self.capacity || gathered.pending[id] != nil else { return .armed }
            gathered.pending[id] = gathered.pending[id]?.updated(with: learnt) ?? learnt
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

    /// What is gathered of these images and perhaps not written yet.
    func gathered(of ids: [ImageID]) -> [ImageID: Learnt] {
        gathered.withLock { gathered in
            guard !gathered.pending.isEmpty || !gathered.writing.isEmpty else { return [:] }
            var learnt: [ImageID: Learnt] = [:]
            for id in ids {
                switch (gathered.writing[id], gathered.pending[id]) {
                case (let older?, let newer?): learnt[id] = older.updated(with: newer)
                case (let older, let newer): learnt[id] = newer ?? older
                }
            }
            return learnt
        }
    }

    /// Writes what is gathered so far, and returns when that is done.
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

    /// Whether what is learnt could not be written when it was tried last.
    var isFailing: Bool { gathered.withLock(\.isFailing) }

    /// Whether who learns much should wait for it to be written.
    var isBehind: Bool { gathered.withLock { $0.pending.count >= Self.behind } }

    private func flush() {
        let learnt = gathered.withLock { gathered in
            gathered.isArmed = false
            gathered.writing = gathered.pending
            gathered.pending = [:]
            return gathered.writing
        }
        guard !learnt.isEmpty else { return }
        do {
            try write(learnt)
            gathered.withLock { gathered in
                gathered.writing = [:]
                gathered.isFailing = false
            }
        } catch {
            let isFirst = gathered.withLock { gathered in
                gathered.pending = gathered.writing.merging(gathered.pending) { $0.updated(with: $1) }
                gathered.writing = [:]
                gathered.isArmed = true
                defer { gathered.isFailing = true }
                return !gathered.isFailing
            }
            if isFirst {
                logger.error(
                    "What is learnt of images cannot be written; it is kept in memory.", metadata: ["error": "\(error)"]
                )
            }
            queue.asyncAfter(deadline: .now() + Self.retryDelay) { [weak self] in self?.flush() }
        }
    }
}
