import Dispatch
import Glibc
import Scheduling
import Time

extension BlockingPool {
    /// What the pool and its threads share; the threads keep it alive until they end.
    final class Core: @unchecked Sendable {
        private typealias WorkID = UInt64

        private struct Work {
            let group: Int
            let run: @Sendable () -> Void
        }

        private struct Timeout {
            let group: Int
            /// A whole deadline after the work was submitted, and once it has begun, after that.
            var due: ContinuousClock.Instant
            /// How much work of its group had ended when it was submitted.
            let endedBefore: Int
            let call: @Sendable (Failure) -> Void
        }

        private struct State {
            var queue: PermitAllocator<WorkID, Int>
            var lastID: WorkID = 0
            /// Work that has not begun.
            var waiting: [WorkID: Work] = [:]
            var waitingPerGroup: [Int: Int] = [:]
            /// How much work of each group has ended, and when the last began.
            var endedPerGroup: [Int: Int] = [:]
            var lastBegan: [Int: ContinuousClock.Instant] = [:]
            /// The timeouts of queued or running work with a deadline.
            var timeouts: [WorkID: Timeout] = [:]
            var isTimeoutScheduled = false
            var isStopped = false
            var runningThreads = 0
            var isRetryScheduled = false

            /// Removes work that begins or is cancelled.
            mutating func take(_ id: WorkID) -> Work? {
                guard let work = waiting.removeValue(forKey: id) else { return nil }
                let rest = waitingPerGroup[work.group, default: 0] - 1
                waitingPerGroup[work.group] = rest > 0 ? rest : nil
                return work
            }

            /// Why work that was still queued at its deadline did not begin.
            func failure(of timeout: Timeout, after deadline: Duration) -> Failure {
                let isFull = queue.holdingCount(of: timeout.group) >= min(queue.permitsPerGroup, queue.permits)
                let isStuck = endedPerGroup[timeout.group, default: 0] == timeout.endedBefore
                // The work that holds the threads may have begun just now, after work of other groups.
                let hasTakenLong = lastBegan[timeout.group].map { $0 + deadline / 2 <= .now } ?? false
                return isFull && isStuck && hasTakenLong ? .hangs : .neverBegan
            }

            /// Whether more work could start now than there are idle threads.
            var needsThread: Bool {
                guard !isStopped, runningThreads < queue.permits else { return false }
                let startable = waitingPerGroup.reduce(0) { sum, entry in
                    sum + min(entry.value, queue.permitsPerGroup - queue.holdingCount(of: entry.key))
                }
                return startable > runningThreads - queue.holdingCount
            }
        }

        // Sendable because `state` is touched only while `mutex` is held.
        private var state: State
        private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
        private let workCame = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
        private let threadEnded = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
        private let label: String
        private let deadline: Duration
        private let idleNanoseconds: Int
        private let starter: ThreadStarter

        private static let retryInterval = DispatchTimeInterval.milliseconds(100)

        init(
            label: String, permits: Int, permitsPerGroup: Int, deadline: Duration, idleTime: Duration,
            starter: @escaping ThreadStarter
        ) {
            self.label = label
            self.deadline = deadline
            idleNanoseconds = Int(idleTime / .nanoseconds(1))
            self.starter = starter
            self.state = State(queue: PermitAllocator(permits: permits, permitsPerGroup: permitsPerGroup))
            pthread_mutex_init(mutex, nil)
            var attributes = pthread_condattr_t()
            pthread_condattr_init(&attributes)
            pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
            pthread_cond_init(workCame, &attributes)
            pthread_condattr_destroy(&attributes)
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

        var count: Int { locked { $0.waiting.count + $0.queue.holdingCount } }
        var threadCount: Int { locked { $0.runningThreads } }

        // MARK: - From any thread

        func submit(
            in group: Int, priority: Priority, _ run: @escaping @Sendable () -> Void,
            onFailure: (@Sendable (Failure) -> Void)?
        ) -> Handle {
            let (id, needsThread, needsTimer) = locked { (state: inout State) -> (WorkID?, Bool, Bool) in
                guard !state.isStopped else { return (nil, false, false) }
                state.lastID += 1
                let id = state.lastID
                state.waiting[id] = Work(group: group, run: run)
                state.waitingPerGroup[group, default: 0] += 1
                state.queue.enqueue(id, in: group, priority: priority)
                if let onFailure {
                    let ended = state.endedPerGroup[group, default: 0]
                    state.timeouts[id] = Timeout(
                        group: group, due: .now + deadline, endedBefore: ended, call: onFailure)
                }
                let needsTimer = onFailure != nil && !state.isTimeoutScheduled
                if needsTimer { state.isTimeoutScheduled = true }
                pthread_cond_signal(workCame)
                let needsThread = state.needsThread
                if needsThread { state.runningThreads += 1 }
                return (id, needsThread, needsTimer)
            }
            guard let id else {
                onFailure?(.stopped)
                return Handle(id: 0, core: self)
            }
            if needsThread { startThread() }
            if needsTimer { scheduleTimeouts(after: deadline) }
            return Handle(id: id, core: self)
        }

        func cancel(_ id: UInt64) -> Bool {
            // The closures are freed outside the lock: what they hold may have a deinit of its own.
            let (work, timeout) = locked { state -> (Work?, Timeout?) in
                guard let work = state.take(id) else { return (nil, nil) }
                state.queue.remove(id)
                return (work, state.timeouts.removeValue(forKey: id))
            }
            return withExtendedLifetime(timeout) { work != nil }
        }

        func reprioritise(_ id: UInt64, to priority: Priority) {
            locked {
                $0.queue.reprioritise(id, to: priority)
                // A prefetch held back by its share of the permits may start at once when it becomes visible.
                pthread_cond_broadcast(workCame)
            }
        }

        func stop() {
            let dropped = locked { state in
                state.isStopped = true
                let dropped = (state.waiting, state.timeouts)
                state.waiting = [:]
                state.waitingPerGroup = [:]
                state.timeouts = [:]
                pthread_cond_broadcast(workCame)
                return dropped
            }
            withExtendedLifetime(dropped.0) {
                for timeout in dropped.1.values { timeout.call(.stopped) }
            }
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

        // MARK: - Deadlines

        /// All work has the same deadline, so one timer set for the earliest timeout serves all of it: a timeout only
        /// ever moves to a later time. While work finishes in time, the timer fires about once per deadline.
        private func scheduleTimeouts(after delay: Duration) {
            DispatchQueue.global().asyncAfter(deadline: .now() + delay.dispatched) { [weak self] in
                self?.expire()
            }
        }

        private func expire() {
            let now = ContinuousClock.now
            let (overdue, dropped, next) = locked { state in
                var overdue: [(timeout: Timeout, failure: Failure)] = []
                var dropped: [Work] = []
                for id in state.timeouts.filter({ $0.value.due <= now }).keys.sorted() {
                    guard let timeout = state.timeouts.removeValue(forKey: id) else { continue }
                    guard let work = state.take(id) else {
                        overdue.append((timeout, .hangs))
                        continue
                    }
                    overdue.append((timeout, state.failure(of: timeout, after: deadline)))
                    state.queue.remove(id)
                    dropped.append(work)
                }
                let next = state.timeouts.values.map(\.due).min()
                state.isTimeoutScheduled = next != nil
                return (overdue, dropped, next)
            }
            if let next { scheduleTimeouts(after: max(.zero, next - now)) }
            withExtendedLifetime(dropped) {
                for (timeout, failure) in overdue { timeout.call(failure) }
            }
        }

        // MARK: - Threads

        private func startThread() {
            let isStarted = starter { [self] in
                BlockingThread.name(label)
                while let (id, group, work) = next() {
                    work()
                    ended(id, in: group)
                }
            }
            guard !isStarted else { return }
            // With fewer threads the work takes longer; without any it would never start.
            let mustSchedule = locked { state in
                state.runningThreads -= 1
                pthread_cond_broadcast(threadEnded)
                defer { state.isRetryScheduled = true }
                return !state.isRetryScheduled
            }
            guard mustSchedule else { return }
            DispatchQueue.global().asyncAfter(deadline: .now() + Self.retryInterval) { self.retry() }
        }

        private func retry() {
            let needsThread = locked { state in
                state.isRetryScheduled = false
                guard state.needsThread else { return false }
                state.runningThreads += 1
                return true
            }
            if needsThread { startThread() }
        }

        /// Nil once the pool is stopped or there has been no work for ``BlockingPool/idleTime``: the thread then counts
        /// as ended, so that work submitted from now on starts another one.
        private func next() -> (id: UInt64, group: Int, work: @Sendable () -> Void)? {
            pthread_mutex_lock(mutex)
            defer { pthread_mutex_unlock(mutex) }
            var isIdle = false
            while !state.isStopped {
                if let id = state.queue.startNext(), let work = state.take(id) {
                    let now = ContinuousClock.now
                    state.timeouts[id]?.due = now + deadline
                    state.lastBegan[work.group] = now
                    return (id, work.group, work.run)
                }
                if isIdle { break }
                var end = timespec()
                clock_gettime(CLOCK_MONOTONIC, &end)
                let (seconds, nanoseconds) = (Int(end.tv_nsec) + idleNanoseconds).quotientAndRemainder(
                    dividingBy: 1_000_000_000)
                end.tv_sec += seconds
                end.tv_nsec = nanoseconds
                isIdle = pthread_cond_timedwait(workCame, mutex, &end) == ETIMEDOUT
            }
            state.runningThreads -= 1
            pthread_cond_broadcast(threadEnded)
            return nil
        }

        private func ended(_ id: UInt64, in group: Int) {
            let timeout = locked { state in
                state.queue.remove(id)
                state.endedPerGroup[group, default: 0] &+= 1
                // This thread looks for work itself. Another thread need only wake if waiting work needed the permit
                // just freed.
                if state.queue.waitingCount > 0 { pthread_cond_signal(workCame) }
                return state.timeouts.removeValue(forKey: id)
            }
            _ = timeout
        }
    }
}
