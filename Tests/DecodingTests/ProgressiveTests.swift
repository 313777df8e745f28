import Images
import Renditions
import Testing

@testable import Decoding

@Suite struct ProgressiveTests {
    /// Sixteen by sixteen pixels of one colour in several scans.
    static let progressive: [UInt8] = [
        255, 216, 255, 219, 0, 67, 0, 16, 11, 12, 14, 12, 10, 16, 14, 13, 14, 18, 17, 16, 19, 24, 40, 26,
        24, 22, 22, 24, 49, 35, 37, 29, 40, 58, 51, 61, 60, 57, 51, 56, 55, 64, 72, 92, 78, 64, 68, 87,
        69, 55, 56, 80, 109, 81, 87, 95, 98, 103, 104, 103, 62, 77, 113, 121, 112, 100, 120, 92, 101, 103, 99, 255,
        219, 0, 67, 1, 17, 18, 18, 24, 21, 24, 47, 26, 26, 47, 99, 66, 56, 66, 99, 99, 99, 99, 99, 99,
        99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99,
        99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 255, 194, 0, 17,
        8, 0, 16, 0, 16, 3, 1, 34, 0, 2, 17, 1, 3, 17, 1, 255, 196, 0, 21, 0, 1, 1, 0, 0,
        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 6, 255, 196, 0, 20, 1, 1, 0, 0, 0, 0,
        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 218, 0, 12, 3, 1, 0, 2, 16, 3, 16, 0,
        0, 1, 159, 7, 255, 196, 0, 20, 16, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
        0, 32, 255, 218, 0, 8, 1, 1, 0, 1, 5, 2, 31, 255, 196, 0, 20, 17, 1, 0, 0, 0, 0, 0,
        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 218, 0, 8, 1, 3, 1, 1, 63, 1, 127, 255, 196,
        0, 20, 17, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 218, 0, 8,
        1, 2, 1, 1, 63, 1, 127, 255, 196, 0, 20, 16, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
        0, 0, 0, 0, 32, 255, 218, 0, 8, 1, 1, 0, 6, 63, 2, 31, 255, 196, 0, 20, 16, 1, 0, 0,
        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 32, 255, 218, 0, 8, 1, 1, 0, 1, 63, 33,
        31, 255, 218, 0, 12, 3, 1, 0, 2, 0, 3, 0, 0, 0, 16, 3, 255, 196, 0, 20, 17, 1, 0, 0,
        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 218, 0, 8, 1, 3, 1, 1, 63, 16,
        127, 255, 196, 0, 20, 17, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255,
        218, 0, 8, 1, 2, 1, 1, 63, 16, 127, 255, 196, 0, 20, 16, 1, 0, 0, 0, 0, 0, 0, 0, 0,
        0, 0, 0, 0, 0, 0, 0, 32, 255, 218, 0, 8, 1, 1, 0, 1, 63, 16, 31, 255, 217,
    ]

    @Test func `a progressive JPEG is distinguished from a baseline one`() throws {
        let renderer = try Renderer()
        #expect(try renderer.inspect(.bytes(Self.progressive)).isProgressive)
        #expect(try !renderer.inspect(.bytes(Sample.jpeg(width: 16, height: 16))).isProgressive)
        let rendered = try renderer.render(.bytes(Self.progressive), as: .tile, format: .jpeg, stop: RenderStop())
        #expect((rendered.width, rendered.height) == (16, 16))
    }

    @Test func `a heavy picture is declined unless heavy work is allowed`() throws {
        let renderer = try Renderer()
        let svg = Array(
            "<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'><rect width='9' height='9'/></svg>".utf8)
        for (bytes, isHeavy) in [
            (Self.progressive, true), (svg, true), (try Sample.jpeg(width: 16, height: 16), false),
        ] {
            let outcome = try renderer.perform(
                .make([.tile: .jpeg]), on: .bytes(bytes), mayBeHeavy: false, stop: RenderStop())
            if case .heavy = outcome { #expect(isHeavy) } else { #expect(!isHeavy) }
            guard case .made = try renderer.perform(.make([.tile: .jpeg]), on: .bytes(bytes), stop: RenderStop()) else {
                Issue.record("it was declined although heavy work is allowed")
                continue
            }
        }
    }

    @Test func `a JPEG with too many scans is rejected`() throws {
        var limits = RenderLimits()
        limits.maximumScans = 2
        let renderer = try Renderer(limits: limits)
        let error = #expect(throws: RenderError.self) { try renderer.inspect(.bytes(Self.progressive)) }
        #expect(error?.reason == .tooLarge)
    }
}
