import TestSupport
import Testing

@testable import Traces

@Suite(.unsanitized) struct TraceContextTests {
    private static let trace = "0af7651916cd43dd8448eb211c80319c"
    private static let span = "b7ad6b7169203331"

    @Test func `a traceparent round-trips`() throws {
        for flags in ["00", "01"] {
            let text = "00-\(Self.trace)-\(Self.span)-\(flags)"
            let context = try #require(TraceContext(parent: text))
            #expect(context.parent == text)
            #expect(context.isSampled == (flags == "01"))
            #expect(context.traceText == Self.trace)
            #expect(context.spanText == Self.span)
        }
        #expect(TraceContext(trace: 1, span: 2, isSampled: false).parent == "00-\(zeros(31))1-\(zeros(15))2-00")
    }

    @Test(
        arguments: [
            "", "00", "00-\(trace)-\(span)", "00-\(trace)-\(span)-", "00-\(trace)-\(span)-1", "0-\(trace)-\(span)-01",
            "ff-\(trace)-\(span)-01", "00-\(zeros(32))-\(span)-01", "00-\(trace)-\(zeros(16))-01",
            "00-\(trace.uppercased())-\(span)-01", "00-\(trace)-\(span)-01-more", "00-\(trace)-\(span)-01 ",
            "00_\(trace)-\(span)-01", "00-\(trace)-\(span)-0g", "00-\(trace.dropLast())-\(span)-011",
            "01-\(trace)-\(span)-01more", "00-+\(trace.dropFirst())-\(span)-01", "00-é\(trace.dropFirst(2))-\(span)-01",
        ]) func `an invalid traceparent is rejected`(text: String)
    {
        #expect(TraceContext(parent: text, state: "a=b") == nil)
    }

    @Test(arguments: ["01-\(trace)-\(span)-01", "cc-\(trace)-\(span)-09-what-comes-later", "00-\(trace)-\(span)-ff"])
    func `additions of later versions are ignored`(text: String) {
        #expect(
            TraceContext(parent: text)?.parent == "00-\(Self.trace)-\(Self.span)-01")
    }

    @Test func `an oversized state is dropped as a whole, and the trace is kept`() throws {
        let parent = "00-\(Self.trace)-\(Self.span)-01"
        #expect(TraceContext(parent: parent, state: "vendor=1,other=2")?.state == "vendor=1,other=2")
        let long = try #require(TraceContext(parent: parent, state: String(repeating: "a", count: 513)))
        #expect(long.state.isEmpty)
        #expect(long.traceText == Self.trace)
    }

    @Test func `arbitrary text never crashes the parser`() {
        var random = SeededRandom(seed: 1)
        let alphabet = Array("0123456789abcdefg-é".unicodeScalars)
        for _ in 0..<20_000 {
            let count = Int.random(in: 50...60, using: &random)
            var text = String.UnicodeScalarView()
            for _ in 0..<count { text.append(alphabet.randomElement(using: &random)!) }
            _ = TraceContext(parent: String(text))
        }
    }
}

private func zeros(_ count: Int) -> String { String(repeating: "0", count: count) }
