import Dispatch
import Synchronization

/// Whose desk something is looked up at.
public enum ReadingPurpose: Sendable {
    /// For somebody who looks at the gallery and waits.
    case view
    /// For a program, which can be told to come back later.
    case program
}

/// A queue of its own on which is done what may wait for a disk, instead of on the loop of whoever asks: looking up 500
/// images in a million and putting their answer together takes longer than a loop may be kept. Work that waits for other work
/// leaves the queue to others meanwhile.
final class Desk: TaskExecutor {
    private let queue: DispatchQueue
    private let mark = DispatchSpecificKey<Bool>()
    private let bound: Int
    private let underWay = Atomic(0)

    /// - Parameter bound: how many readings may be under way or wait.
    init(label: String, bound: Int = .max) {
        self.bound = bound
        queue = DispatchQueue(label: label, qos: .userInitiated)
        queue.setSpecific(key: mark, value: true)
    }

    /// Whether who asks is at this desk. For the tests.
    var isCurrent: Bool { DispatchQueue.getSpecific(key: mark) == true }

    /// Reads at this desk.
    ///
    /// - Throws: `CatalogError.busy` when as much waits as may.
    func serve<Value: Sendable>(_ read: @Sendable () async throws -> Value) async throws -> Value {
        defer { underWay.subtract(1, ordering: .relaxed) }
        guard underWay.add(1, ordering: .relaxed).newValue <= bound else { throw CatalogError.busy }
        return try await withTaskExecutorPreference(self) { try await read() }
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
