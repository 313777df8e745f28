import Images
import Renditions
import Testing

@testable import Decoding

/// Tiles of a camera's JPEG are made from the smaller version that the camera appended, if that shows the same.
@Suite struct EmbeddedPreviewTests {
    private let renderer = try! Renderer()

    /// A JPEG of the four quarters, followed by other JPEGs, with an index of them (CIPA DC-007, 5.2).
    private func photo(
        width: Int = 3_000, height: Int = 2_000, orientation: UInt16 = 1, previews: [[UInt8]],
        type: UInt32 = 0x010001, isLittleEndian: Bool = true, shift: Int = 0
    ) throws -> [UInt8] {
        func word(_ value: Int) -> [UInt8] {
            let bytes = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
            return isLittleEndian ? bytes.reversed() : bytes
        }
        func short(_ value: Int) -> [UInt8] { isLittleEndian ? word(value).prefix(2) + [] : word(value).suffix(2) + [] }
        let exif = ExifBuilder(main: [ExifBuilder.short(0x0112, orientation)])
        let main = try Sample.jpeg(width: width, height: height, exif: exif.bytes)
        let count = previews.count + 1
        func index(main length: Int, offset: Int) -> [UInt8] {
            var entries = word(0x2003_0000) + word(length) + word(0) + word(0)
            var next = offset
            for preview in previews {
                entries += word(Int(type)) + word(preview.count) + word(next) + word(0)
                next += preview.count
            }
            let header = isLittleEndian ? [0x49, 0x49, 0x2a, 0] : [0x4d, 0x4d, 0, 0x2a] as [UInt8]
            let directory =
                short(3) + short(0xb000) + short(7) + word(4) + Array("0100".utf8)
                + short(0xb001) + short(4) + word(1) + word(count)
                + short(0xb002) + short(7) + word(16 * count) + word(8 + 2 + 36 + 4) + word(0)
            return Array("MPF\0".utf8) + header + word(8) + directory + entries
        }
        let length = main.count + 4 + index(main: 0, offset: 0).count
        // Offsets count from after the segment's marker, length and index name.
        let content = index(main: length, offset: length - 2 - 8 + shift)
        return Sample.adding([(0xe2, content)], to: main) + previews.joined()
    }

    private func plain(_ width: Int, _ height: Int, _ colour: [UInt8] = Sample.red) throws -> [UInt8] {
        let pixels = (0..<width * height).flatMap { _ in colour }
        return try #require(Pixels(width: width, height: height, bytes: pixels)).encoded(as: .jpeg, quality: 90)
    }

    private func quarters(_ jpeg: [UInt8], _ rendition: Rendition = .tile) throws -> String {
        let rendered = try renderer.render(.bytes(jpeg), as: rendition, format: .jpeg, stop: RenderStop())
        return try Pixels.decoding(rendered.bytes).quarterNames
    }

    @Test(arguments: [true, false])
    func `the embedded preview is the source of every rendition it is large enough for`(isLittleEndian: Bool) throws {
        let jpeg = try photo(previews: [plain(1_620, 1_080)], isLittleEndian: isLittleEndian)
        for rendition in [Rendition.preview, .step160, .tile, .step640] {
            #expect(try quarters(jpeg, rendition) == "RRRR", "\(rendition)")
        }
        for rendition in [Rendition.step1280, .screen, .step2560, .full] {
            #expect(try quarters(jpeg, rendition) == "RGBW", "\(rendition)")
        }
    }

    @Test func `renditions requested together share one source, the preview or the picture`() throws {
        let jpeg = try photo(previews: [plain(1_620, 1_080)])
        func names(_ wanted: [Rendition]) throws -> [String] {
            let work = RenderJob.Work.make(Dictionary(uniqueKeysWithValues: wanted.map { ($0, .jpeg) }))
            guard case .made(let answer) = try renderer.perform(work, on: .bytes(jpeg), stop: RenderStop()) else {
                return []
            }
            #expect(answer.metadata.width == 3_000 && answer.metadata.placeholder != nil)
            return try wanted.map { try Pixels.decoding(#require(answer.renditions[$0]).bytes).quarterNames }
        }
        #expect(try names([.preview, .tile]) == ["RRRR", "RRRR"])
        for last in [Rendition.screen, .step2560, .full] {
            #expect(try names([.preview, .tile, last]) == ["RGBW", "RGBW", "RGBW"])
        }
    }

    @Test func `the smallest preview that is large enough is used`() throws {
        let green: [UInt8] = [0, 200, 0]
        let jpeg = try photo(previews: [plain(1_620, 1_080), plain(660, 440, green)])
        #expect(try quarters(jpeg, .tile) == "GGGG")
        #expect(try quarters(jpeg, .step640) == "RRRR")
    }

    @Test func `the preview is rotated like the picture`() throws {
        let preview = try Sample.quarters(width: 1_620, height: 1_080).encoded(as: .jpeg, quality: 90)
        let jpeg = try photo(orientation: 6, previews: [preview])
        let rendered = try renderer.render(.bytes(jpeg), as: .tile, format: .jpeg, stop: RenderStop())
        #expect((rendered.width, rendered.height) == (213, 320))
        #expect(try Pixels.decoding(rendered.bytes).quarterNames == "BRWG")
    }

    @Test func `a preview that is progressive, truncated, too small or of another shape is ignored`() throws {
        #expect(try quarters(photo(previews: [plain(1_080, 1_080)])) == "RGBW")
        #expect(try quarters(photo(previews: [plain(600, 400)])) == "RGBW")
        #expect(try quarters(photo(width: 900, height: 900, previews: [ProgressiveTests.progressive])) == "RGBW")
        #expect(try quarters(photo(previews: [Array(plain(1_620, 1_080).prefix(9_000))])) == "RGBW")
    }

    @Test func `a stale or invalid index of previews is ignored`() throws {
        let preview = try plain(1_620, 1_080)
        for shift in [-1, 1, 100, 1 << 24, -4_000] {
            #expect(try quarters(photo(previews: [preview], shift: shift)) == "RGBW", "\(shift)")
        }
        // Types of a panorama's part and of stereo images, and invalid types.
        for type: UInt32 in [0x020001, 0x020002, 0x030000, 0, 0x0101_0001] {
            #expect(try quarters(photo(previews: [preview], type: type)) == "RGBW", "\(type)")
        }
        let jpeg = try photo(previews: [preview])
        #expect(try quarters(Array(jpeg.dropLast(preview.count))) == "RGBW")
    }
}
