import Locking
public import Tracing

/// A running span. Changes after its end are ignored.
public final class RecordedSpan: Span {
    /// The maximum number of links and of events of one span; further ones are dropped (OpenTelemetry SDK, "Span
    /// Limits").
    static let maximumEntries = 128

    private struct State {
        var name: String
        var attributes: SpanAttributes = [:]
        var events: [SpanEvent] = []
        var links: [(context: TraceContext, attributes: SpanAttributes)] = []
        var status: SpanStatus?
        var hasEnded = false
    }

    public let context: InstrumentationContext
    private let trace: TraceContext
    private let parent: TraceContext?
    private let kind: SpanKind
    private let begin: UInt64
    private let state: Guarded<State>
    private let ended: @Sendable (SpanRecord) -> Void

    /// - Parameters:
    ///   - context: The context of the span's children; contains `trace`.
    ///   - begin: Nanoseconds since 1970.
    ///   - ended: Called once, if the span is recorded.
    init(
        _ name: String, in context: InstrumentationContext, trace: TraceContext, parent: TraceContext?, kind: SpanKind,
        begin: UInt64, ended: @escaping @Sendable (SpanRecord) -> Void
    ) {
        self.context = context
        self.trace = trace
        self.parent = parent
        self.kind = kind
        self.begin = begin
        self.ended = ended
        state = Guarded(State(name: name))
    }

    public var isRecording: Bool { trace.isSampled && !state.withLock(\.hasEnded) }

    public var operationName: String {
        get { state.withLock(\.name) }
        set { change { $0.name = newValue } }
    }

    public var attributes: SpanAttributes {
        get { state.withLock(\.attributes) }
        set { change { $0.attributes = newValue } }
    }

    public func setStatus(_ status: SpanStatus) {
        change { $0.status = status }
    }

    public func addEvent(_ event: SpanEvent) {
        change { if $0.events.count < Self.maximumEntries { $0.events.append(event) } }
    }

    public func addLink(_ link: SpanLink) {
        guard let linked = link.context.trace else { return }
        change { if $0.links.count < Self.maximumEntries { $0.links.append((linked, link.attributes)) } }
    }

    public func recordError<Instant: TracerInstant>(
        _ error: any Error, attributes: SpanAttributes, at instant: @autoclosure () -> Instant
    ) {
        var attributes = attributes
        attributes["exception.type"] = "\(type(of: error))"
        attributes["exception.message"] = "\(error)"
        addEvent(SpanEvent(name: "exception", at: instant(), attributes: attributes))
    }

    public func end<Instant: TracerInstant>(at instant: @autoclosure () -> Instant) {
        guard trace.isSampled else { return }
        let end = instant().nanosecondsSinceEpoch
        let last = state.withLock { state -> State? in
            guard !state.hasEnded else { return nil }
            state.hasEnded = true
            return state
        }
        guard let last else { return }
        ended(
            SpanRecord(
                context: trace, parent: parent?.span, name: last.name, kind: kind, begin: begin, end: max(begin, end),
                attributes: last.attributes, events: last.events, links: last.links, status: last.status))
    }

    private func change(_ body: (inout State) -> Void) {
        guard trace.isSampled else { return }
        state.withLock { if !$0.hasEnded { body(&$0) } }
    }
}
