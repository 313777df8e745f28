import Renditions
import Scheduling

/// Which job goes to which worker, and which workers to end or start: the worker pool without its processes.
///
/// A job that starts holds a permit, and gets a worker, preferably an idle one. An abandoned job gives up its permit at
/// once, whatever its decoder does, and the next job gets another worker. The worker left with the abandoned job may
/// finish it, since the result is still of use, or is ended, by the rules of `PoolMachine+Settling`. A worker that
/// hangs in a read gives up its permit too: see `PoolMachine+Stalls`. How long a job may wait is in
/// `PoolMachine+Waiting`.
///
/// A pure value: events go in together with the time, and effects come out. The effects of one event must be performed
/// before the next event goes in.
struct PoolMachine: Sendable {
    typealias JobID = UInt64
    typealias WorkerID = UInt64

    enum Weight: Hashable, Sendable {
        case light
        case heavy
    }

    enum Effect: Hashable, Sendable {
        case start(WorkerID)
        case begin(JobID, WorkerID, mayBeHeavy: Bool)
        /// Ask the worker to stop the job.
        case stop(JobID, WorkerID)
        case kill(WorkerID)
        case fail(JobID, Failure)
    }

    enum Failure: Hashable, Sendable {
        /// The job has cost two workers. `forMemory`: the last one had been refused memory.
        case died(forMemory: Bool)
        case tookTooLong
        /// The disk that holds the original does not answer.
        case sourceHangs
        /// It had no worker within the time that it may run.
        case waitedTooLong
        case unavailable
    }

    struct Job: Sendable {
        var weight: Weight
        /// Identifies jobs that share a disk; nil if the disk is unknown.
        let group: Int?
        let limit: Duration
        var priority: Priority
        /// Workers that died while running it.
        var deaths = 0
        /// The worker that runs it.
        var worker: WorkerID?
        /// It has waited, or waited and run, for as long as it may wait.
        var isOutOfPatience = false
    }

    /// Jobs that compete for the same permits.
    struct Line: Hashable, Sendable {
        let weight: Weight
        let group: Int?
    }

    struct Worker: Sendable {
        enum Phase: Hashable, Sendable {
            case starting(since: Duration)
            case idle(since: Duration)
            /// `left`: when the job was abandoned at this worker.
            case working(JobID, until: Duration, left: Duration?)
            /// It was killed, and its end has not been reported yet.
            case ending
        }

        var phase: Phase
        var jobs = 0
        var memory: Int64 = 0
        /// The line of its job; nil while it has none. A worker that was killed keeps the line of the job it had.
        var line: Line?
        /// It only waits for a disk, so its job has given up its permit.
        var isStalled = false
        /// It was killed and does not end, because it hangs in an uninterruptible system call (state D).
        var isHung = false
        /// When to check next whether it makes progress or, once killed, hangs.
        var nextCheck = Duration.zero
        /// How often the deadline of its job was extended.
        var extensions = 0
        /// It was refused memory during its current job.
        var wasRefusedMemory = false
    }

    let configuration: RenderPool.Configuration
    /// Light and heavy jobs have separate permits, so that neither waits for the other.
    var queues: [Weight: PermitAllocator<JobID, Int?>]
    /// The groups with fewer permits because of their stalled workers.
    var limitedGroups: Set<Int?> = []
    var jobs: [JobID: Job] = [:]
    var workers: [WorkerID: Worker] = [:]
    /// Jobs with a permit but no worker yet, in the order in which they got the permit.
    var unscheduled: [JobID] = []
    var patience = Patience()
    var counts = WorkerStatistics()
    /// The time since which there has been no work; nil while there is some.
    var idleSince: Duration?
    /// A running job was abandoned since the pool was last idle, so more spares are worth their memory.
    var wantsSpares = false
    var failedStarts = 0
    var noStartBefore = Duration.zero
    /// When the work that was due was last handled.
    var settledAt = Duration.zero
    private var lastWorker: WorkerID = 0

    init(_ configuration: RenderPool.Configuration) {
        self.configuration = configuration
        queues = [
            .light: PermitAllocator(permits: configuration.permits),
            .heavy: PermitAllocator(permits: configuration.heavyPermits),
        ]
    }

    var isEmpty: Bool { jobs.isEmpty && unscheduled.isEmpty && queues.values.allSatisfy(\.isEmpty) }

    // MARK: - Jobs

    /// Queues a job. Its id must never have been used.
    mutating func submit(
        _ id: JobID, _ work: RenderJob.Work, in group: Int? = nil, isHeavy: Bool, priority: Priority, now: Duration
    ) -> [Effect] {
        let weight = isHeavy ? Weight.heavy : .light
        let limit = configuration.deadlines.limit(of: work)
        jobs[id] = Job(weight: weight, group: group, limit: limit, priority: priority)
        if priority.level > .background { patience.add(id, for: limit, now: now) }
        queues[weight]?.enqueue(id, in: group, priority: priority)
        return settle(now)
    }

    mutating func cancel(_ id: JobID, now: Duration) -> [Effect] {
        guard let job = jobs[id] else { return [] }
        forget(id)
        return leave(id, at: job.worker, now) + settle(now)
    }

    mutating func reprioritise(_ id: JobID, to priority: Priority, now: Duration) -> [Effect] {
        guard let job = jobs[id] else { return [] }
        jobs[id]?.priority = priority
        if job.priority.level == .background, priority.level > .background {
            patience.add(id, for: job.limit, now: now)
        }
        queues[job.weight]?.reprioritise(id, to: priority)
        return settle(now)
    }

    /// Removes a job from every table.
    mutating func forget(_ id: JobID) {
        guard let job = jobs.removeValue(forKey: id) else { return }
        queues[job.weight]?.remove(id)
        unscheduled.removeAll { $0 == id }
    }

    // MARK: - Workers

    mutating func ready(_ id: WorkerID, now: Duration) -> [Effect] {
        guard case .starting = workers[id]?.phase else { return [] }
        workers[id]?.phase = .idle(since: now)
        failedStarts = 0
        return settle(now)
    }

    /// The worker has answered. With `isStopped`, it has only stopped its job as requested.
    ///
    /// - Returns: Whether the answer ends the job, or nobody waits for it any more.
    mutating func answered(
        _ id: WorkerID, isStopped: Bool = false, memory: Int64, now: Duration
    ) -> (endsJob: Bool, effects: [Effect]) {
        guard case .working(let job, _, let left) = workers[id]?.phase else { return (false, []) }
        workers[id]?.memory = memory
        var effects = rest(id, now)
        // The answer also ends a job that gave up its permit and waits again, or already runs at another worker.
        let endsJob = jobs[job] != nil && !(isStopped && left != nil)
        if endsJob {
            let other = jobs[job]?.worker
            forget(job)
            if other != id { effects += leave(job, at: other, now) }
        }
        return (endsJob, effects + settle(now))
    }

    /// The worker found its job to be heavy and stopped it.
    mutating func foundHeavy(_ id: WorkerID, now: Duration) -> [Effect] {
        guard case .working(let found, _, _) = workers[id]?.phase else { return [] }
        var effects: [Effect] = []
        if let job = jobs[found], job.weight == .light, job.worker == id || job.worker == nil {
            effects = requeue(found, as: .heavy)
        }
        return effects + rest(id, now) + settle(now)
    }

    mutating func refusedMemory(_ id: WorkerID) {
        workers[id]?.wasRefusedMemory = true
        counts.refusals += 1
    }

    /// The worker has ended, for whatever reason.
    mutating func ended(_ id: WorkerID, now: Duration) -> [Effect] {
        guard let worker = workers.removeValue(forKey: id) else { return [] }
        var effects: [Effect] = []
        switch worker.phase {
        case .starting: effects = startFailed(now)
        // A worker that ended before its first job counts as a failed start.
        case .idle where worker.jobs == 0: effects = startFailed(now)
        case .idle: counts.deaths += 1
        case .working(let job, _, let left):
            counts.deaths += 1
            if left == nil { effects = died(over: job, worker) }
        case .ending: break
        }
        return effects + settle(now)
    }

    private mutating func died(over id: JobID, _ worker: Worker) -> [Effect] {
        guard var job = jobs[id] else { return [] }
        // A new worker was refused the memory, so any other would be too.
        job.deaths += worker.wasRefusedMemory && worker.jobs == 1 ? 2 : 1
        jobs[id] = job
        guard job.deaths < 2 else {
            forget(id)
            return [.fail(id, .died(forMemory: worker.wasRefusedMemory))]
        }
        // Behind all visible jobs, because it may cost another worker.
        jobs[id]?.priority.level = min(job.priority.level, .prefetch)
        return requeue(id)
    }

    mutating func startFailed(_ now: Duration) -> [Effect] {
        counts.failedStarts += 1
        failedStarts += 1
        // The delays are 0.1 s, 0.2 s, 0.4 s … 25.6 s.
        noStartBefore = now + .milliseconds(100 << min(failedStarts - 1, 8))
        // The first failed start may be chance. After more of them, fail the jobs that no worker can serve: all of them
        // if none is alive, otherwise those that need a new one.
        guard failedStarts > 1 else { return [] }
        let areAllEnding = !workers.values.contains { !$0.isEnding }
        return fail(.unavailable) { $0.worker == nil && (areAllEnding || $0.deaths > 0) }
    }

    mutating func fail(_ failure: Failure, _ isHopeless: (Job) -> Bool) -> [Effect] {
        let waiting = jobs.filter { isHopeless($0.value) }.keys
        for id in waiting { forget(id) }
        return waiting.sorted().map { .fail($0, failure) }
    }

    /// The pool is shutting down.
    mutating func stopAll(_ now: Duration) -> [Effect] {
        fail(.unavailable) { _ in true } + workers.keys.sorted().flatMap { kill($0, now) }
    }

    // MARK: - Internals

    /// The worker is idle. A worn-out one is ended.
    private mutating func rest(_ id: WorkerID, _ now: Duration) -> [Effect] {
        guard let worker = workers[id] else { return [] }
        workers[id]?.phase = .idle(since: now)
        workers[id]?.line = nil
        workers[id]?.isStalled = false
        guard
            worker.jobs >= configuration.jobsPerWorker || worker.memory > configuration.idleMemory
        else { return [] }
        counts.recycled += 1
        return kill(id, now)
    }

    mutating func kill(_ id: WorkerID, _ now: Duration) -> [Effect] {
        guard let worker = workers[id], !worker.isEnding else { return [] }
        workers[id]?.phase = .ending
        workers[id]?.nextCheck = now + configuration.killTimeout
        return [.kill(id)]
    }

    mutating func newWorker(_ now: Duration) -> [Effect] {
        lastWorker += 1
        workers[lastWorker] = Worker(phase: .starting(since: now))
        counts.started += 1
        return [.start(lastWorker)]
    }
}

extension PoolMachine {
    func isWanted(_ id: JobID) -> Bool { jobs[id] != nil }

    var statistics: WorkerStatistics {
        var statistics = counts
        statistics.alive = workers.count
        for worker in workers.values {
            if case .working = worker.phase { statistics.working += 1 }
            if worker.isStalled { statistics.stalled += 1 }
            if worker.isHung { statistics.hung += 1 }
            statistics.memory += worker.memory
        }
        if failedStarts >= 2 { statistics.unavailability = "No render worker can be started." }
        if areAllHung { statistics.unavailability = "Every render worker hangs in a read from a disk." }
        statistics.waiting = unscheduled.count + queues.values.reduce(0) { $0 + $1.waitingCount }
        return statistics
    }
}
