import Scheduling

/// Which waiters share which job: one job per key however many callers wait, and no job without waiters.
///
/// A pure value. Joining, leaving and ending are each one step, so a new waiter never meets a job that is being
/// abandoned because the last one left: it either joins before and keeps the job alive, or starts a new one.
///
/// A job takes its priority and its flow from its most urgent waiter. When that waiter leaves, the next most urgent one
/// decides.
struct CoalescingTable<Key: Hashable & Sendable, Waiter: Hashable & Sendable>: Sendable {
    /// Names one job. Never reused, so a late event of an abandoned job cannot affect the next job for the same key.
    typealias JobID = UInt64

    enum JoinResult: Equatable, Sendable {
        /// There was no job for the key, so one was started.
        case started(JobID)
        /// There was a job. `raisedTo` is its new priority if the new waiter is more urgent than all others.
        case joined(JobID, raisedTo: Priority?)
    }

    enum LeaveResult: Equatable, Sendable {
        /// The waiter had no job: it never joined, it has already left, or its job has ended.
        case unknown
        /// Others still wait. `changedTo` is the job's new priority if the leaving waiter had determined it.
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

    mutating func join(_ waiter: Waiter, key: Key, priority: Priority) -> JoinResult {
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

    mutating func leave(_ waiter: Waiter) -> LeaveResult {
        guard let id = jobByWaiter.removeValue(forKey: waiter) else { return .unknown }
        let before = priority(of: id)
        jobs[id]?.waiters.remove(waiter)
        guard let after = priority(of: id) else {
            if let job = jobs.removeValue(forKey: id) { jobByKey[job.key] = nil }
            return .abandoned(id)
        }
        return .remaining(id, changedTo: before == after ? nil : after)
    }

    /// Nil when the job's priority does not change.
    mutating func reprioritise(_ waiter: Waiter, to priority: Priority) -> (job: JobID, priority: Priority)? {
        guard let id = jobByWaiter[waiter] else { return nil }
        let before = self.priority(of: id)
        jobs[id]?.waiters.set(waiter, to: priority)
        guard let after = self.priority(of: id), after != before else { return nil }
        return (id, after)
    }

    /// Ends a job, whether it succeeded or failed. Returns all its waiters, each to be answered once; none when the job
    /// is unknown.
    mutating func end(_ id: JobID) -> [Waiter] {
        guard let job = jobs.removeValue(forKey: id) else { return [] }
        jobByKey[job.key] = nil
        let waiters = job.waiters.ids
        for waiter in waiters { jobByWaiter[waiter] = nil }
        return waiters
    }
}
