/// The jobs waiting for a loop, and what the loop is doing, which determines how to wake it.
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

    /// Adds a job. Calls `ring` if the loop is waiting in epoll; returns true if the loop isn't running and must be
    /// started.
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

    /// Swaps the jobs for an empty array, whose storage holds the next ones.
    mutating func exchange(_ taken: inout [Job]) {
        swap(&jobs, &taken)
    }

    /// The loop is about to wait. Returns false if there is a job after all.
    mutating func park() -> Bool {
        guard jobs.isEmpty else { return false }
        activity = .parked
        return true
    }

    mutating func unpark() { activity = .running }

    /// The loop is about to end. Returns false if there is a job after all.
    mutating func end() -> Bool {
        guard jobs.isEmpty else { return false }
        activity = .resting
        return true
    }
}
