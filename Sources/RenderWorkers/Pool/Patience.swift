import DequeModule

/// How long waiting jobs are given. Jobs with the same limit wait in the order in which their time runs out, so that
/// adding one and finding the next costs the same with any number of them.
struct Patience: Sendable {
    private struct Entry {
        let job: PoolMachine.JobID
        let end: Duration
    }

    /// By limit; there are a few different ones.
    private var lines: [Duration: Deque<Entry>] = [:]

    /// - Parameter now: Not earlier than in the calls before.
    mutating func add(_ job: PoolMachine.JobID, for limit: Duration, now: Duration) {
        lines[limit, default: []].append(Entry(job: job, end: now + limit))
    }

    /// When the time of the next job runs out.
    var nextEnd: Duration? { lines.values.compactMap { $0.first?.end }.min() }

    /// Removes the jobs whose time has run out, and those in front that no longer wait.
    mutating func removeEnded(_ now: Duration, isWaiting: (PoolMachine.JobID) -> Bool) -> [PoolMachine.JobID] {
        var ended: [PoolMachine.JobID] = []
        for limit in lines.keys {
            while let first = lines[limit]?.first, first.end <= now || !isWaiting(first.job) {
                lines[limit]?.removeFirst()
                if isWaiting(first.job) { ended.append(first.job) }
            }
        }
        return ended.sorted()
    }
}
