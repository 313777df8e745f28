import Locking

extension EventLoop {
    /// How long the loop waits for another event before it releases its thread, in milliseconds.
    private static let spinTime: Int32 = 1

    /// Handles events and jobs, on the queue. With `spins`, it ends only after a moment without any; the dispatch
    /// source, which is disarmed while its handler runs, then watches the epoll descriptor again.
    func run(spins: Bool) {
        inbox.withLock { $0.begin() }
        while !state.isStopped {
            let hadEvents = handleEvents(wait: 0)
            let hadJobs = runJobs()
            if hadEvents || hadJobs { continue }
            guard spins, inbox.withLock({ $0.park() }) else { break }
            let wasRung = handleEvents(wait: Self.spinTime)
            inbox.withLock { $0.unpark() }
            guard wasRung || runJobs() else { break }
        }
        // Jobs posted from now on start the loop again. A stopped loop still runs its jobs.
        while !inbox.withLock({ $0.end() }) { _ = runJobs() }
    }

    /// Runs the jobs that are waiting now, and none that they add.
    private func runJobs() -> Bool {
        var jobs = state.spareJobs
        state.spareJobs = []
        inbox.withLock { $0.exchange(&jobs) }
        guard !jobs.isEmpty else {
            state.spareJobs = jobs
            return false
        }
        beginCallbacks()
        for job in jobs {
            defer { endCallback() }
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
