import Dispatch
import Locking

/// One page on its way: events come on the store's threads, and are waited for on the scanning queue.
final class PageRequest: Sendable {
    private struct Inbox: Sendable {
        var events: [ObjectStoreEvent] = []
        var bytes = 0
        var isOver = false
    }

    /// How soon it is seen that nobody waits any more.
    private static let attention = DispatchTimeInterval.milliseconds(100)

    let url: String
    private let inbox = Guarded(Inbox())
    private let came = DispatchSemaphore(value: 0)
    private let question = Guarded<(any ObjectStoreQuestion)?>(nil)

    init(_ url: String, to store: any ObjectStoreAsking) {
        self.url = url
        let asked = store.ask(url) { [weak self] event in self?.take(event) }
        question.withLock { $0 = asked }
    }

    deinit { question.withLock { $0 }?.cancel() }

    private func take(_ event: ObjectStoreEvent) {
        let isTooMuch = inbox.withLock { inbox in
            guard !inbox.isOver else { return false }
            if case .bytes(let bytes) = event { inbox.bytes += bytes.count }
            if case .began = event { inbox.bytes = 0 }
            // Whoever reads is told that the page is too long before all of it is in memory.
            guard inbox.bytes <= 2 * BucketPageReader.longest else {
                inbox.isOver = true
                return true
            }
            inbox.events.append(event)
            return false
        }
        if isTooMuch { question.withLock { $0 }?.cancel() }
        came.signal()
    }

    /// Waits for the next events; nil when `isStopped` says true first. The store's own limits of time end every wait.
    func next(unless isStopped: () -> Bool) -> [ObjectStoreEvent]? {
        while !isStopped() {
            let events = inbox.withLock { inbox in
                defer { inbox.events = [] }
                if inbox.isOver, inbox.events.isEmpty { return [ObjectStoreEvent.failed("The page is too long.")] }
                return inbox.events
            }
            if !events.isEmpty { return events }
            _ = came.wait(timeout: .now() + Self.attention)
        }
        return nil
    }

    /// Waits without a page; shorter when `isStopped` says true.
    static func wait(_ duration: Duration, unless isStopped: () -> Bool) {
        let end = ContinuousClock.now + duration
        let never = DispatchSemaphore(value: 0)
        while !isStopped(), ContinuousClock.now < end {
            let rest = min(Duration.milliseconds(100), end - .now)
            _ = never.wait(timeout: .now() + rest.dispatched)
        }
    }
}
