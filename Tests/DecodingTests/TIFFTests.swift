import Images
import Renditions
import Testing

@testable import Decoding

@Suite struct TIFFTests {
    private let renderer = try! Renderer()

    private func made(
        _ images: [TIFFBuilder.Image], isBig: Bool = false, as rendition: Rendition = .full
    ) throws -> Renderer.Made {
        let bytes = TIFFBuilder(isBig: isBig, pages: images).bytes
        return try renderer.render(.bytes(bytes), as: rendition, format: .jpeg, stop: RenderStop())
    }

    private func selection(_ images: [TIFFBuilder.Image], isBig: Bool = false) throws -> TIFFSelection? {
        let bytes = TIFFBuilder(isBig: isBig, pages: images).bytes
        return TIFFSelection(TIFFImages(in: try SourceReader(.bytes(bytes), stop: RenderStop()), upTo: 100))
    }

    /// A picture of one colour, which tells it from its smaller versions.
    private func plain(_ colour: [UInt8], _ width: Int, _ height: Int, subfile: Int? = nil) -> TIFFBuilder.Image {
        let bytes = [[UInt8]](repeating: colour, count: width * height).flatMap(\.self)
        return TIFFBuilder.image(Pixels(width: width, height: height, bytes: bytes)!, subfile: subfile)
    }

    // MARK: - Which image

    @Test(arguments: [false, true], [false, true])
    func `each rendition is made of the smallest level of a pyramid that has its pixels`(
        isBig: Bool, areParts: Bool
    ) throws {
        var main = plain(Sample.red, 800, 600)
        let levels = [plain(Sample.green, 400, 300, subfile: 1), plain(Sample.blue, 200, 150, subfile: 1)]
        if areParts { main.parts = levels }
        let images = areParts ? [main] : [main] + levels
        for (rendition, width, name) in [
            (Rendition.full, 800, "RRRR"), (.step640, 640, "RRRR"), (.tile, 320, "GGGG"), (.step160, 160, "BBBB"),
        ] {
            let made = try made(images, isBig: isBig, as: rendition)
            #expect(made.width == width && made.height == width * 3 / 4)
            #expect(try Pixels.decoding(made.bytes).quarterNames == name, "\(rendition)")
            #expect(made.metadata.width == 800 && made.metadata.height == 600 && made.metadata.frames == 1)
        }
    }

    @Test func `a pyramid whose levels are not marked is recognised by their sizes`() throws {
        let pages = [plain(Sample.red, 401, 301), plain(Sample.green, 200, 150), plain(Sample.blue, 100, 75)]
        #expect(try selection(pages)?.levels.map(\.width) == [100, 200])
        #expect(try made(pages, as: .step160).metadata.frames == 1)
        // Two pages may just be a large and a small one.
        #expect(try selection(Array(pages.prefix(2)))?.levels == [])
        #expect(try made(Array(pages.prefix(2)), as: .step160).metadata.frames == 2)
    }

    @Test(arguments: [UInt16(254), 255])
    func `a thumbnail in front of the picture is not the picture`(tag: UInt16) throws {
        var thumbnail = plain(Sample.blue, 60, 40)
        let picture = TIFFBuilder.image(Sample.quarters(width: 240, height: 160))
        if tag == 254 { thumbnail.longs[tag] = [1] } else { thumbnail.shorts[tag] = [2] }
        for rendition in [Rendition.full, .tile, .step160] {
            let made = try made([thumbnail, picture], as: rendition)
            #expect(made.metadata.width == 240 && made.metadata.height == 160 && made.metadata.frames == 1)
            #expect(try Pixels.decoding(made.bytes).quarterNames == "RGBW")
        }
    }

    @Test func `a thumbnail whose picture is its part is not the picture`() throws {
        var thumbnail = plain(Sample.blue, 60, 40, subfile: 1)
        thumbnail.parts = [TIFFBuilder.image(Sample.quarters(width: 240, height: 160), subfile: 0)]
        let made = try made([thumbnail])
        #expect(made.width == 240)
        #expect(try Pixels.decoding(made.bytes).quarterNames == "RGBW")
    }

    @Test func `a smaller version with other proportions or samples is not used`() throws {
        let main = plain(Sample.red, 400, 300)
        var grey = TIFFBuilder.image(Sample.quarters(width: 200, height: 150), subfile: 1)
        grey.shorts[262] = [1]
        #expect(try selection([main, plain(Sample.green, 200, 200, subfile: 1), grey])?.levels == [])
        #expect(try selection([main, plain(Sample.green, 200, 149, subfile: 1)])?.levels.count == 1)
        #expect(try selection([main, plain(Sample.green, 200, 150, subfile: 5)])?.levels == [], "a mask")
    }

    @Test func `a picture that is marked as reduced but alone is shown, and pages are counted`() throws {
        #expect(try made([plain(Sample.red, 40, 30, subfile: 1)]).width == 40)
        #expect(try made([TIFFBuilder.Image](repeating: plain(Sample.red, 40, 30), count: 3)).metadata.frames == 3)
    }

    @Test func `a picture keeps its own orientation, whatever the first page has`() throws {
        var picture = TIFFBuilder.image(Sample.quarters(width: 240, height: 160))
        picture.shorts[274] = [6]
        let made = try made([plain(Sample.blue, 60, 40, subfile: 1), picture])
        #expect(made.metadata.width == 160 && made.metadata.height == 240)
        #expect(try Pixels.decoding(made.bytes).quarterNames == "BRWG")
    }

    // MARK: - Samples

    /// The brightness of the four quarters of a grey picture.
    private func greys(_ image: TIFFBuilder.Image) throws -> [Int] {
        let pixels = try Pixels.decoding(made([image]).bytes)
        return [(1, 1), (3, 1), (1, 3), (3, 3)].map { x, y in
            Int(pixels.bytes[(y * pixels.height / 4 * pixels.width + x * pixels.width / 4) * pixels.channels])
        }
    }

    @Test(arguments: [3, 1])
    func `grey floats range from 0 to 1, and grey whole numbers over their type`(sampleFormat: Int) throws {
        let values = [0.2, 0.4, 0.6, 0.8]
        let samples = (0..<40 * 30).map { index in
            let value = values[(index / 40 < 15 ? 0 : 2) + (index % 40 < 20 ? 0 : 1)]
            return sampleFormat == 3 ? Float(value).bitPattern : UInt32(value * Double(UInt32.max))
        }
        let greys = try greys(TIFFBuilder.grey(width: 40, height: 30, sampleFormat: sampleFormat, samples))
        for (grey, value) in zip(greys, values) { #expect(abs(grey - Int(value * 255)) <= 2, "\(greys)") }
    }

    @Test func `a float that is not a number or out of range does no harm`() throws {
        let samples = [Float.nan, .infinity, -.infinity, 7].flatMap { [Float](repeating: $0, count: 100) }
        let image = TIFFBuilder.grey(width: 20, height: 20, sampleFormat: 3, samples.map(\.bitPattern))
        #expect(try made([image]).width == 20)
    }

    /// Brightness and colour differences (ITU-R BT.601) of the sample colours, each block of `across` by `down` pixels
    /// with one pair of differences.
    private func yCbCr(across: Int, down: Int, width: Int, height: Int) -> TIFFBuilder.Image {
        let pixels = Sample.quarters(width: width, height: height)
        func converted(_ x: Int, _ y: Int) -> (y: UInt8, cb: UInt8, cr: UInt8) {
            let start = (y * width + x) * 3
            let (red, green, blue) = (
                Double(pixels.bytes[start]), Double(pixels.bytes[start + 1]), Double(pixels.bytes[start + 2])
            )
            let luma = 0.299 * red + 0.587 * green + 0.114 * blue
            return (UInt8(luma), UInt8(128 + (blue - luma) / 1.772), UInt8(128 + (red - luma) / 1.402))
        }
        var data: [UInt8] = []
        for top in stride(from: 0, to: height, by: down) {
            for left in stride(from: 0, to: width, by: across) {
                for y in top..<top + down { for x in left..<left + across { data.append(converted(x, y).y) } }
                data += [converted(left, top).cb, converted(left, top).cr]
            }
        }
        var image = TIFFBuilder.image(pixels)
        image.data = data
        image.shorts[262] = [6]
        image.shorts[530] = [across, down]
        let reference: [UInt32] = [0, 255, 128, 255, 128, 255]
        image.others[532] = (5, 6, reference.flatMap { Sample.little32($0) + Sample.little32(1) })
        return image
    }

    @Test(arguments: [(1, 1), (2, 1), (2, 2), (4, 2)])
    func `brightness and colour differences are converted`(across: Int, down: Int) throws {
        let image = yCbCr(across: across, down: down, width: 80, height: 64)
        for rendition in [Rendition.full, .preview] {
            let made = try made([image], as: rendition)
            #expect(made.metadata.width == 80 && made.metadata.isIncomplete == false)
            #expect(try Pixels.decoding(made.bytes).quarterNames == "RGBW")
        }
    }

    @Test func `of two sizes in one image the first counts, as for libtiff`() throws {
        // Rows per strip become a second, smaller height.
        let (rows, height) = (Sample.little16(278), Sample.little16(257))
        let field = Sample.little16(4) + Sample.little32(1)
        for image in [
            yCbCr(across: 1, down: 1, width: 80, height: 64), TIFFBuilder.image(Sample.quarters(width: 80, height: 64)),
        ] {
            var bytes = TIFFBuilder(pages: [image]).bytes
            let wanted = rows + field + Sample.little32(64)
            let place = try #require((0..<bytes.count - 12).first { bytes[$0..<$0 + 12].elementsEqual(wanted) })
            bytes.replaceSubrange(place..<place + 12, with: height + field + Sample.little32(10))
            let made = try renderer.render(.bytes(bytes), as: .full, format: .jpeg, stop: RenderStop())
            #expect(made.metadata.width == 80 && made.metadata.height == 64)
            #expect(try Pixels.decoding(made.bytes).quarterNames == "RGBW")
        }
    }

    @Test func `JPEG of the kind that TIFF first defined is decoded`() throws {
        let jpeg = try Sample.jpeg(width: 64, height: 48)
        var image = TIFFBuilder.image(Sample.quarters(width: 64, height: 48))
        image.data = jpeg
        image.shorts[259] = [6]
        image.shorts[262] = [6]
        image.shorts[530] = [2, 2]
        image.shorts[512] = [1]
        // The strip is the first thing in the file, after the header.
        image.longs[513] = [8]
        image.longs[514] = [jpeg.count]
        let made = try made([image])
        #expect(made.width == 64 && made.height == 48)
        #expect(try Pixels.decoding(made.bytes).quarterNames == "RGBW")
    }

    @Test func `a TIFF that is cut short fails as truncated or damaged`() throws {
        let bytes = TIFFBuilder(pages: [yCbCr(across: 2, down: 2, width: 80, height: 64)]).bytes
        for count in stride(from: 9, to: bytes.count - 1, by: 97) {
            _ = try? renderer.render(
                .bytes(Array(bytes.prefix(count))), as: .tile, format: .jpeg, stop: RenderStop())
        }
    }

    // MARK: - RAW

    @Test func `a RAW photo is refused whatever its thumbnails`() throws {
        var first = plain(Sample.blue, 160, 106, subfile: 1)
        var sensor = plain(Sample.red, 300, 200, subfile: 0)
        sensor.shorts[262] = [32_803]
        sensor.shorts[258] = [8]
        sensor.shorts[277] = [1]
        first.parts = [sensor]
        var dng = plain(Sample.blue, 160, 106)
        dng.others[50_706] = (1, 4, [1, 4, 0, 0])
        var canon = TIFFBuilder(pages: [plain(Sample.blue, 160, 106)]).bytes
        // Canon's mark follows the header, where the pixels are here.
        canon.replaceSubrange(8..<12, with: Array("CR".utf8) + [2, 0])
        let files = [TIFFBuilder(pages: [first]).bytes, TIFFBuilder(isBig: true, pages: [dng]).bytes, canon]
        for bytes in files {
            let error = #expect(throws: RenderError.self) {
                try renderer.render(.bytes(bytes), as: .tile, format: .jpeg, stop: RenderStop())
            }
            #expect(error?.reason == .unsupported && error?.isPermanent == true)
            #expect(error?.publicMessage.contains("RAW") == true)
        }
    }

    @Test func `RAW photos that are not TIFFs are refused by name as well`() {
        for head in [
            "FUJIFILMCCD-RAW 0201FF", "IIRO\u{8}\0\0\0", "FOVb\0\0\u{3}\0", "\0\0\0\u{18}ftypcrx \0\0\0\u{1}crx isom",
        ] {
            let error = #expect(throws: RenderError.self) {
                let bytes = Array(head.utf8) + [UInt8](repeating: 0, count: 600)
                return try renderer.render(.bytes(bytes), as: .tile, format: .jpeg, stop: RenderStop())
            }
            #expect(error?.publicMessage.contains("RAW") == true, "\(head)")
        }
    }
}
