import Renditions
import Scheduling

/// What follows from the state that an event has left: who gets a worker, who is started, who must go.
extension PoolMachine {
    /// Gives out places and workers until nothing more can be given.
    mutating func settle(_ now: Duration) -> [Effect] {
        var effects: [Effect] = []
        for weight in [Weight.light, .heavy] {
            while let prefetch = lines[weight]?.nextToYield() { effects += yield(prefetch, now) }
            while let job = lines[weight]?.startNext() { unserved.append(job) }
        }
        effects += serve(now)
        effects += endLeft(now)
        effects += endOverdue(now)
        effects += makeRoom()
        effects += startMissing(now)
        effects += rest(now)
        settledAt = now
        return effects
    }

    /// When `tick` is worth calling next, if nothing happens before; it may have passed already.
    func nextMoment() -> Duration? {
        var moments: [Duration] = []
        for worker in workers.values {
            switch worker.duty {
            case .starting(let since): moments.append(since + configuration.startDeadline)
            case .working(_, let until, nil): moments.append(until)
            case .working(_, let until, let left?):
                moments.append(until)
                moments.append(left + lingering(worker))
                if !unserved.isEmpty { moments.append(left + configuration.grace) }
            case .resting, .ending: break
            }
        }
        if !unserved.isEmpty || workers.isEmpty { moments.append(noStartBefore) }
        if let restingSince, workers.count > 1 { moments.append(restingSince + configuration.restAfter) }
        // What was due then has been seen to, as far as it could be.
        return moments.filter { $0 > settledAt }.min()
    }

    mutating func tick(_ now: Duration) -> [Effect] { settle(now) }

    // MARK: - Giving

    /// Prefetch that holds more than its half while something visible waits goes back into the line.
    private mutating func yield(_ id: JobID, _ now: Duration) -> [Effect] {
        let worker = jobs[id]?.worker
        requeue(id)
        return leave(id, at: worker, now)
    }

    /// Nobody waits any more for this worker to be done with this job.
    mutating func leave(_ job: JobID, at worker: WorkerID?, _ now: Duration) -> [Effect] {
        guard let id = worker, case .working(job, let until, nil) = workers[id]?.duty else { return [] }
        workers[id]?.duty = .working(job, until: until, left: now)
        isAgitated = true
        counts.left += 1
        return [.stop(job, id)]
    }

    private mutating func serve(_ now: Duration) -> [Effect] {
        var effects: [Effect] = []
        var still: [JobID] = []
        for id in unserved {
            guard let job = jobs[id] else { continue }
            guard let worker = restingWorker(for: job) else {
                still.append(id)
                continue
            }
            jobs[id]?.worker = worker
            workers[worker]?.duty = .working(id, until: now + job.limit, left: nil)
            workers[worker]?.jobs += 1
            workers[worker]?.weight = job.weight
            workers[worker]?.extensions = 0
            workers[worker]?.wasRefusedMemory = false
            effects.append(.begin(id, worker, mayBeHeavy: job.weight == .heavy))
        }
        unserved = still
        return effects
    }

    /// The one that rested last, whose memory is warm. A job over which a worker has died is tried alone: by one that has
    /// seen no other picture, so that nobody else's can be to blame.
    private func restingWorker(for job: Job) -> WorkerID? {
        workers.compactMap { id, worker -> (id: WorkerID, since: Duration)? in
            guard case .resting(let since) = worker.duty, job.deaths == 0 || worker.jobs == 0 else { return nil }
            return (id, since)
        }.max { ($0.since, $0.id) < ($1.since, $1.id) }?.id
    }

    // MARK: - Ending

    var isBusy: Bool {
        workers.values.contains {
            if case .working(_, _, nil) = $0.duty { return true }
            return false
        } || !unserved.isEmpty
    }

    /// A heavy job's rest is rarely short, and it may use every core.
    private func lingering(_ worker: Worker) -> Duration {
        guard isBusy else { return configuration.lingeringAlone }
        return worker.weight == .heavy ? configuration.grace : configuration.lingering
    }

    /// Ends those who go on with a job that nobody waits for: soon when others need the processor or the room.
    private mutating func endLeft(_ now: Duration) -> [Effect] {
        let left = workers.compactMap { id, worker -> (id: WorkerID, since: Duration, due: Duration)? in
            guard case .working(_, _, let left?) = worker.duty else { return nil }
            return (id, left, left + lingering(worker))
        }.sorted { ($0.since, $0.id) < ($1.since, $1.id) }
        guard !left.isEmpty else { return [] }
        var effects: [Effect] = []
        // For whom there is neither a worker nor room for one.
        var lacking = unserved.count - startingCount - max(0, configuration.maximumWorkers - workers.count)
        for worker in left {
            let isInTheWay = lacking > 0 && now >= worker.since + configuration.grace
            guard isInTheWay || now >= worker.due else { continue }
            if isInTheWay { lacking -= 1 }
            counts.kills += 1
            effects += kill(worker.id)
        }
        return effects
    }

    /// Workers whose job's time is over, and might be given once more: if it was others who had the processor, the picture
    /// is not to blame.
    func overdue(_ now: Duration) -> [WorkerID] {
        workers.compactMap { id, worker in
            guard case .working(_, let until, nil) = worker.duty, now >= until,
                worker.extensions < configuration.extensions
            else { return nil }
            return id
        }
    }

    mutating func extend(_ id: WorkerID) {
        guard case .working(let job, let until, nil) = workers[id]?.duty, let limit = jobs[job]?.limit else { return }
        workers[id]?.extensions += 1
        workers[id]?.duty = .working(job, until: until + limit, left: nil)
    }

    private mutating func endOverdue(_ now: Duration) -> [Effect] {
        var effects: [Effect] = []
        for (id, worker) in workers.sorted(by: { $0.key < $1.key }) {
            switch worker.duty {
            case .starting(let since) where now >= since + configuration.startDeadline:
                effects += kill(id) + startFailed(now)
            case .working(let job, let until, let left) where now >= until:
                counts.deadlines += 1
                effects += kill(id)
                if left == nil, jobs[job] != nil {
                    forget(job)
                    effects.append(.fail(job, .tookTooLong))
                }
            default: break
            }
        }
        return effects
    }

    // MARK: - Starting

    private var startingCount: Int {
        workers.values.count {
            if case .starting = $0.duty { return true }
            return false
        }
    }

    private var restingCount: Int {
        workers.values.count {
            if case .resting = $0.duty { return true }
            return false
        }
    }

    private var leftCount: Int {
        workers.values.count {
            if case .working(_, _, .some) = $0.duty { return true }
            return false
        }
    }

    /// Those whom no resting worker may serve, since it has seen other pictures, get one that is new.
    private mutating func makeRoom() -> [Effect] {
        guard unserved.count > startingCount, workers.count >= configuration.maximumWorkers else { return [] }
        let resting = workers.filter { if case .resting = $0.value.duty { $0.value.jobs > 0 } else { false } }
        guard let worker = resting.keys.min() else { return [] }
        counts.recycled += 1
        return kill(worker)
    }

    /// A worker for each who lacks one, and spare ones: one, or one for each place after jobs have been given up.
    private mutating func startMissing(_ now: Duration) -> [Effect] {
        guard now >= noStartBefore else { return [] }
        let spares = isAgitated ? configuration.places + configuration.heavyPlaces : 1
        // Whoever is unserved now could not be served by those who rest. Who is left with a job may soon rest as well. Spare
        // ones come one after the other: a start takes the processor from those who work.
        let wanted = unserved.count + min(1, max(0, spares - restingCount - leftCount))
        var effects: [Effect] = []
        while startingCount < wanted, workers.count < configuration.maximumWorkers {
            effects += newWorker(now)
            // After a failure one is enough to see whether it goes again.
            if failedStarts > 0 { break }
        }
        return effects
    }

    // MARK: - Resting

    private mutating func rest(_ now: Duration) -> [Effect] {
        let isResting = jobs.isEmpty && restingCount + startingCount == workers.count
        restingSince = isResting ? restingSince ?? now : nil
        guard let restingSince, now >= restingSince + configuration.restAfter else { return [] }
        isAgitated = false
        return trim()
    }

    /// All but one worker go: the one stays that has seen the fewest pictures.
    private mutating func trim() -> [Effect] {
        let resting = workers.filter { if case .resting = $0.value.duty { true } else { false } }
        let kept = resting.min { ($0.value.jobs, $0.key) < ($1.value.jobs, $1.key) }?.key
        return resting.keys.filter { $0 != kept }.sorted().flatMap { kill($0) }
    }
}
