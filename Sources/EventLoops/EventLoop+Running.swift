import Locking

extension EventLoop {
    /// How long the loop waits for the next event before it gives its thread back, in milliseconds.
    private static let lingering: Int32 = 1

    /// Does what there is to do, on the queue. With `lingers`, ends only when for a moment there has been nothing:
    /// then the source, which is not armed while its handler runs, watches the epoll again.
    func run(lingers: Bool) {
        inbox.withLock { $0.begin() }
        while !state.isStopped {
            let hadEvents = handleEvents(wait: 0)
            let hadJobs = runJobs()
            if hadEvents || hadJobs { continue }
            guard lingers, inbox.withLock({ $0.park() }) else { break }
            let wasRung = handleEvents(wait: Self.lingering)
            inbox.withLock { $0.unpark() }
            guard wasRung || runJobs() else { break }
        }
        // What comes from now on starts the loop anew. A stopped loop still runs what it is given.
        while !inbox.withLock({ $0.end() }) { _ = runJobs() }
    }

    /// Runs the jobs that wait now, and none that they add.
    private func runJobs() -> Bool {
        var jobs = state.spareJobs
        state.spareJobs = []
        inbox.withLock { $0.exchange(&jobs) }
        guard !jobs.isEmpty else {
            state.spareJobs = jobs
            return false
        }
        beginTurns()
        for job in jobs {
            defer { endTurn() }
            switch job {
            case .closure(let body): body()
            case .task(let job):
                job.runSynchronously(
                    isolatedTo: asUnownedSerialExecutor(), taskExecutor: asUnownedTaskExecutor())
            }
        }
        jobs.removeAll(keepingCapacity: jobs.count < 1_024)
        state.spareJobs = jobs
        return true
    }
}
