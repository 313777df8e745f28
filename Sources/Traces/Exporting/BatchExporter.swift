import Dispatch
import Encodings
import Locking
public import Logging
public import Metrics

/// Sends ended spans to a collector, in batches, one batch at a time, and without ever blocking anyone (OpenTelemetry
/// SDK, "Batching processor"). Spans that arrive while the queue is full are dropped and counted.
public final class BatchExporter: Sendable {
    /// Posts a body in OTLP's JSON form to the collector once, and reports the outcome within its own timeout.
    public typealias Send = @Sendable (_ body: [UInt8], _ done: @escaping @Sendable (Outcome) -> Void) -> Void
    /// The body of the collector's response, or the reason why there is none.
    public typealias Outcome = Result<[UInt8], Refusal>

    /// Why a batch did not arrive, in words for the log.
    public struct Refusal: Error, Hashable, Sendable {
        /// For the log.
        public let detail: String

        public init(detail: String) { self.detail = detail }
    }

    /// Counters since the start; ``metrics`` says what each one counts.
    public struct Statistics: Hashable, Sendable, MetricsReporting {
        public var exported = 0
        public var dropped = 0

        public static let metrics: [Metric<Statistics>] = [
            .counter("spansExported", "Spans accepted by the collector.", \.exported),
            .counter("spansDropped", "Spans dropped: too many at once, or rejected by the collector.", \.dropped),
        ]
    }

    private struct State {
        var waiting: [SpanRecord] = []
        var isSending = false
        /// Whether a check of the queue is scheduled.
        var isDue = false
        /// Whether the collector accepted all of the last batch.
        var takesAll = true
        var figures = Statistics()
        /// Callers waiting for the queue to empty.
        var flushes: [CheckedContinuation<Void, Never>] = []
    }

    private let configuration: Configuration
    private let version: String
    private let logger: Logger
    private let send: Send
    private let state = Guarded(State())
    /// Bodies are encoded on this queue.
    private let queue = DispatchQueue(label: "tessera.traces", qos: .utility)

    /// - Parameter version: The program's version.
    public init(_ configuration: Configuration, version: String, logger: Logger, send: @escaping Send) {
        self.configuration = configuration
        self.version = version
        self.logger = logger
        self.send = send
    }

    /// The counters so far. Callable from any thread.
    public var figures: Statistics { state.withLock(\.figures) }

    /// Queues a span. Callable from any thread; never blocks.
    func take(_ span: SpanRecord) {
        enum Next { case nothing, now, later }
        let next = state.withLock { state -> Next in
            guard state.waiting.count < configuration.maximumWaiting else {
                state.figures.dropped += 1
                return .nothing
            }
            state.waiting.append(span)
            if state.waiting.count >= configuration.batch, !state.isSending { return .now }
            if state.isDue { return .nothing }
            state.isDue = true
            return .later
        }
        switch next {
        case .nothing: break
        case .now: queue.async { self.exportNext() }
        case .later:
            queue.asyncAfter(deadline: .now() + configuration.delay / .seconds(1)) {
                self.state.withLock { $0.isDue = false }
                self.exportNext()
            }
        }
    }

    /// Sends the queued spans, and returns when they have been accepted or dropped.
    public func flush() async {
        await withCheckedContinuation { continuation in
            state.withLock { $0.flushes.append(continuation) }
            queue.async { self.exportNext() }
        }
    }

    private func exportNext() {
        let (batch, flushed) = state.withLock { state -> ([SpanRecord], [CheckedContinuation<Void, Never>]) in
            guard !state.isSending else { return ([], []) }
            guard !state.waiting.isEmpty else {
                defer { state.flushes = [] }
                return ([], state.flushes)
            }
            state.isSending = true
            let batch = Array(state.waiting.prefix(configuration.batch))
            state.waiting.removeFirst(batch.count)
            return (batch, [])
        }
        for continuation in flushed { continuation.resume() }
        guard !batch.isEmpty else { return }
        let body = SpansBody(spans: batch, resource: configuration.resource, version: version)
        send(body.json()) { outcome in
            self.queue.async { self.sent(batch.count, outcome) }
        }
    }

    private func sent(_ count: Int, _ outcome: Outcome) {
        let lost = Loss(of: count, outcome)
        let (mustLog, continues) = state.withLock { state in
            state.isSending = false
            state.figures.exported += count - lost.spans
            state.figures.dropped += lost.spans
            defer { state.takesAll = lost.spans == 0 }
            // Continue at once if there is a full batch, if a flush is waiting, or if spans came due while this batch
            // was being sent.
            let isLate = !state.waiting.isEmpty && !state.isDue
            let continues = state.waiting.count >= configuration.batch || isLate || !state.flushes.isEmpty
            return (state.takesAll != (lost.spans == 0), continues)
        }
        if mustLog {
            if lost.spans > 0 {
                logger.warning(
                    "The collector rejects some traces; rejected traces are dropped.",
                    metadata: ["collector": "\(configuration.loggableEndpoint)", "reason": "\(lost.reason)"])
            } else {
                logger.notice("The collector accepts traces again.")
            }
        }
        if continues { exportNext() }
    }
}

/// The part of a batch that the collector did not accept.
private struct Loss {
    let spans: Int
    /// In words for the log.
    let reason: String

    init(of batch: Int, _ outcome: BatchExporter.Outcome) {
        switch outcome {
        case .success(let answer):
            let partial = PartialSuccess(answer: answer)
            spans = min(partial.rejectedSpans, batch)
            reason = String(partial.errorMessage.prefix(200))
        case .failure(let refusal):
            spans = batch
            reason = refusal.detail
        }
    }
}
