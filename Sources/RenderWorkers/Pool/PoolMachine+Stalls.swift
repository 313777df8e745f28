import Scheduling

/// Workers that only wait for a disk.
///
/// A stalled worker counts against its group instead of the pool. Its job gives up its permit but continues, so that a
/// slow disk (one that spins up, say) fails no image, and another worker starts in its place. Each stalled worker
/// reduces the permits of its group by one. A worker still stalled at its deadline is killed. If it then hangs in an
/// uninterruptible read, it is replaced; one that is only slow to end is waited for. Once a group has no permit left
/// except those of hung workers, its jobs fail instead of waiting.
extension PoolMachine {
    /// Workers whose state the pool must report now, with ``recordCheck(of:hasAdvanced:isUninterruptible:now:)``.
    func workersToCheck(_ now: Duration) -> [WorkerID] {
        workers.filter { $0.value.needsChecks && now >= $0.value.nextCheck }.keys.sorted()
    }

    /// - Parameters:
    ///   - hasAdvanced: Whether it has used processor time since the last look, or since its job began, or since it was
    ///     killed.
    ///   - isUninterruptible: Whether it is in a system call that even a kill does not end.
    mutating func recordCheck(of id: WorkerID, hasAdvanced: Bool, isUninterruptible: Bool, now: Duration) {
        guard let worker = workers[id] else { return }
        switch worker.phase {
        case .working(let job, _, let left):
            workers[id]?.nextCheck = now + configuration.stallTimeout
            guard worker.isStalled == hasAdvanced else { return }
            workers[id]?.isStalled = !hasAdvanced
            // An abandoned job has already given up its permit.
            if !hasAdvanced, left == nil, let line = worker.line { queues[line.weight]?.remove(job) }
        case .ending:
            // Others may use the processor that it needs to end, and it may be in such a call by chance.
            let isHung = isUninterruptible && !hasAdvanced
            workers[id]?.nextCheck = now + configuration.killTimeout
            workers[id]?.isHung = isHung
            workers[id]?.isStalled = isHung
        case .starting, .idle: break
        }
    }

    /// Workers that count against the pool. Stalled workers do not, up to a limit of their own, because each one holds
    /// memory.
    var livingCount: Int {
        let stalled = workers.values.count(where: \.isStalled)
        return workers.count - min(stalled, configuration.maximumStalledWorkers)
    }

    /// Whether every worker that the pool may have is hung.
    var areAllHung: Bool {
        workers.values.count(where: \.isHung) >= configuration.maximumWorkers + configuration.maximumStalledWorkers
    }

    private func count(_ state: KeyPath<Worker, Bool>, of line: Line) -> Int {
        workers.values.count { $0[keyPath: state] && $0.line == line }
    }

    private func lines(where state: KeyPath<Worker, Bool>) -> Set<Line> {
        Set(workers.values.filter { $0[keyPath: state] }.compactMap(\.line))
    }

    mutating func limitGroups() {
        let stalled = Set(lines(where: \.isStalled).map(\.group))
        guard !stalled.isEmpty || !limitedGroups.isEmpty else { return }
        for group in stalled.union(limitedGroups) {
            for weight in [Weight.light, .heavy] {
                let count = count(\.isStalled, of: Line(weight: weight, group: group))
                let permits = queues[weight]?.permits ?? 0
                queues[weight]?.limit(group, to: count > 0 ? permits - count : nil)
            }
        }
        limitedGroups = stalled
    }

    /// Fails the jobs that wait for a hung disk.
    mutating func failHung() -> [Effect] {
        if areAllHung { return fail(.sourceHangs) { $0.worker == nil } }
        var effects: [Effect] = []
        for hung in lines(where: \.isHung) {
            // A worker that is only stalled may finish yet, and then serve the group.
            guard count(\.isHung, of: hung) >= queues[hung.weight]?.permits ?? 0 else { continue }
            effects += fail(.sourceHangs) {
                $0.worker == nil && $0.weight == hung.weight && $0.group == hung.group
            }
        }
        return effects
    }
}

extension PoolMachine.Worker {
    var isEnding: Bool { if case .ending = phase { true } else { false } }

    /// Whether the pool must look at it from time to time: it has a job, or is to end.
    var needsChecks: Bool {
        switch phase {
        case .working, .ending: true
        case .starting, .idle: false
        }
    }
}
