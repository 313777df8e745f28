import Glibc
import Scheduling
import Synchronization

/// A fixed number of long-lived threads for calls that block, with a queue in front of them that is ordered by priority
/// and in which every piece of work can be moved or taken out.
final class BlockingLane: Sendable {
    typealias WorkID = UInt64

    private struct State {
        var line: PlaceAllocator<WorkID, Bool>
        var work: [WorkID: @Sendable () -> Void] = [:]
        var isStopped = false
        var runningThreads = 0
    }

    private static let lastWork = Atomic<WorkID>(0)

    /// An id for one piece of work, on whichever lane; never given twice.
    static func newWork() -> WorkID { lastWork.wrappingAdd(1, ordering: .relaxed).newValue }

    private let core: Core

    /// - Parameter threads: How many pieces of work run at once.
    init(label: String, threads: Int) {
        core = Core(places: threads)
        for _ in 0..<threads { core.startThread(label: label) }
    }

    deinit { core.stop() }

    /// Work that waits or runs.
    var count: Int { core.count }

    /// Puts work in line. Does nothing once the lane is stopped. An id must not be in use.
    func submit(_ id: WorkID, priority: Priority, _ work: @escaping @Sendable () -> Void) {
        core.submit(id, priority: priority, work)
    }

    /// Takes work out of the line; false when it runs already or is unknown.
    @discardableResult
    func cancel(_ id: WorkID) -> Bool { core.cancel(id) }

    func reprioritise(_ id: WorkID, to priority: Priority) { core.reprioritise(id, to: priority) }

    /// Drops what waits and ends the threads when their present work is done. Returns at once.
    func stop() { core.stop() }

    /// Blocks until every thread has ended or the time is over; true when all have. After `stop()` only.
    func join(for seconds: Int) -> Bool { core.join(for: seconds) }

    /// What the threads share; it outlives the lane by as long as they need.
    private final class Core: @unchecked Sendable {
        // Sendable because `state` is touched only while `mutex` is held.
        private var state: State
        private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
        private let workCame = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
        private let threadEnded = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

        init(places: Int) {
            self.state = State(line: PlaceAllocator(places: places))
            pthread_mutex_init(mutex, nil)
            pthread_cond_init(workCame, nil)
            pthread_cond_init(threadEnded, nil)
        }

        deinit {
            pthread_cond_destroy(workCame)
            pthread_cond_destroy(threadEnded)
            pthread_mutex_destroy(mutex)
            workCame.deallocate()
            threadEnded.deallocate()
            mutex.deallocate()
        }

        private func locked<Result>(_ body: (inout State) -> Result) -> Result {
            pthread_mutex_lock(mutex)
            defer { pthread_mutex_unlock(mutex) }
            return body(&state)
        }

        var count: Int { locked { $0.work.count } }

        func submit(_ id: WorkID, priority: Priority, _ work: @escaping @Sendable () -> Void) {
            locked {
                guard !$0.isStopped else { return }
                $0.work[id] = work
                $0.line.enqueue(id, in: true, priority: priority)
                pthread_cond_signal(workCame)
            }
        }

        func cancel(_ id: WorkID) -> Bool {
            // The closure is freed outside the lock: what it holds may have a deinit of its own.
            let dropped: (@Sendable () -> Void)? = locked {
                guard $0.line.standing(of: id) == .waiting else { return nil }
                $0.line.remove(id)
                return $0.work.removeValue(forKey: id)
            }
            return dropped != nil
        }

        func reprioritise(_ id: WorkID, to priority: Priority) {
            locked {
                $0.line.reprioritise(id, to: priority)
                // A prefetch that waited for its half may go at once when it turns visible.
                pthread_cond_broadcast(workCame)
            }
        }

        func stop() {
            let dropped = locked { state in
                state.isStopped = true
                let dropped = state.work
                state.work = [:]
                pthread_cond_broadcast(workCame)
                return dropped
            }
            _ = dropped
        }

        func join(for seconds: Int) -> Bool {
            var deadline = timespec()
            clock_gettime(CLOCK_REALTIME, &deadline)
            deadline.tv_sec += seconds
            pthread_mutex_lock(mutex)
            defer { pthread_mutex_unlock(mutex) }
            while state.runningThreads > 0 {
                if pthread_cond_timedwait(threadEnded, mutex, &deadline) != 0 { break }
            }
            return state.runningThreads == 0
        }

        func startThread(label: String) {
            let start = Start(core: self, label: label)
            locked { $0.runningThreads += 1 }
            var thread = pthread_t()
            let code = pthread_create(
                &thread, nil,
                { argument in
                    guard let argument else { return nil }
                    let start = Unmanaged<Start>.fromOpaque(argument).takeRetainedValue()
                    start.nameThread()
                    start.core.run()
                    start.core.endThread()
                    return nil
                }, Unmanaged.passRetained(start).toOpaque())
            precondition(code == 0, "no thread could be started: \(String(cString: strerror(code)))")
            pthread_detach(thread)
        }

        private func run() {
            while let (id, work) = next() {
                work()
                locked {
                    $0.line.remove(id)
                    // The place is free for this thread itself; others need no word, save when the half of prefetch
                    // or a place was what they waited for.
                    if $0.line.waitingCount > 0 { pthread_cond_signal(workCame) }
                }
            }
        }

        private func next() -> (WorkID, @Sendable () -> Void)? {
            pthread_mutex_lock(mutex)
            defer { pthread_mutex_unlock(mutex) }
            while !state.isStopped {
                if let id = state.line.startNext(), let work = state.work.removeValue(forKey: id) { return (id, work) }
                pthread_cond_wait(workCame, mutex)
            }
            return nil
        }

        private func endThread() {
            locked {
                $0.runningThreads -= 1
                pthread_cond_broadcast(threadEnded)
            }
        }
    }

    private final class Start: Sendable {
        let core: Core
        let label: String

        init(core: Core, label: String) {
            self.core = core
            self.label = label
        }

        /// For those who look at the process from outside; where there is no /proc the thread stays nameless.
        func nameThread() {
            let file = open("/proc/thread-self/comm", O_WRONLY | O_CLOEXEC)
            guard file >= 0 else { return }
            let name = Array(label.utf8.prefix(15))
            _ = write(file, name, name.count)
            close(file)
        }
    }
}

extension Priority {
    /// For work that has no slot of its own; such work goes in the order in which it comes.
    static let background = Priority(lane: .visible, viewport: 0, distance: 0)
}
