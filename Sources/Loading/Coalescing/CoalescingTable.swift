import Scheduling

/// Who waits for which job: one job for a key however many wait, and no job that nobody waits for.
///
/// A pure value. Joining, leaving and ending are each one step, so that a joiner can never meet a job that is being
/// abandoned by another's leaving: it either joins before and keeps the job, or starts a new one.
///
/// A job has the priority of the most urgent of its waiters, and counts for the flow of that one; when it leaves, for
/// the flow of the next.
struct CoalescingTable<Key: Hashable & Sendable, Waiter: Hashable & Sendable>: Sendable {
    /// Names one job. Never used again, so that a late word of an abandoned job cannot touch its successor at the key.
    typealias JobID = UInt64

    enum Joined: Equatable, Sendable {
        /// There was no job for the key; now there is.
        case started(JobID)
        /// There was one; `raisedTo` is its new priority, if the joiner is more urgent than all who waited.
        case joined(JobID, raisedTo: Priority?)
    }

    enum Left: Equatable, Sendable {
        /// It waited for nothing: it never joined, it left before, or its job ended.
        case unknown
        /// Others still wait; `changedTo` is the job's new priority, if it was the leaver who made it what it was.
        case remaining(JobID, changedTo: Priority?)
        /// Nobody waits any more: the job is out of the table, and its work must stop.
        case abandoned(JobID)
    }

    private struct Job: Sendable {
        let key: Key
        var waiters = IndexedHeap<Waiter, Priority>()
    }

    private var jobs: [JobID: Job] = [:]
    private var jobByKey: [Key: JobID] = [:]
    private var jobByWaiter: [Waiter: JobID] = [:]
    private var lastJob: JobID = 0

    var jobCount: Int { jobs.count }
    var waiterCount: Int { jobByWaiter.count }
    var isEmpty: Bool { jobs.isEmpty && jobByKey.isEmpty && jobByWaiter.isEmpty }

    func job(for key: Key) -> JobID? { jobByKey[key] }
    func job(of waiter: Waiter) -> JobID? { jobByWaiter[waiter] }
    func key(of job: JobID) -> Key? { jobs[job]?.key }
    func priority(of job: JobID) -> Priority? { jobs[job]?.waiters.first?.rank }
    func waiters(of job: JobID) -> [Waiter] { jobs[job]?.waiters.ids ?? [] }

    mutating func join(_ waiter: Waiter, key: Key, priority: Priority) -> Joined {
        if let id = jobByKey[key] {
            let before = self.priority(of: id)
            jobs[id]?.waiters.set(waiter, to: priority)
            jobByWaiter[waiter] = id
            let after = self.priority(of: id)
            return .joined(id, raisedTo: before == after ? nil : after)
        }
        lastJob += 1
        var job = Job(key: key)
        job.waiters.set(waiter, to: priority)
        jobs[lastJob] = job
        jobByKey[key] = lastJob
        jobByWaiter[waiter] = lastJob
        return .started(lastJob)
    }

    mutating func leave(_ waiter: Waiter) -> Left {
        guard let id = jobByWaiter.removeValue(forKey: waiter) else { return .unknown }
        let before = priority(of: id)
        jobs[id]?.waiters.remove(waiter)
        guard let after = priority(of: id) else {
            if let job = jobs.removeValue(forKey: id) { jobByKey[job.key] = nil }
            return .abandoned(id)
        }
        return .remaining(id, changedTo: before == after ? nil : after)
    }

    /// Nil when the job's priority stays what it was.
    mutating func reprioritise(_ waiter: Waiter, to priority: Priority) -> (job: JobID, priority: Priority)? {
        guard let id = jobByWaiter[waiter] else { return nil }
        let before = self.priority(of: id)
        jobs[id]?.waiters.set(waiter, to: priority)
        guard let after = self.priority(of: id), after != before else { return nil }
        return (id, after)
    }

    /// Ends a job in whatever way. Answers all who wait for it, each exactly once; none when the job is unknown.
    mutating func end(_ id: JobID) -> [Waiter] {
        guard let job = jobs.removeValue(forKey: id) else { return [] }
        jobByKey[job.key] = nil
        let waiters = job.waiters.ids
        for waiter in waiters { jobByWaiter[waiter] = nil }
        return waiters
    }
}
