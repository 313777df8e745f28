import Glibc
import Locking
import Logging
import Origins
import Scheduling

/// A fetch whose events can be awaited.
struct Watched: Sendable {
    let fetch: any OriginFetch
    let events: AsyncStream<OriginEvent>

    /// All events until the end.
    func outcome() async -> Outcome {
        var outcome = Outcome()
        for await event in events { outcome.take(event) }
        return outcome
    }

    /// Returns after the first event for which `matches` is true.
    func first(_ matches: (OriginEvent) -> Bool) async {
        for await event in events where matches(event) { return }
    }
}

/// The events of a fetch, summarised.
struct Outcome: Sendable {
    var starts: [OriginHead] = []
    /// The bytes since the last start.
    var bytes: [UInt8] = []
    var unchanged: OriginHead?
    var error: OriginError?
    var isFinished = false
    /// How often it was parked.
    var parked = 0

    mutating func take(_ event: OriginEvent) {
        switch event {
        case .started(let head):
            starts.append(head)
            bytes = []
        case .bytes(let more): bytes += more
        case .parked: parked += 1
        case .notModified(let head): unchanged = head
        case .finished: isFinished = true
        case .failed(let error): self.error = error
        }
    }
}

extension OriginFetcher {
    /// A fetcher for loopback origins, with short delays.
    static func forTests(_ change: (inout Configuration) -> Void = { _ in }) throws -> OriginFetcher {
        var configuration = Configuration()
        configuration.allowedAddresses = ["127.0.0.1"]
        configuration.retryDelay = .milliseconds(2)
        // On a busy machine, a test may take long until its origin responds; tests of timeouts set their own.
        configuration.connectTimeout = .seconds(600)
        configuration.firstByteTimeout = .seconds(600)
        configuration.lowSpeedWindow = .seconds(600)
        configuration.totalTimeout = .seconds(600)
        change(&configuration)
        var logger = Logger(label: "tests")
        logger.logLevel = .critical
        return try OriginFetcher(configuration: configuration, logger: logger)
    }

    func watch(
        _ url: String, revalidate: Validators? = nil, isSigned: Bool = false, prefix: Int? = nil,
        upload: OriginRequest.Upload? = nil, priority: Priority = .visible(0)
    ) -> Watched {
        let (stream, continuation) = AsyncStream<OriginEvent>.makeStream()
        let request = OriginRequest(
            url: url, revalidate: revalidate, isSigned: isSigned, prefixLength: prefix, upload: upload)
        let fetch = fetch(request, priority: priority) { event in
            continuation.yield(event)
            switch event {
            case .finished, .failed, .notModified: continuation.finish()
            case .started, .bytes, .parked: break
            }
        }
        return Watched(fetch: fetch, events: stream)
    }

    func outcome(
        of url: String, revalidate: Validators? = nil, isSigned: Bool = false, upload: OriginRequest.Upload? = nil
    ) async -> Outcome {
        await watch(url, revalidate: revalidate, isSigned: isSigned, upload: upload).outcome()
    }
}

extension Priority {
    static func visible(_ distance: UInt32, viewport: UInt64 = 1, for session: Int? = nil) -> Priority {
        Priority(level: .visible, viewport: viewport, distance: distance, flow: session.map { Flow(of: $0) } ?? .common)
    }
    static func prefetch(_ distance: UInt32) -> Priority { Priority(level: .prefetch, viewport: 1, distance: distance) }
}

/// An event that can be sent on any thread and awaited.
final class Signal<Value: Sendable>: Sendable {
    private let stream: AsyncStream<Value>
    private let continuation: AsyncStream<Value>.Continuation

    init() { (stream, continuation) = AsyncStream.makeStream() }

    func send(_ value: Value) { continuation.yield(value) }

    /// The next value that was not taken yet.
    func next() async -> Value? {
        for await value in stream { return value }
        return nil
    }
}

extension Signal where Value == Void {
    func send() { send(()) }
}

/// Blocks threads until it is opened.
final class Gate: Sendable {
    private let opened = Guarded(false)

    func open() { opened.withLock { $0 = true } }
    func wait() { while !opened.withLock({ $0 }) { usleep(1000) } }
}

/// This many bytes, in a pattern in which all runs differ.
func pattern(_ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
}
