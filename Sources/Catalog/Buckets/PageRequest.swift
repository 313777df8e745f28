import Dispatch
import Locking
import Time

/// A request for one page. Events arrive on the store's threads; the scanning queue waits for them.
final class PageRequest: Sendable {
    private struct Inbox: Sendable {
        var events: [ObjectStoreEvent] = []
        var bytes = 0
        var isOver = false
    }

    /// How soon a waiting thread notices that it is to stop.
    private static let stopCheckInterval = DispatchTimeInterval.milliseconds(100)

    let url: String
    private let inbox = Guarded(Inbox())
    private let hasEvents = DispatchSemaphore(value: 0)
    private let request = Guarded<(any ObjectStoreRequest)?>(nil)

    init(_ url: String, to store: any ObjectStoreRequesting) {
        self.url = url
        let started = store.ask(url) { [weak self] event in self?.take(event) }
        request.withLock { $0 = started }
    }

    deinit { request.withLock { $0 }?.cancel() }

    private func take(_ event: ObjectStoreEvent) {
        let isTooMuch = inbox.withLock { inbox in
            guard !inbox.isOver else { return false }
            if case .bytes(let bytes) = event { inbox.bytes += bytes.count }
            if case .began = event { inbox.bytes = 0 }
            // The reader reports an overlong page before all of it is in memory.
            guard inbox.bytes <= 2 * BucketPageReader.maximumBytes else {
                inbox.isOver = true
                return true
            }
            inbox.events.append(event)
            return false
        }
        if isTooMuch { request.withLock { $0 }?.cancel() }
        hasEvents.signal()
    }

    /// Waits for the next events; nil if `isStopped` returns true first. The store's own timeouts end every wait.
    func next(unless isStopped: () -> Bool) -> [ObjectStoreEvent]? {
        while !isStopped() {
            let events = inbox.withLock { inbox in
                defer { inbox.events = [] }
                if inbox.isOver, inbox.events.isEmpty { return [ObjectStoreEvent.failed("The page is too long.")] }
                return inbox.events
            }
            if !events.isEmpty { return events }
            _ = hasEvents.wait(timeout: .now() + Self.stopCheckInterval)
        }
        return nil
    }

    /// Waits for the whole page; nil if `isStopped` returns true first.
    ///
    /// - Parameter next: Called with the continuation token of the next page as soon as it is known, and with nil when
    ///   the response begins anew.
    /// - Throws: ``BucketRefusal`` if there is no page.
    func page(
        of address: BucketAddress, unless isStopped: () -> Bool, next onToken: (String?) -> Void = { _ in }
    ) throws -> BucketPage? {
        var reader = BucketPageReader()
        while let events = next(unless: isStopped) {
            for event in events {
                switch event {
                case .began:
                    reader = BucketPageReader()
                    onToken(nil)
                case .bytes(let bytes):
                    do throws(BucketPageReader.Fault) { try reader.read(bytes) } catch { throw BucketRefusal(error) }
                    if let next = reader.next { onToken(next) }
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

    /// Waits for this long, or until `isStopped` returns true.
    static func wait(_ duration: Duration, unless isStopped: () -> Bool) {
        let end = ContinuousClock.now + duration
        let never = DispatchSemaphore(value: 0)
        while !isStopped(), ContinuousClock.now < end {
            let rest = min(Duration.milliseconds(100), end - .now)
            _ = never.wait(timeout: .now() + rest.dispatched)
        }
    }
}
