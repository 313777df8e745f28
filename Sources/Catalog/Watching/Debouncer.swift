import Dispatch
import Time

/// Debounces events: waits until nothing more happens for a moment, up to a maximum. A thousand files added together
/// then cause one new revision rather than a thousand.
final class Debouncer: @unchecked Sendable {
    // Sendable because its state is confined to `queue`.

    private let queue: DispatchQueue
    private let quiet: Duration
    private let maximumDelay: Duration
    private let ready: @Sendable () -> Void
    private var first: ContinuousClock.Instant?
    private var last = ContinuousClock.now

    /// - Parameters:
    ///   - quiet: How long nothing must have happened.
    ///   - maximumDelay: The maximum delay after the first event.
    init(queue: DispatchQueue, quiet: Duration, maximumDelay: Duration, ready: @escaping @Sendable () -> Void) {
        self.queue = queue
        self.quiet = quiet
        self.maximumDelay = maximumDelay
        self.ready = ready
    }

    /// Reports an event. On the queue.
    func note() {
        last = .now
        guard first == nil else { return }
        first = last
        wait(quiet)
    }

    private func wait(_ time: Duration) {
        queue.asyncAfter(deadline: .now() + time.dispatched) { [weak self] in self?.check() }
    }

    private func check() {
        guard let begun = first else { return }
        let due = min(last + quiet, begun + maximumDelay)
        let now = ContinuousClock.now
        guard now >= due else { return wait(due - now) }
        first = nil
        ready()
    }
}
