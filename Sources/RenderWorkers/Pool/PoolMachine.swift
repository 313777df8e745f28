import Renditions
import Scheduling

/// Which job goes to which worker, who is ended and who is started: the pool without its processes.
///
/// A job that starts holds a place; a worker is found for it, at best one that rests. A job that is given up lets go of
/// its place at once, whatever its decoder does: whoever comes next is given another worker, while the one that was left
/// with the job may finish it (what it makes is still of use) or is ended, by the rules of `PoolMachine+Settling`.
///
/// A pure value: events go in together with the time, effects come out, and the effects of one event are to be performed
/// before the next is told.
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
        /// Ask the worker to let go of the job.
        case stop(JobID, WorkerID)
        case kill(WorkerID)
        case fail(JobID, Failure)
    }

    enum Failure: Hashable, Sendable {
        /// Two workers died over it; `forMemory`: the last one had been refused memory.
        case died(forMemory: Bool)
        case tookTooLong
        case unavailable
    }

    struct Job: Sendable {
        var weight: Weight
        let limit: Duration
        var priority: Priority
        /// Workers that died over it.
        var deaths = 0
        /// The worker that has it.
        var worker: WorkerID?
    }

    struct Worker: Sendable {
        enum Duty: Hashable, Sendable {
            case starting(since: Duration)
            case resting(since: Duration)
            /// `left`: since when nobody waits for the job here.
            case working(JobID, until: Duration, left: Duration?)
            /// It was killed, and its end has not been heard of yet.
            case ending
        }

        var duty: Duty
        var jobs = 0
        var memory: Int64 = 0
        /// Of the job that it has or had last.
        var weight = Weight.light
        /// How often its job was given its time once more.
        var extensions = 0
        /// It was refused memory in the job under way.
        var wasRefusedMemory = false
    }

    let configuration: RenderPool.Configuration
    /// Light and heavy jobs have places of their own, so that neither waits for the other.
    var lines: [Weight: PlaceAllocator<JobID, Bool>]
    var jobs: [JobID: Job] = [:]
    var workers: [WorkerID: Worker] = [:]
    /// Jobs that hold a place and have no worker yet, in the order in which they got it.
    var unserved: [JobID] = []
    var counts = WorkerStatistics()
    /// Since when nothing is to do; nil while something is.
    var restingSince: Duration?
    /// A job that was under way was given up since the last rest: more spare workers are worth their memory.
    var isAgitated = false
    var failedStarts = 0
    var noStartBefore = Duration.zero
    /// When everything that was due had been seen to last.
    var settledAt = Duration.zero
    private var lastWorker: WorkerID = 0

    init(_ configuration: RenderPool.Configuration) {
        self.configuration = configuration
        lines = [
            .light: PlaceAllocator(places: configuration.places),
            .heavy: PlaceAllocator(places: configuration.heavyPlaces),
        ]
    }

    var isEmpty: Bool { jobs.isEmpty && unserved.isEmpty && lines.values.allSatisfy(\.isEmpty) }

    // MARK: - Jobs

    /// Puts a job in line. Its id must never have been used.
    mutating func submit(
        _ id: JobID, _ work: RenderJob.Work, isHeavy: Bool, priority: Priority, now: Duration
    ) -> [Effect] {
        let weight = isHeavy ? Weight.heavy : .light
        jobs[id] = Job(weight: weight, limit: configuration.deadlines.limit(of: work), priority: priority)
        lines[weight]?.enqueue(id, in: true, priority: priority)
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
        lines[job.weight]?.reprioritise(id, to: priority)
        return settle(now)
    }

    /// Takes a job out of every table.
    mutating func forget(_ id: JobID) {
        guard let job = jobs.removeValue(forKey: id) else { return }
        lines[job.weight]?.remove(id)
        unserved.removeAll { $0 == id }
    }

    /// Puts a job that has lost its worker into the line anew.
    mutating func requeue(_ id: JobID, as weight: Weight? = nil) {
        guard var job = jobs[id] else { return }
        unserved.removeAll { $0 == id }
        lines[job.weight]?.remove(id)
        job.worker = nil
        job.weight = weight ?? job.weight
        jobs[id] = job
        lines[job.weight]?.enqueue(id, in: true, priority: job.priority)
    }

    // MARK: - Workers

    mutating func ready(_ id: WorkerID, now: Duration) -> [Effect] {
        guard case .starting = workers[id]?.duty else { return [] }
        workers[id]?.duty = .resting(since: now)
        failedStarts = 0
        return settle(now)
    }

    /// The worker has answered. With `isStopped` it has only let go of its job, as it was asked to.
    ///
    /// - Returns: Whether the answer ends the job, or nobody waits for it any more.
    mutating func answered(
        _ id: WorkerID, isStopped: Bool = false, memory: Int64, now: Duration
    ) -> (endsJob: Bool, effects: [Effect]) {
        guard case .working(let job, _, let left) = workers[id]?.duty else { return (false, []) }
        workers[id]?.memory = memory
        var effects = rest(id, now)
        // A job that yielded its place and is waiting again, or even at another worker by now, has its answer too.
        let endsJob = jobs[job] != nil && !(isStopped && left != nil)
        if endsJob {
            let other = jobs[job]?.worker
            forget(job)
            if other != id { effects += leave(job, at: other, now) }
        }
        return (endsJob, effects + settle(now))
    }

    /// The worker found its job to be heavy and let go of it.
    mutating func foundHeavy(_ id: WorkerID, now: Duration) -> [Effect] {
        guard case .working(let found, _, _) = workers[id]?.duty else { return [] }
        if let job = jobs[found], job.weight == .light, job.worker == id || job.worker == nil {
            requeue(found, as: .heavy)
        }
        return rest(id, now) + settle(now)
    }

    mutating func refusedMemory(_ id: WorkerID) {
        workers[id]?.wasRefusedMemory = true
        counts.refusals += 1
    }

    /// The worker has ended, in whatever way.
    mutating func ended(_ id: WorkerID, now: Duration) -> [Effect] {
        guard let worker = workers.removeValue(forKey: id) else { return [] }
        var effects: [Effect] = []
        switch worker.duty {
        case .starting: effects = startFailed(now)
        // One that has done nothing did not get ready in truth.
        case .resting where worker.jobs == 0: effects = startFailed(now)
        case .resting: counts.deaths += 1
        case .working(let job, _, let left):
            counts.deaths += 1
            if left == nil { effects = died(over: job, worker) }
        case .ending: break
        }
        return effects + settle(now)
    }

    private mutating func died(over id: JobID, _ worker: Worker) -> [Effect] {
        guard var job = jobs[id] else { return [] }
        // What a worker that has seen nothing else cannot have, no other will.
        job.deaths += worker.wasRefusedMemory && worker.jobs == 1 ? 2 : 1
        jobs[id] = job
        guard job.deaths < 2 else {
            forget(id)
            return [.fail(id, .died(forMemory: worker.wasRefusedMemory))]
        }
        // Behind all others: it may do the same again.
        jobs[id]?.priority.lane = min(job.priority.lane, .prefetch)
        requeue(id)
        return []
    }

    mutating func startFailed(_ now: Duration) -> [Effect] {
        counts.failedStarts += 1
        failedStarts += 1
        // 0.1 s, 0.2 s, 0.4 s … 25.6 s.
        noStartBefore = now + .milliseconds(100 << min(failedStarts - 1, 8))
        // Once may be chance. Nobody waits for what does not come: where others live, those for whom they will not do.
        guard failedStarts > 1 else { return [] }
        let isAlone = !workers.values.contains { $0.duty != .ending }
        return fail { $0.worker == nil && (isAlone || $0.deaths > 0) }
    }

    private mutating func fail(_ isHopeless: (Job) -> Bool) -> [Effect] {
        let waiting = jobs.filter { isHopeless($0.value) }.keys
        for id in waiting { forget(id) }
        return waiting.sorted().map { .fail($0, .unavailable) }
    }

    /// The pool ends.
    mutating func stopAll() -> [Effect] {
        let waiting = jobs.keys.sorted()
        for id in waiting { forget(id) }
        return waiting.map { .fail($0, .unavailable) } + workers.keys.sorted().flatMap { kill($0) }
    }

    // MARK: - Within

    /// The worker has nothing to do. One that is worn out is ended.
    private mutating func rest(_ id: WorkerID, _ now: Duration) -> [Effect] {
        guard let worker = workers[id] else { return [] }
        workers[id]?.duty = .resting(since: now)
        guard
            worker.jobs >= configuration.jobsPerWorker || worker.memory > configuration.restingMemory
        else { return [] }
        counts.recycled += 1
        return kill(id)
    }

    mutating func kill(_ id: WorkerID) -> [Effect] {
        guard let worker = workers[id], worker.duty != .ending else { return [] }
        workers[id]?.duty = .ending
        return [.kill(id)]
    }

    mutating func newWorker(_ now: Duration) -> [Effect] {
        lastWorker += 1
        workers[lastWorker] = Worker(duty: .starting(since: now))
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
            if case .working = worker.duty { statistics.working += 1 }
            statistics.memory += worker.memory
        }
        statistics.isAvailable = failedStarts < 2
        statistics.waiting = unserved.count + lines.values.reduce(0) { $0 + $1.waitingCount }
        return statistics
    }
}
