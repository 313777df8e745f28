import Dispatch
import Synchronization

/// Who needs a read, which decides the queue.
public enum ReadingPurpose: Sendable {
    /// A person waits for the response.
    case view
    /// A program, which can be asked to come back later.
    case program
}

/// A queue for reads that may wait for the disk, off the callers' event loops: reading 500 of a million images and
/// building the response takes longer than an event loop may be blocked. Suspended work leaves the queue free.
final class ReadQueue: TaskExecutor {
    private let queue: DispatchQueue
    private let mark = DispatchSpecificKey<Bool>()
    private let bound: Int
    private let inFlight = Atomic(0)

    /// - Parameter bound: The maximum number of reads that are running or waiting.
    init(label: String, bound: Int = .max) {
        self.bound = bound
        queue = DispatchQueue(label: label, qos: .userInitiated)
        queue.setSpecific(key: mark, value: true)
    }

    /// Whether the caller runs in this queue. For tests.
    var isCurrent: Bool { DispatchQueue.getSpecific(key: mark) == true }

    /// Runs a read in this queue.
    ///
    /// - Throws: `CatalogError.busy` if the queue is full.
    func serve<Value: Sendable>(_ read: @Sendable () async throws -> Value) async throws -> Value {
        defer { inFlight.subtract(1, ordering: .relaxed) }
        guard inFlight.add(1, ordering: .relaxed).newValue <= bound else { throw CatalogError.busy }
        return try await withTaskExecutorPreference(self) { try await read() }
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
