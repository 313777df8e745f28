import Dispatch

/// A queue of its own on which asynchronous work goes on between its waits, instead of on the loop of whoever asks:
/// looking up 500 images in a million and putting their answer together takes longer than a loop may be kept.
final class Desk: TaskExecutor {
    private let queue: DispatchQueue
    private let mark = DispatchSpecificKey<Bool>()

    init(label: String) {
        queue = DispatchQueue(label: label, qos: .userInitiated)
        queue.setSpecific(key: mark, value: true)
    }

    /// Whether who asks is at this desk. For the tests.
    var isCurrent: Bool { DispatchQueue.getSpecific(key: mark) == true }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
