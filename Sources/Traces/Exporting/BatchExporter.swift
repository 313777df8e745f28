import Dispatch
import Locking
public import Logging

/// Sends spans that have ended to a collector: in batches, one at a time, and never so that anybody waits for it
/// (OpenTelemetry SDK, "Batching processor"). Spans that come while as many wait as may are dropped, and counted.
public final class BatchExporter: Sendable {
    /// Takes a body in OTLP's JSON form to the collector, once; says within its own deadline what came of it.
    public typealias Send = @Sendable (_ body: [UInt8], _ done: @escaping @Sendable (Outcome) -> Void) -> Void
    /// The body of the collector's answer, or why there is none.
    public typealias Outcome = Result<[UInt8], Refusal>

    /// Why a batch did not arrive, in words for the log.
    public struct Refusal: Error, Hashable, Sendable {
        public let detail: String

        public init(detail: String) { self.detail = detail }
    }

    /// What has become of spans so far.
    public struct Figures: Hashable, Sendable {
        /// Spans that the collector took.
        public var exported = 0
        /// Spans that were too many, or that the collector did not take.
        public var dropped = 0
    }

    private struct State {
        var waiting: [SpanRecord] = []
        var isSending = false
        /// Whether a look at what waits is due.
        var isDue = false
        /// Whether the collector took all of the last batch.
        var takesAll = true
        var figures = Figures()
        /// Who waits until nothing waits any more.
        var flushes: [CheckedContinuation<Void, Never>] = []
    }

    private let configuration: Configuration
    private let version: String
    private let logger: Logger
    private let send: Send
    private let state = Guarded(State())
    /// Bodies are written here.
    private let queue = DispatchQueue(label: "tessera.traces", qos: .utility)

    /// - Parameter version: Of the program.
    public init(_ configuration: Configuration, version: String, logger: Logger, send: @escaping Send) {
        self.configuration = configuration
        self.version = version
        self.logger = logger
        self.send = send
    }

    public var figures: Figures { state.withLock(\.figures) }

    /// From any thread; never waits.
    func take(_ span: SpanRecord) {
        enum Next { case nothing, now, later }
        let next = state.withLock { state -> Next in
            guard state.waiting.count < configuration.mostWaiting else {
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

    /// Sends what waits, and comes back when that has been taken or dropped.
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
        let body = SpansBody(batch, of: configuration.resource, version: version)
        send(body.bytes()) { outcome in
            self.queue.async { self.sent(batch.count, outcome) }
        }
    }

    private func sent(_ count: Int, _ outcome: Outcome) {
        let lost = Loss(of: count, outcome)
        let (isNews, goesOn) = state.withLock { state in
            state.isSending = false
            state.figures.exported += count - lost.spans
            state.figures.dropped += lost.spans
            defer { state.takesAll = lost.spans == 0 }
            // Behind a whole batch, or where somebody waits for the end, nothing waits for its time; nor does that whose time
            // came while this was sent.
            let isLate = !state.waiting.isEmpty && !state.isDue
            let goesOn = state.waiting.count >= configuration.batch || isLate || !state.flushes.isEmpty
            return (state.takesAll != (lost.spans == 0), goesOn)
        }
        if isNews {
            if lost.spans > 0 {
                logger.warning(
                    "The collector does not take all traces; what it does not take is dropped.",
                    metadata: ["collector": "\(configuration.loggableEndpoint)", "reason": "\(lost.reason)"])
            } else {
                logger.notice("The collector takes traces again.")
            }
        }
        if goesOn { exportNext() }
    }
}

/// What became of a batch, but for what the collector took.
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
