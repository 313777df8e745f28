import Images
import Renditions
import Testing

@testable import Decoding

/// Renditions have the colours that browsers show of the original.
@Suite struct ColourTests {
    private let renderer = try! Renderer()

    private func tile(_ file: [UInt8], as rendition: Rendition = .tile) throws -> Renderer.Made {
        try renderer.render(.bytes(file), as: rendition, format: .jpeg, stop: RenderStop())
    }

    /// The colour in the middle of a quarter, from the upper left, row by row.
    private func colour(_ made: Renderer.Made, quarter: Int = 0) throws -> [Int] {
        let pixels = try Pixels.decoding(made.bytes)
        let (x, y) = (pixels.width * (quarter % 2 * 2 + 1) / 4, pixels.height * (quarter / 2 * 2 + 1) / 4)
        let start = (y * pixels.width + x) * pixels.channels
        return pixels.bytes[start..<start + 3].map { Int($0) }
    }

    private func isNear(_ result: [Int], _ expected: [Int], within distance: Int = 4) -> Bool {
        zip(result, expected).allSatisfy { abs($0 - $1) <= distance }
    }

    @Test func `a PNG is rendered in the colours that its chunks describe, in all sizes`() throws {
        let pixels = Pixels(
            width: 400, height: 200, bytes: Array([[UInt8]](repeating: [200, 90, 80], count: 80_000).joined()))
        for (chunk, expected) in [
            (("cICP", [UInt8(12), 13, 0, 1]), [217, 81, 74]), (("cICP", [1, 8, 0, 1]), [229, 160, 151]),
            (("gAMA", Sample.big32(100_000)), [229, 160, 151]), (("gAMA", Sample.big32(45_455)), [200, 90, 80]),
        ] {
            let file = Sample.png(try #require(pixels), chunks: [chunk])
            for rendition in [Rendition.preview, .tile, .screen] {
                let found = try colour(tile(file, as: rendition))
                #expect(isNear(found, expected), "\(chunk.0) \(rendition): \(found)")
            }
        }
    }

    @Test func `a small file whose colours need a conversion is not sent in place of its rendition`() throws {
        let pixels = Sample.quarters(width: 8, height: 4)
        let plain = Sample.png(pixels)
        let described = Sample.png(pixels, chunks: [("gAMA", Sample.big32(100_000))])
        #expect(try tile(plain).bytes == plain)
        #expect(try tile(described).mediaType == "image/jpeg")
    }

    @Test func `AVIF and HEIC are rendered in the colours that their boxes or codecs describe`() throws {
        for (name, file, expected) in [
            ("Display P3", ColourSamples.displayP3, [217, 81, 74]), ("linear", ColourSamples.linear, [229, 160, 151]),
            ("PQ", ColourSamples.pq, [255, 0, 0]), ("nothing", ColourSamples.undescribed, [200, 90, 80]),
        ] {
            for rendition in [Rendition.preview, .tile] {
                let found = try colour(tile(file, as: rendition))
                #expect(isNear(found, expected), "\(name): \(found)")
            }
        }
    }

    @Test func `grey in the limited range is expanded`() throws {
        let made = try tile(ColourSamples.limitedGrey)
        for (quarter, grey) in [94, 123, 70, 198].enumerated() {
            let found = try colour(made, quarter: quarter)
            #expect(isNear(found, [grey, grey, grey]), "\(quarter): \(found)")
        }
    }

    @Test func `a grey profile in a colour picture is ignored`() throws {
        let file = Sample.adding(profile: Sample.greyProfile, to: try Sample.jpeg(width: 400, height: 200))
        #expect(try Pixels.decoding(tile(file).bytes).quarterNames == "RGBW")
        #expect(try renderer.inspect(.bytes(file)).colours == .none)
    }

    @Test(arguments: ["A2B0", "A2B1"])
    func `a profile of tables alone is applied`(table: String) throws {
        let profile = Sample.tableProfile(space: "RGB ", lightness: 2, name: table)
        let file = Sample.adding(profile: profile, to: try Sample.jpeg(width: 400, height: 200))
        let made = try tile(file)
        // Only blue is light.
        for (quarter, light) in [0, 0, 1, 1].enumerated() {
            let found = try colour(made, quarter: quarter)
            #expect(found.allSatisfy { light == 1 ? $0 > 200 : $0 < 60 }, "\(quarter): \(found)")
        }
    }

    @Test func `inks are those of the file's own profile`() throws {
        let profile = Sample.tableProfile(space: "CMYK", lightness: 0, name: "A2B1")
        for (cyan, isLight) in [(UInt8(255), true), (0, false)] {
            let file = Sample.adding(profile: profile, to: try Sample.inkJPEG([cyan, 0, 0, 0]))
            for rendition in [Rendition.preview, .tile, .step640] {
                let found = try colour(tile(file, as: rendition))
                #expect(found.allSatisfy { isLight ? $0 > 250 : $0 < 5 }, "\(found)")
            }
        }
    }

    @Test func `inks without a usable profile are those of usual prints`() throws {
        let ink = try Sample.inkJPEG([255, 0, 0, 0])
        let broken = Sample.tableProfile(space: "CMYK", lightness: 0, name: "A2B1").prefix(400)
        let files = [
            ink, Sample.adding(profile: Array(broken), to: ink),
            Sample.adding(profile: Sample.tableProfile(space: "RGB ", lightness: 0), to: ink),
        ]
        for file in files {
            let found = try colour(tile(file))
            #expect(found[0] < 60 && found[2] > 180, "\(found)")
        }
    }
}
