import Images
import Renditions
import Testing

@testable import Decoding

/// The preview of a camera's JPEG is made from the thumbnail in its head, if that shows the same.
@Suite struct EmbeddedThumbnailTests {
    private let renderer = try! Renderer()

    /// A JPEG of the four quarters with a thumbnail in one colour, so that a test can see which of them is displayed.
    private func photo(
        width: Int = 800, height: Int = 600, thumbnail: Pixels, orientation: UInt16 = 1
    ) throws -> [UInt8] {
        let exif = ExifBuilder(
            main: [ExifBuilder.short(0x0112, orientation)], thumbnail: try thumbnail.encoded(as: .jpeg, quality: 95))
        return try Sample.jpeg(width: width, height: height, exif: exif.bytes)
    }

    private func plain(_ width: Int, _ height: Int, _ colour: [UInt8] = Sample.red, bars: Int = 0) -> Pixels {
        let rows = (0..<height).flatMap { row in
            (0..<width).flatMap { _ in row < bars || row >= height - bars ? [0, 0, 0] : colour }
        }
        return Pixels(width: width, height: height, bytes: rows)!
    }

    private func preview(_ jpeg: [UInt8]) throws -> Pixels {
        let rendered = try renderer.render(.bytes(jpeg), as: .preview, format: .jpeg, stop: RenderStop())
        return try Pixels.decoding(rendered.bytes)
    }

    @Test func `the preview is made from the thumbnail, and the tile from the picture`() throws {
        let jpeg = try photo(thumbnail: plain(160, 120))
        #expect(try preview(jpeg).quarterNames == "RRRR")
        #expect(try renderer.inspect(.bytes(jpeg)).exif?.thumbnail != nil)
        let tile = try renderer.render(.bytes(jpeg), as: .tile, format: .jpeg, stop: RenderStop())
        #expect(try Pixels.decoding(tile.bytes).quarterNames == "RGBW")
    }

    @Test func `the thumbnail of a truncated file is used`() throws {
        let jpeg = try photo(width: 1600, height: 1200, thumbnail: plain(160, 120))
        #expect(try preview(Array(jpeg.prefix(jpeg.count * 2 / 3))).quarterNames == "RRRR")
    }

    @Test func `a partial decode yields the embedded thumbnail, and fails without one`() throws {
        let jpeg = try photo(width: 1600, height: 1200, thumbnail: plain(160, 120))
        func partialDecode(_ bytes: ArraySlice<UInt8>) throws -> RenderResult? {
            let outcome = try renderer.perform(.partialDecode(.jpeg), on: .bytes(Array(bytes)), stop: RenderStop())
            if case .made(let answer) = outcome { return answer }
            return nil
        }
        let preview = try #require(try partialDecode(jpeg[..<(jpeg.count / 2)])?.renditions[.preview])
        #expect(try Pixels.decoding(preview.bytes).quarterNames == "RRRR")
        let without = try Sample.jpeg(width: 800, height: 600)
        #expect(throws: RenderError.self) { _ = try partialDecode(without[...]) }
        #expect(throws: RenderError.self) { _ = try partialDecode(jpeg[..<200]) }
        #expect(throws: RenderError.self) { _ = try partialDecode(Sample.png(plain(160, 120))[...]) }
    }

    @Test func `the thumbnail is rotated like the picture`() throws {
        let jpeg = try photo(thumbnail: Sample.quarters(width: 160, height: 120), orientation: 6)
        let upright = try preview(jpeg)
        #expect((upright.width, upright.height) == (48, 64))
        #expect(upright.quarterNames == "BRWG")
    }

    @Test func `black bars that pad a thumbnail to another shape are cropped`() throws {
        let jpeg = try photo(width: 900, height: 600, thumbnail: plain(160, 120, bars: 7))
        let cut = try preview(jpeg)
        #expect((cut.width, cut.height) == (64, 42) || (cut.width, cut.height) == (64, 43))
        #expect(cut.bytes.count == 3 * cut.width * cut.height)
        #expect(cut.bytes.enumerated().allSatisfy { $0.offset % 3 != 0 || $0.element > 150 })
    }

    @Test func `a thumbnail of another shape without black bars is ignored`() throws {
        #expect(try preview(photo(width: 600, height: 600, thumbnail: plain(160, 120))).quarterNames == "RGBW")
        #expect(try preview(photo(width: 900, height: 600, thumbnail: plain(160, 120))).quarterNames == "RGBW")
    }

    @Test func `a thumbnail that is too small or damaged is ignored`() throws {
        #expect(try preview(photo(thumbnail: plain(40, 30))).quarterNames == "RGBW")
        let exif = ExifBuilder(thumbnail: Array(try plain(160, 120).encoded(as: .jpeg).prefix(300)))
        #expect(try preview(Sample.jpeg(width: 800, height: 600, exif: exif.bytes)).quarterNames == "RGBW")
    }

    @Test func `a progressive thumbnail is ignored`() throws {
        // Its scans are not counted, and each of possibly thousands would be as much work as the whole.
        var thumbnail = ProgressiveTests.progressive
        let frame = try #require(thumbnail.indices.first { thumbnail[$0] == 0xff && thumbnail[$0 + 1] == 0xc2 })
        thumbnail.replaceSubrange(frame + 5..<frame + 9, with: [0, 120, 0, 160])
        let original = try renderer.inspect(
            .bytes(Sample.jpeg(width: 800, height: 600, exif: ExifBuilder(thumbnail: thumbnail).bytes)))
        #expect(original.exif?.thumbnail != nil)
        #expect(EmbeddedThumbnail.picture(of: original, atLeast: 64, stop: RenderStop()) == nil)
    }
}
