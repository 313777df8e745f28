import Renditions
import Testing

@testable import Decoding

/// Which of a PNG's chunks tells its colours.
@Suite struct PNGColourTests {
    private let gamma = ("gAMA", Sample.big32(100_000))
    private let usualGamma = ("gAMA", Sample.big32(45_455))
    private let standard = ("sRGB", [UInt8(0)])
    private let displayP3 = ("cICP", [UInt8(12), 13, 0, 1])
    /// Those of Adobe RGB.
    private let chromaticities = (
        "cHRM",
        [31_270, 32_900, 64_000, 33_000, 21_000, 71_000, 15_000, 6_000].flatMap { Sample.big32(UInt32($0)) }
    )

    private func description(
        _ chunks: (String, [UInt8])..., hasProfile: Bool = false
    ) throws -> ColourDescription? {
        let png = Sample.png(Sample.quarters(width: 8, height: 4), chunks: chunks)
        let reader = try SourceReader(.bytes(png), stop: RenderStop())
        var colour = PNGColour()
        _ = try PNGChunks.excess(in: reader) { colour.take($0, at: $1, of: reader) }
        return colour.description(hasProfile: hasProfile)
    }

    @Test func `cICP comes before a profile, that before sRGB, and that before gAMA and cHRM`() throws {
        let primaries = ColourPrimaries(number: 12)
        #expect(try description(displayP3, standard, gamma, hasProfile: true)?.primaries == primaries)
        #expect(try description(gamma, hasProfile: true) == nil)
        #expect(try description(standard, gamma, chromaticities) == nil)
        #expect(try description(gamma)?.transfer == .power(1))
        #expect(try description() == nil)
    }

    @Test func `the gamma of usual displays changes nothing, and chromaticities need a gamma`() throws {
        #expect(try description(usualGamma) == nil)
        #expect(try description(("gAMA", Sample.big32(47_000))) == nil)
        #expect(try description(("gAMA", Sample.big32(50_000)))?.transfer == .power(2))
        #expect(try description(chromaticities) == nil)
        let described = try #require(try description(usualGamma, chromaticities))
        #expect(described.primaries.green == [0.21, 0.71] && described.transfer == .power(1 / 0.45455))
    }

    @Test func `what cannot be a gamma, a range or numbers of colours is ignored`() throws {
        #expect(try description(("gAMA", Sample.big32(0))) == nil)
        #expect(try description(("gAMA", [1, 2])) == nil)
        #expect(try description(("cICP", [12, 13, 1, 1])) == nil)
        #expect(try description(("cICP", [2, 2, 0, 1])) == nil)
        #expect(try description(("cICP", [1, 13, 0, 0])) == nil)
    }

    @Test func `the peak of a picture for bright displays is that of its content`() throws {
        let level = ("cLLI", Sample.big32(4_000_000) + Sample.big32(1_000_000))
        #expect(try description(("cICP", [9, 16, 0, 1]), level)?.peakLuminance == 400)
        #expect(try description(("cICP", [9, 16, 0, 1]))?.peakLuminance == 1_000)
    }
}
