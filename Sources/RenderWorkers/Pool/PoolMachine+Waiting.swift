import Scheduling

/// Jobs in the queue.
///
/// Somebody waits for the answer to every job above the background, however long the queue is. Such a job may wait for
/// as long as it may run. If it then has no worker, it fails, and whoever wants it can ask again. One that has a worker
/// may finish, but does not wait again.
extension PoolMachine {
    /// Fails the jobs whose time has run out.
    mutating func failImpatient(_ now: Duration) -> [Effect] {
        var effects: [Effect] = []
        var waiting = patience
        patience = Patience()
        let ended = waiting.removeEnded(now) { jobs[$0] != nil }
        patience = waiting
        for id in ended {
            guard let job = jobs[id], job.priority.level > .background else { continue }
            if job.worker == nil {
                effects += refuse(id)
            } else {
                jobs[id]?.isOutOfPatience = true
            }
        }
        return effects
    }

    private mutating func refuse(_ id: JobID) -> [Effect] {
        forget(id)
        counts.queueTimeouts += 1
        return [.fail(id, .waitedTooLong)]
    }

    /// Queues a job again after it lost its worker, unless it has waited for long enough.
    mutating func requeue(_ id: JobID, as weight: Weight? = nil) -> [Effect] {
        guard var job = jobs[id] else { return [] }
        guard !job.isOutOfPatience else { return refuse(id) }
        unscheduled.removeAll { $0 == id }
        queues[job.weight]?.remove(id)
        job.worker = nil
        job.weight = weight ?? job.weight
        jobs[id] = job
        queues[job.weight]?.enqueue(id, in: job.group, priority: job.priority)
        return []
    }
}
