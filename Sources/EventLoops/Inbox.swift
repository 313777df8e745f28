/// The jobs that wait for a loop, and what the loop is doing, so that whoever posts knows how to reach it.
struct Inbox {
    enum Job: Sendable {
        case closure(@Sendable () -> Void)
        case task(UnownedJob)
    }

    private enum Activity {
        case resting
        case running
        case parked
    }

    private var jobs: [Job] = []
    private var activity = Activity.resting

    /// Adds a job. Rings if the loop waits in its epoll; returns true if the loop does not run and must be started.
    mutating func post(_ job: Job, ring: () -> Void) -> Bool {
        jobs.append(job)
        switch activity {
        case .running: return false
        case .parked: ring()
        case .resting: break
        }
        defer { activity = .running }
        return activity == .resting
    }

    mutating func begin() { activity = .running }

    /// Gives the jobs for an empty array, whose memory is used for the next ones.
    mutating func exchange(_ taken: inout [Job]) {
        swap(&jobs, &taken)
    }

    /// The loop is about to wait. False if there is a job after all.
    mutating func park() -> Bool {
        guard jobs.isEmpty else { return false }
        activity = .parked
        return true
    }

    mutating func unpark() { activity = .running }

    /// The loop is about to end. False if there is a job after all.
    mutating func end() -> Bool {
        guard jobs.isEmpty else { return false }
        activity = .resting
        return true
    }
}
