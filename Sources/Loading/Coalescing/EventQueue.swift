import DequeModule
import Dispatch
import Locking

/// Runs events one at a time, in the order in which they arrive.
///
/// An event runs on the queue's own thread. With `runOrEnqueue` it runs on the caller's thread if no other event runs
/// or waits, which saves waking another thread. A caller's thread never runs other callers' events, so it is busy only
/// for the time of its own event.
final class EventQueue: Sendable {
    typealias Event = @Sendable () -> Void

    private struct State: Sendable {
        /// An event runs, or the queue's own thread is about to run the waiting ones.
        var isBusy = false
        var waiting: Deque<Event> = []

        mutating func next() -> Event? {
            let next = waiting.popFirst()
            isBusy = next != nil
            return next
        }
    }

    private let queue: DispatchQueue
    private let state = Guarded(State())

    init(label: String) { queue = DispatchQueue(label: label) }

    /// Queues an event for the queue's own thread; returns at once. Any thread.
    func enqueue(_ event: @escaping Event) {
        let mustStart = state.withLock { state in
            state.waiting.append(event)
            defer { state.isBusy = true }
            return !state.isBusy
        }
        if mustStart { queue.async { self.drain() } }
    }

    /// Queues an event after the given number of seconds.
    func enqueue(_ event: @escaping Event, after seconds: Double) {
        queue.asyncAfter(deadline: .now() + seconds) { self.enqueue(event) }
    }

    /// Runs an event on this thread before returning if no other event runs or waits; otherwise queues it for the
    /// queue's own thread. Any thread, also from within an event. The caller must not hold a lock that an event takes.
    func runOrEnqueue(_ event: @escaping Event) {
        let isMine = state.withLock { state in
            guard state.isBusy else {
                state.isBusy = true
                return true
            }
            state.waiting.append(event)
            return false
        }
        guard isMine else { return }
        event()
        let hasMore = state.withLock { state in
            state.isBusy = !state.waiting.isEmpty
            return state.isBusy
        }
        if hasMore { queue.async { self.drain() } }
    }

    private func drain() {
        while let event = state.withLock({ $0.next() }) { event() }
    }
}
