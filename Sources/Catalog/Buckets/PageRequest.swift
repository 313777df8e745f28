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

    /// Waits for the whole page; nil when `isStopped` says true first.
    ///
    /// - Parameter next: hears while the page comes what the next one is asked for with, as soon as that is known, and nil
    ///   when the page begins anew.
    /// - Throws: ``BucketRefusal`` when there is no page.
    func page(
        of address: BucketAddress, unless isStopped: () -> Bool, next told: (String?) -> Void = { _ in }
    ) throws -> BucketPage? {
        var reader = BucketPageReader()
        while let events = next(unless: isStopped) {
            for event in events {
                switch event {
                case .began:
                    reader = BucketPageReader()
                    told(nil)
                case .bytes(let bytes):
                    do throws(BucketPageReader.Fault) { try reader.read(bytes) } catch { throw BucketRefusal(error) }
                    if let next = reader.next { told(next) }
                case .whole:
                    do throws(BucketPageReader.Fault) { return try reader.finish() } catch {
                        throw BucketRefusal(error)
                    }
                case .refused(let status, let body, let region):
                    throw BucketRefusal(status: status, body: body, region: region, of: address)
                case .failed(let message):
                    throw BucketRefusal(unreachable: message)
                }
            }
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
