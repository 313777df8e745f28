public import Tracing

/// Starts spans, and passes those that are recorded to a ``BatchExporter`` when they end.
public struct OpenTelemetryTracer: Tracer {
    private let sampling: Sampling
    private let ended: @Sendable (SpanRecord) -> Void

    /// - Parameter exporter: Receives the recorded spans when they end.
    public init(_ sampling: Sampling, exporter: BatchExporter) {
        self.init(sampling) { exporter.take($0) }
    }

    init(_ sampling: Sampling, ended: @escaping @Sendable (SpanRecord) -> Void) {
        self.sampling = sampling
        self.ended = ended
    }

    public func startSpan<Instant: TracerInstant>(
        _ operationName: String, context: @autoclosure () -> InstrumentationContext, ofKind kind: SpanKind,
        at instant: @autoclosure () -> Instant, function: String, file fileID: String, line: UInt
    ) -> RecordedSpan {
        var context = context()
        let parent = context.trace
        let trace = parent?.trace ?? .random(in: 1 ... .max)
        let own = TraceContext(
            trace: trace, span: .random(in: 1 ... .max), isSampled: sampling.records(trace, below: parent),
            state: parent?.state ?? "")
        context.trace = own
        return RecordedSpan(
            operationName, in: context, trace: own, parent: parent, kind: kind, begin: instant().nanosecondsSinceEpoch,
            ended: ended)
    }

    /// A no-op: spans are exported in batches.
    public func forceFlush() {}

    public func extract<Carrier, Extract: Extractor>(
        _ carrier: Carrier, into context: inout InstrumentationContext, using extractor: Extract
    ) where Extract.Carrier == Carrier {
        guard let parent = extractor.extract(key: "traceparent", from: carrier) else { return }
        context.trace = TraceContext(parent: parent, state: extractor.extract(key: "tracestate", from: carrier))
    }

    public func inject<Carrier, Inject: Injector>(
        _ context: InstrumentationContext, into carrier: inout Carrier, using injector: Inject
    ) where Inject.Carrier == Carrier {
        guard let trace = context.trace else { return }
        injector.inject(trace.parent, forKey: "traceparent", into: &carrier)
        if !trace.state.isEmpty { injector.inject(trace.state, forKey: "tracestate", into: &carrier) }
    }
}
