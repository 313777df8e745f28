import Dispatch
import Glibc
import Scheduling
import Synchronization

/// Long-lived threads for calls that block, with a queue in front of them that is ordered by priority and in which every
/// piece of work can be moved or taken out.
///
/// Work is of a group, such as the folder that its file lies in, and each group has at most so many threads: what hangs
/// in one leaves the others theirs. A thread is started when work could begin and none is free, and stays. Where the system
/// has none to give it is asked again a little later, for as long as work waits for one.
final class BlockingLane: Sendable {
    typealias WorkID = UInt64
    /// Runs a body on a new thread; false when the system has none.
    typealias Starting = @Sendable (_ body: @escaping @Sendable () -> Void) -> Bool

    private struct State {
        var line: PlaceAllocator<WorkID, Int>
        var work: [WorkID: (group: Int, run: @Sendable () -> Void)] = [:]
        /// How many wait in each group.
        var waiting: [Int: Int] = [:]
        var isStopped = false
        var runningThreads = 0
        /// Whether a thread that the system did not give will be asked for again.
        var isRetrying = false

        /// Takes out what waits or begins.
        mutating func take(_ id: WorkID) -> (@Sendable () -> Void)? {
            guard let (group, run) = work.removeValue(forKey: id) else { return nil }
            let left = waiting[group, default: 0] - 1
            waiting[group] = left > 0 ? left : nil
            return run
        }

        /// Whether more could begin now than there are threads that look for work or soon will.
        var needsThread: Bool {
            guard !isStopped, runningThreads < line.places else { return false }
            let startable = waiting.reduce(0) { sum, entry in
                sum + min(entry.value, line.placesPerGroup - line.holdingCount(of: entry.key))
            }
            return startable > runningThreads - line.holdingCount
        }
    }

    private static let lastWork = Atomic<WorkID>(0)

    /// An id for one piece of work, on whichever lane; never given twice.
    static func newWork() -> WorkID { lastWork.wrappingAdd(1, ordering: .relaxed).newValue }

    private let core: Core

    /// - Parameters:
    ///   - threads: How many pieces of work run at once.
    ///   - threadsPerGroup: How many of one group do.
    ///   - starting: How a thread is had, for tests of a system that has none.
    init(
        label: String, threads: Int, threadsPerGroup: Int = .max,
        starting: @escaping Starting = BlockingLane.startThread
    ) {
        core = Core(label: label, places: threads, placesPerGroup: threadsPerGroup, starting: starting)
    }

    deinit { core.stop() }

    /// Work that waits or runs.
    var count: Int { core.count }

    /// Threads that have been started and have not ended. For the tests.
    var threadCount: Int { core.threadCount }

    /// Puts work in line. Does nothing once the lane is stopped. An id must not be in use.
    func submit(_ id: WorkID, in group: Int = 0, priority: Priority, _ work: @escaping @Sendable () -> Void) {
        core.submit(id, in: group, priority: priority, work)
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
        private let label: String
        private let starting: Starting

        private static let retryInterval = DispatchTimeInterval.milliseconds(100)

        init(label: String, places: Int, placesPerGroup: Int, starting: @escaping Starting) {
            self.label = label
            self.starting = starting
            self.state = State(line: PlaceAllocator(places: places, placesPerGroup: placesPerGroup))
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
        var threadCount: Int { locked { $0.runningThreads } }

        func submit(_ id: WorkID, in group: Int, priority: Priority, _ work: @escaping @Sendable () -> Void) {
            let needsThread = locked { (state: inout State) -> Bool in
                guard !state.isStopped else { return false }
                state.work[id] = (group, work)
                state.waiting[group, default: 0] += 1
                state.line.enqueue(id, in: group, priority: priority)
                pthread_cond_signal(workCame)
                guard state.needsThread else { return false }
                state.runningThreads += 1
                return true
            }
            if needsThread { startThread() }
        }

        func cancel(_ id: WorkID) -> Bool {
            // The closure is freed outside the lock: what it holds may have a deinit of its own.
            let dropped: (@Sendable () -> Void)? = locked {
                guard $0.line.standing(of: id) == .waiting else { return nil }
                $0.line.remove(id)
                return $0.take(id)
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
                state.waiting = [:]
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

        private func startThread() {
            let isStarted = starting { [self] in
                nameThread()
                run()
                endThread()
            }
            guard !isStarted else { return }
            // With the threads that there are it takes longer; with none, nothing would ever begin.
            let isFirst = locked { state in
                state.runningThreads -= 1
                pthread_cond_broadcast(threadEnded)
                defer { state.isRetrying = true }
                return !state.isRetrying
            }
            guard isFirst else { return }
            DispatchQueue.global().asyncAfter(deadline: .now() + Self.retryInterval) { self.retry() }
        }

        private func retry() {
            let needsThread = locked { state in
                state.isRetrying = false
                guard state.needsThread else { return false }
                state.runningThreads += 1
                return true
            }
            if needsThread { startThread() }
        }

        /// For those who look at the process from outside; where there is no /proc the thread stays nameless.
        private func nameThread() {
            let file = open("/proc/thread-self/comm", O_WRONLY | O_CLOEXEC)
            guard file >= 0 else { return }
            let name = Array(label.utf8.prefix(15))
            _ = write(file, name, name.count)
            close(file)
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
                if let id = state.line.startNext(), let work = state.take(id) { return (id, work) }
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

    /// On a thread of the system's own kind.
    static func startThread(_ body: @escaping @Sendable () -> Void) -> Bool { Body.start(body) }

    /// What a thread does.
    private final class Body: Sendable {
        let run: @Sendable () -> Void

        init(_ run: @escaping @Sendable () -> Void) { self.run = run }

        static func start(_ run: @escaping @Sendable () -> Void) -> Bool {
            let body = Unmanaged.passRetained(Body(run))
            var thread = pthread_t()
            let code = pthread_create(
                &thread, nil,
                { argument in
                    guard let argument else { return nil }
                    Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().run()
                    return nil
                }, body.toOpaque())
            guard code == 0 else {
                body.release()
                return false
            }
            pthread_detach(thread)
            return true
        }
    }
}

extension Priority {
    /// For work that has no slot of its own; such work goes in the order in which it comes.
    static let background = Priority(lane: .visible, viewport: 0, distance: 0)
}
