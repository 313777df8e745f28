import Tracing

/// A span that has ended.
struct SpanRecord: Sendable {
    var context: TraceContext
    /// The parent's ID; nil for the root span of a trace.
    var parent: UInt64?
    var name: String
    var kind: SpanKind
    /// Nanoseconds since 1970.
    var begin: UInt64
    var end: UInt64
    var attributes: SpanAttributes
    var events: [SpanEvent]
    var links: [(context: TraceContext, attributes: SpanAttributes)]
    var status: SpanStatus?
}
