import TestSupport
import Testing

@testable import Traces

@Suite(.unsanitized) struct SamplingTests {
    private let recorded = TraceContext(trace: .max, span: 1, isSampled: true)
    private let unrecorded = TraceContext(trace: 1, span: 1, isSampled: false)

    @Test func `a child span is recorded exactly if its parent is`() {
        for ratio in [0, 0.5, 1] {
            #expect(Sampling(ratio: ratio).records(recorded.trace, below: recorded))
            #expect(!Sampling(ratio: ratio).records(unrecorded.trace, below: unrecorded))
        }
    }

    @Test func `without the parent rule only the trace ID decides`() {
        #expect(!Sampling(ratio: 0, followsParent: false).records(recorded.trace, below: recorded))
        #expect(Sampling(ratio: 1, followsParent: false).records(unrecorded.trace, below: unrecorded))
        #expect(!Sampling(ratio: 0.5, followsParent: false).records(.max, below: nil))
        #expect(Sampling(ratio: 0.5, followsParent: false).records(1, below: nil))
    }

    @Test(arguments: [0, 0.01, 0.25, 0.9, 1]) func `the recorded share matches the ratio`(ratio: Double) {
        var random = SeededRandom(seed: 3)
        let sampling = Sampling(ratio: ratio)
        let count = (0..<20_000).count { _ in sampling.records(.random(in: 1 ... .max, using: &random), below: nil) }
        // Five standard deviations of a fair draw.
        let deviation = 5 * (20_000 * ratio * (1 - ratio)).squareRoot()
        #expect(abs(Double(count) - 20_000 * ratio) <= deviation)
    }
}
