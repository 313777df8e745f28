import Encodings
import Foundation
import TestSupport
import Testing
import Tracing

@testable import Traces

@Suite(.unsanitized) struct SpansBodyTests {
    private func told(_ change: (inout SpanRecord) -> Void) throws -> [String: Any] {
        var span = SpanRecord(
            context: TraceContext(trace: 0xabc, span: 0x12, isSampled: true), parent: nil, name: "load tile",
            kind: .server, begin: 1_700_000_000_000_000_001, end: 1_700_000_000_000_000_500, attributes: [:],
            events: [], links: [], status: nil)
        change(&span)
        let bytes = SpansBody(spans: [span], resource: ["service.name": "tessera"], version: "1.2").json()
        return try #require(JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any])
    }

    private func span(_ change: (inout SpanRecord) -> Void) throws -> [String: Any] {
        let all = try #require(try told(change)["resourceSpans"] as? [[String: Any]])
        let scopes = try #require(all.first?["scopeSpans"] as? [[String: Any]])
        return try #require((scopes.first?["spans"] as? [[String: Any]])?.first)
    }

    @Test func `a span is encoded as OTLP JSON`() throws {
        let span = try span { span in
            span.parent = 0x34
            span.status = SpanStatus(code: .error, message: "Gone.")
            span.links = [(TraceContext(trace: 1, span: 2, isSampled: true), [:])]
            span.events = [
                SpanEvent(name: "e", at: DefaultTracerClock.Timestamp(nanosecondsSinceEpoch: 7), attributes: [:])
            ]
        }
        #expect(span["traceId"] as? String == "00000000000000000000000000000abc")
        #expect(span["spanId"] as? String == "0000000000000012")
        #expect(span["parentSpanId"] as? String == "0000000000000034")
        #expect(span["name"] as? String == "load tile")
        #expect(span["kind"] as? Int == 2)
        #expect(span["startTimeUnixNano"] as? String == "1700000000000000001")
        #expect(span["endTimeUnixNano"] as? String == "1700000000000000500")
        let status = try #require(span["status"] as? [String: Any])
        #expect(status["code"] as? Int == 2)
        #expect(status["message"] as? String == "Gone.")
        let link = try #require((span["links"] as? [[String: Any]])?.first)
        #expect(link["spanId"] as? String == "0000000000000002")
        let event = try #require((span["events"] as? [[String: Any]])?.first)
        #expect(event["timeUnixNano"] as? String == "7")
    }

    @Test func `a root span is encoded without a parent and a status`() throws {
        let span = try span { _ in }
        #expect(span["parentSpanId"] == nil)
        #expect(span["status"] == nil)
    }

    @Test func `values keep their types, and a long text is truncated`() throws {
        let span = try span { span in
            span.attributes = ["text": "a", "number": 7, "fraction": 0.5, "truth": true]
            span.attributes["endless"] = Double.infinity
            span.attributes["long"] = String(repeating: "é", count: 5_000)
        }
        let pairs = try #require(span["attributes"] as? [[String: Any]])
        let values = Dictionary(
            uniqueKeysWithValues: pairs.map { ($0["key"] as? String ?? "", $0["value"] as? [String: Any] ?? [:]) })
        #expect(values["text"]?["stringValue"] as? String == "a")
        #expect(values["number"]?["intValue"] as? String == "7")
        #expect(values["fraction"]?["doubleValue"] as? Double == 0.5)
        #expect(values["truth"]?["boolValue"] as? Bool == true)
        #expect(values["endless"]?["stringValue"] as? String == "inf")
        #expect((values["long"]?["stringValue"] as? String)?.count == 1_024)
    }

    @Test func `the resource and scope are encoded once`() throws {
        let all = try #require(try told({ _ in })["resourceSpans"] as? [[String: Any]])
        let resource = try #require(all.first?["resource"] as? [String: Any])
        let pair = try #require((resource["attributes"] as? [[String: Any]])?.first)
        #expect(pair["key"] as? String == "service.name")
        let scope = try #require((all.first?["scopeSpans"] as? [[String: Any]])?.first?["scope"] as? [String: Any])
        #expect(scope["version"] as? String == "1.2")
    }
}
