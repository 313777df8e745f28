import Testing

@testable import Renditions

@Suite struct RenderLimitsTests {
    @Test func `the defaults are valid`() {
        #expect(throws: Never.self) { try RenderLimits().validate() }
    }

    @Test func `an invalid value is named in the error`() {
        func expectInvalid(_ field: String, _ change: (inout RenderLimits) -> Void) {
            var configuration = RenderLimits()
            change(&configuration)
            #expect(throws: RenderLimits.Invalid(field: field)) { try configuration.validate() }
        }
        expectInvalid("memory") { $0.memory = 1 << 20 }
        expectInvalid("maximumSide") { $0.maximumSide = 0 }
        expectInvalid("maximumFrames") { $0.maximumFrames = 0 }
        expectInvalid("maximumScans") { $0.maximumScans = 0 }
        expectInvalid("maximumBytes") { $0.maximumBytes = 0 }
        expectInvalid("maximumVectorBytes") { $0.maximumVectorBytes = 0 }
        expectInvalid("background") { $0.background = 0x1_00_00_00 }
        expectInvalid("heavyPixels") { $0.heavyPixels = 0 }
    }

    @Test func `limits round-trip through worker arguments, and invalid arguments are rejected`() {
        var limits = RenderLimits()
        #expect(RenderLimits(words: limits.words) == limits)
        limits.memory = 1 << 30
        limits.maximumFrames = 7
        limits.background = 0x12_34_56
        #expect(RenderLimits(words: limits.words) == limits)
        for words in [["memory"], ["memory=x"], ["memory=-1"], ["memory=1"], ["size=3"], ["frames=0"]] {
            #expect(RenderLimits(words: words) == nil, "\(words)")
        }
    }
}
