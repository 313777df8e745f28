import Dispatch
import Locking
import Origins
import Scheduling

@testable import Loading

/// Origins that do only what the test says.
final class MockOrigins: OriginFetching {
    typealias Answer = @Sendable (OriginRequest) -> [UInt8]

    let fetches = Recorder<MockFetch>()
    private let queue = DispatchQueue(label: "mock origins")
    private let answerBox = Guarded<Answer?>(nil)

    /// If set, every fetch receives these bytes, in pieces.
    var answer: Answer? {
        get { answerBox.withLock { $0 } }
        set { answerBox.withLock { $0 = newValue } }
    }

    func fetch(
        _ request: OriginRequest, priority: Priority, events: @escaping @Sendable (OriginEvent) -> Void
    ) -> any OriginFetch {
        let fetch = MockFetch(request: request, priority: priority, events: events)
        fetches.record(fetch)
        if let answer {
            queue.async {
                let bytes = answer(request)
                fetch.send(.started(.of(bytes.count)))
                for start in stride(from: 0, to: bytes.count, by: 4_096) {
                    fetch.send(.bytes(Array(bytes[start..<min(bytes.count, start + 4_096)])))
                }
                fetch.send(.finished)
            }
        }
        return fetch
    }
}

final class MockFetch: OriginFetch {
    enum Steering: Hashable {
        case cancel
        case reprioritise(Priority)
        case pause
        case resume
        case fetchRest
    }

    let request: OriginRequest
    let priority: Priority
    let steering = Recorder<Steering>()
    private let events: @Sendable (OriginEvent) -> Void

    init(request: OriginRequest, priority: Priority, events: @escaping @Sendable (OriginEvent) -> Void) {
        self.request = request
        self.priority = priority
        self.events = events
    }

    func cancel() { steering.record(.cancel) }
    func reprioritise(_ priority: Priority) { steering.record(.reprioritise(priority)) }
    func pause() { steering.record(.pause) }
    func resume() { steering.record(.resume) }
    func fetchRest() { steering.record(.fetchRest) }

    func send(_ event: OriginEvent) { events(event) }

    /// Sends a complete response at once.
    func answer(
        _ bytes: [UInt8], tag: String? = "\"1\"", freshFor: Duration = .seconds(60), mayStore: Bool = true,
        mustRevalidate: Bool? = nil
    ) {
        let head = OriginHead.of(
            bytes.count, tag: tag, freshFor: freshFor, mayStore: mayStore, mustRevalidate: mustRevalidate)
        send(.started(head))
        send(.bytes(bytes))
        send(.finished)
    }
}

extension OriginHead {
    static func of(
        _ length: Int?, tag: String? = "\"1\"", freshFor: Duration = .seconds(60), mayStore: Bool = true,
        mustRevalidate: Bool? = nil
    ) -> OriginHead {
        OriginHead(
            url: "http://origin/", validators: Validators(entityTag: tag), freshFor: freshFor, mayStore: mayStore,
            mustRevalidate: mustRevalidate, declaredLength: length.map(Int64.init))
    }
}
