import Dispatch

/// Waits until nothing more happens for a moment, though not for ever: a thousand files that are put in together are one
/// change of the order, not a thousand.
final class Gathering: @unchecked Sendable {
    // Sendable because its state is touched on `queue` alone.

    private let queue: DispatchQueue
    private let quiet: Duration
    private let longest: Duration
    private let ready: @Sendable () -> Void
    private var first: ContinuousClock.Instant?
    private var last = ContinuousClock.now

    /// - Parameters:
    ///   - quiet: how long nothing must have happened.
    ///   - longest: after the first thing that happened it is waited no longer than this.
    init(queue: DispatchQueue, quiet: Duration, longest: Duration, ready: @escaping @Sendable () -> Void) {
        self.queue = queue
        self.quiet = quiet
        self.longest = longest
        self.ready = ready
    }

    /// Something happened. On the queue.
    func note() {
        last = .now
        guard first == nil else { return }
        first = last
        wait(quiet)
    }

    private func wait(_ time: Duration) {
        queue.asyncAfter(deadline: .now() + time.dispatched) { [weak self] in self?.look() }
    }

    private func look() {
        guard let begun = first else { return }
        let due = min(last + quiet, begun + longest)
        let now = ContinuousClock.now
        guard now >= due else { return wait(due - now) }
        first = nil
        ready()
    }
}
