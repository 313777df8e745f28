import Locking
import Testing
import Tracing

@testable import Traces

@Suite struct OpenTelemetryTracerTests {
    private let ended = Guarded<[SpanRecord]>([])

    private func tracer(_ sampling: Sampling = Sampling()) -> OpenTelemetryTracer {
        OpenTelemetryTracer(sampling) { [ended] span in ended.withLock { $0.append(span) } }
    }

    private var records: [SpanRecord] { ended.withLock(\.self) }

    @Test func `a span started in another's context is its child`() throws {
        let tracer = tracer()
        let first = tracer.startSpan("first", context: .topLevel)
        let second = tracer.startSpan("second", context: first.context)
        second.end()
        first.end()
        try #require(records.count == 2)
        let (inner, outer) = (records[0], records[1])
        #expect(inner.parent == outer.context.span)
        #expect(outer.parent == nil)
        #expect(inner.context.trace == outer.context.trace)
        #expect(inner.context.span != outer.context.span)
    }

    @Test func `spans without a parent start their own traces`() {
        let tracer = tracer()
        for _ in 0..<100 { tracer.startSpan("one", context: .topLevel).end() }
        #expect(Set(records.map(\.context.trace)).count == 100)
        #expect(Set(records.map(\.context.span)).count == 100)
    }

    @Test func `an unsampled span records nothing, and neither do its children`() {
        let tracer = tracer(Sampling(ratio: 0))
        let first = tracer.startSpan("first", context: .topLevel)
        #expect(!first.isRecording)
        first.attributes["key"] = "value"
        #expect(first.attributes.isEmpty)
        let second = tracer.startSpan("second", context: first.context)
        second.end()
        first.end()
        #expect(records.isEmpty)
    }

    @Test func `a span ends once, and later changes are ignored`() {
        let span = tracer().startSpan("span", context: .topLevel)
        span.attributes["a"] = 1
        span.end()
        span.attributes["a"] = 2
        span.setStatus(SpanStatus(code: .error))
        span.end()
        #expect(!span.isRecording)
        #expect(records.count == 1)
        #expect(records.first?.attributes.get("a") == .int64(1))
        #expect(records.first?.status == nil)
    }

    @Test func `the numbers of links and events are limited`() {
        let tracer = tracer()
        let other = tracer.startSpan("other", context: .topLevel)
        let span = tracer.startSpan("span", context: .topLevel)
        for _ in 0..<1_000 {
            span.addLink(SpanLink(context: other.context, attributes: [:]))
            span.addEvent("event")
        }
        span.end()
        #expect(records.first?.links.count == RecordedSpan.maximumEntries)
        #expect(records.first?.events.count == RecordedSpan.maximumEntries)
        #expect(records.first?.links.first?.context == other.context.trace)
    }

    @Test func `a clock that goes backwards causes no negative duration`() {
        let span = tracer().startSpan(
            "span", context: .topLevel, at: DefaultTracerClock.Timestamp(nanosecondsSinceEpoch: 1_000))
        span.end(at: DefaultTracerClock.Timestamp(nanosecondsSinceEpoch: 500))
        #expect(records.first.map { $0.end >= $0.begin } == true)
    }

    @Test func `the context of other services is extracted and propagated`() throws {
        let tracer = tracer(Sampling(ratio: 0))
        var context = ServiceContext.topLevel
        let parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
        tracer.extract(["traceparent": parent, "tracestate": "v=1"], into: &context, using: Fields())
        let span = tracer.startSpan("span", context: context)
        #expect(span.isRecording, "the caller sampled the trace")
        var out: [String: String] = [:]
        tracer.inject(span.context, into: &out, using: Fields())
        #expect(out["tracestate"] == "v=1")
        let handed = try #require(TraceContext(parent: out["traceparent"] ?? ""))
        #expect(handed.traceText == "0af7651916cd43dd8448eb211c80319c")
        #expect(handed.spanText != "b7ad6b7169203331")
        #expect(handed.isSampled)
    }
}

private struct Fields: Extractor, Injector {
    func extract(key: String, from carrier: [String: String]) -> String? { carrier[key] }
    func inject(_ value: String, forKey key: String, into carrier: inout [String: String]) { carrier[key] = value }
}
