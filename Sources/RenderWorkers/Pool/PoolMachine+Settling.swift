import Renditions
import Scheduling

/// What follows from the state after an event: which jobs get a worker, and which workers to start or end.
extension PoolMachine {
    /// Hands out permits and workers until none can be assigned.
    mutating func settle(_ now: Duration) -> [Effect] {
        var effects = failImpatient(now)
        limitGroups()
        for weight in [Weight.light, .heavy] {
            while let prefetch = queues[weight]?.nextToYield() { effects += yield(prefetch, now) }
            while let job = queues[weight]?.startNext() { unscheduled.append(job) }
        }
        effects += serve(now)
        effects += endLeft(now)
        effects += endOverdue(now)
        effects += failHung()
        effects += makeRoom(now)
        effects += startMissing(now)
        effects += rest(now)
        settledAt = now
        return effects
    }

    /// When to call `tick` next if nothing happens before; may be in the past.
    func nextMoment() -> Duration? {
        var moments: [Duration] = []
        for worker in workers.values {
            switch worker.phase {
            case .starting(let since): moments.append(since + configuration.startDeadline)
            case .working(_, let until, nil): moments.append(until)
            case .working(_, let until, let left?):
                moments += [until, left + keepAlive(worker)]
                if !unscheduled.isEmpty { moments.append(left + configuration.grace) }
            case .ending, .idle: break
            }
        }
        if !unscheduled.isEmpty || livingCount == 0 { moments.append(noStartBefore) }
        if let idleSince, livingCount > 1 { moments.append(idleSince + configuration.restAfter) }
        if let end = patience.nextEnd { moments.append(end) }
        // Everything that was due earlier has been handled as far as possible, except for checks at workers, which only
        // the pool can take.
        let checks = workers.values.filter(\.needsChecks).map(\.nextCheck)
        return (moments.filter { $0 > settledAt } + checks).min()
    }

    mutating func tick(_ now: Duration) -> [Effect] { settle(now) }

    // MARK: - Assigning

    /// Requeues a prefetch beyond the half of the permits that prefetch may hold while visible jobs wait.
    private mutating func yield(_ id: JobID, _ now: Duration) -> [Effect] {
        let worker = jobs[id]?.worker
        return requeue(id) + leave(id, at: worker, now)
    }

    /// The worker's job is abandoned: nobody waits for its result any more.
    mutating func leave(_ job: JobID, at worker: WorkerID?, _ now: Duration) -> [Effect] {
        guard let id = worker, case .working(job, let until, nil) = workers[id]?.phase else { return [] }
        workers[id]?.phase = .working(job, until: until, left: now)
        wantsSpares = true
        counts.left += 1
        return [.stop(job, id)]
    }

    private mutating func serve(_ now: Duration) -> [Effect] {
        var effects: [Effect] = []
        var still: [JobID] = []
        for id in unscheduled {
            guard let job = jobs[id] else { continue }
            guard let worker = idleWorker(for: job) else {
                still.append(id)
                continue
            }
            jobs[id]?.worker = worker
            workers[worker]?.phase = .working(id, until: now + job.limit, left: nil)
            workers[worker]?.jobs += 1
            workers[worker]?.line = Line(weight: job.weight, group: job.group)
            workers[worker]?.nextCheck = now + configuration.stallTimeout
            workers[worker]?.extensions = 0
            workers[worker]?.wasRefusedMemory = false
            effects.append(.begin(id, worker, mayBeHeavy: job.weight == .heavy))
        }
        unscheduled = still
        return effects
    }

    /// The worker that was used last, because its memory is warm. A job that has killed a worker goes only to a worker
    /// that has seen no other image, so that no other image can be the cause of another crash.
    private func idleWorker(for job: Job) -> WorkerID? {
        workers.compactMap { id, worker -> (id: WorkerID, since: Duration)? in
            guard case .idle(let since) = worker.phase, job.deaths == 0 || worker.jobs == 0 else { return nil }
            return (id, since)
        }.max { ($0.since, $0.id) < ($1.since, $1.id) }?.id
    }

    // MARK: - Ending

    var isBusy: Bool {
        workers.values.contains {
            if case .working(_, _, nil) = $0.phase { return true }
            return false
        } || !unscheduled.isEmpty
    }

    /// An abandoned heavy job rarely finishes soon, and may use every core.
    private func keepAlive(_ worker: Worker) -> Duration {
        guard isBusy else { return configuration.keepAliveLast }
        return worker.line?.weight == .heavy ? configuration.grace : configuration.keepAlive
    }

    /// Ends workers with abandoned jobs, sooner when others need the processor or the room.
    private mutating func endLeft(_ now: Duration) -> [Effect] {
        let left = workers.compactMap { id, worker -> (id: WorkerID, since: Duration, due: Duration)? in
            guard case .working(_, _, let left?) = worker.phase else { return nil }
            return (id, left, left + keepAlive(worker))
        }.sorted { ($0.since, $0.id) < ($1.since, $1.id) }
        guard !left.isEmpty else { return [] }
        var effects: [Effect] = []
        // Jobs for which there is neither a worker nor room to start one.
        var lacking = unscheduled.count - startingCount - max(0, configuration.maximumWorkers - livingCount)
        for worker in left {
            let isInTheWay = lacking > 0 && now >= worker.since + configuration.grace
            guard isInTheWay || now >= worker.due else { continue }
            if isInTheWay { lacking -= 1 }
            counts.kills += 1
            effects += kill(worker.id, now)
        }
        return effects
    }

    /// Workers past the deadline of their job. Each may get an extension, because the image is not to blame if other
    /// programs used the processor.
    func overdue(_ now: Duration) -> [WorkerID] {
        workers.compactMap { id, worker in
            guard case .working(_, let until, nil) = worker.phase, now >= until, !worker.isStalled,
                worker.extensions < configuration.extensions
            else { return nil }
            return id
        }
    }

    mutating func extend(_ id: WorkerID) {
        guard case .working(let job, let until, nil) = workers[id]?.phase, let limit = jobs[job]?.limit else { return }
        workers[id]?.extensions += 1
        workers[id]?.phase = .working(job, until: until + limit, left: nil)
    }

    private mutating func endOverdue(_ now: Duration) -> [Effect] {
        var effects: [Effect] = []
        for (id, worker) in workers.sorted(by: { $0.key < $1.key }) {
            switch worker.phase {
            case .starting(let since) where now >= since + configuration.startDeadline:
                effects += kill(id, now) + startFailed(now)
            case .working(let job, let until, let left) where now >= until:
                counts.deadlines += 1
                effects += kill(id, now)
                if left == nil, jobs[job] != nil {
                    forget(job)
                    effects.append(.fail(job, worker.isStalled ? .sourceHangs : .tookTooLong))
                }
            default: break
            }
        }
        return effects
    }

    // MARK: - Starting

    private var startingCount: Int {
        workers.values.count {
            if case .starting = $0.phase { return true }
            return false
        }
    }

    private var idleCount: Int {
        workers.values.count {
            if case .idle = $0.phase { return true }
            return false
        }
    }

    private var leftCount: Int {
        workers.values.count {
            if case .working(_, _, .some) = $0.phase { return true }
            return false
        }
    }

    /// Recycles idle workers when the waiting jobs need new ones, because the idle workers have seen other images.
    private mutating func makeRoom(_ now: Duration) -> [Effect] {
        guard unscheduled.count > startingCount, livingCount >= configuration.maximumWorkers else { return [] }
        let resting = workers.filter { if case .idle = $0.value.phase { $0.value.jobs > 0 } else { false } }
        guard let worker = resting.keys.min() else { return [] }
        counts.recycled += 1
        return kill(worker, now)
    }

    /// Starts a worker for each job without one, plus spares: one, or one for each permit after jobs have been
    /// abandoned.
    private mutating func startMissing(_ now: Duration) -> [Effect] {
        guard now >= noStartBefore else { return [] }
        let spares = wantsSpares ? configuration.permits + configuration.heavyPermits : 1
        // No idle worker can serve the jobs that are still waiting. A worker with an abandoned job may soon be idle
        // too. Spares start one after the other, because a start takes processor time from running jobs.
        let wanted = unscheduled.count + min(1, max(0, spares - idleCount - leftCount))
        var effects: [Effect] = []
        while startingCount < wanted, livingCount < configuration.maximumWorkers {
            effects += newWorker(now)
            // After a failed start, try only one.
            if failedStarts > 0 { break }
        }
        return effects
    }

    // MARK: - Resting

    private mutating func rest(_ now: Duration) -> [Effect] {
        let isResting = jobs.isEmpty && idleCount + startingCount == livingCount
        idleSince = isResting ? idleSince ?? now : nil
        guard let idleSince, now >= idleSince + configuration.restAfter else { return [] }
        wantsSpares = false
        return trim(now)
    }

    /// Ends all idle workers except the one that has seen the fewest images.
    private mutating func trim(_ now: Duration) -> [Effect] {
        let resting = workers.filter { if case .idle = $0.value.phase { true } else { false } }
        let kept = resting.min { ($0.value.jobs, $0.key) < ($1.value.jobs, $1.key) }?.key
        return resting.keys.filter { $0 != kept }.sorted().flatMap { kill($0, now) }
    }
}
