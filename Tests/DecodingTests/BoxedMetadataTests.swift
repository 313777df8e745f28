import CBrotli
import Images
import Renditions
import TestSupport
import Testing

@testable import Decoding

@Suite struct BoxedMetadataTests {
    private let exif = ExifBuilder(exposure: [ExifBuilder.text(0x9003, "2015:08:22 10:11:12")]).bytes
    private let xmp = Array(Sample.xmp(#"xmp:Rating="4""#, "<dc:title>in a box</dc:title>").utf8)

    private func metadata(_ bytes: [UInt8]) throws -> ImageMetadata {
        let embedded = BoxedMetadata(try SourceReader(.bytes(bytes), stop: RenderStop()))
        var metadata = ImageMetadata()
        PictureMetadata(exif: embedded.exif, xmp: embedded.xmp).describe(&metadata)
        return metadata
    }

    private func isComplete(_ metadata: ImageMetadata) -> Bool {
        metadata.takenAt == "2015-08-22T10:11:12Z" && metadata.rating == 4 && metadata.title == "in a box"
    }

    // MARK: - JPEG XL

    private let jxl =
        Sample.box("JXL ", [0x0d, 0x0a, 0x87, 0x0a]) + Sample.box("ftyp", Array("jxl \0\0\0\0jxl ".utf8))
        + Sample.box("jxlp", [0, 0, 0, 0, 0xff, 0x0a])

    @Test func `boxes of a JPEG XL are read wherever they are`() throws {
        let boxes = Sample.box("Exif", [0, 0, 0, 0] + exif) + Sample.box("xml ", xmp)
        #expect(isComplete(try metadata(jxl + boxes + Sample.box("jxlp", [0x80, 0, 0, 1, 0]))))
        // The offset of the TIFF header, and what libraries put in front of it.
        let shifted = Sample.box("Exif", [0, 0, 0, 2, 9, 9] + exif) + Sample.box("xml ", xmp)
        #expect(isComplete(try metadata(jxl + shifted)))
        let prefixed = Sample.box("Exif", [0, 0, 0, 0] + Array("Exif\0\0".utf8) + exif) + Sample.box("xml ", xmp)
        #expect(isComplete(try metadata(jxl + prefixed)))
        #expect(try metadata(jxl + Sample.box("Exif", [0, 0, 0xff, 0] + exif)) == ImageMetadata())
        // A last box may have no length.
        #expect(try metadata(jxl + [0, 0, 0, 0] + Array("xml ".utf8) + xmp).rating == 4)
    }

    @Test func `compressed boxes of a JPEG XL are read, up to a limit`() throws {
        func brob(_ name: String, _ bytes: [UInt8]) -> [UInt8] {
            Sample.box("brob", Array(name.utf8) + Self.compressed(bytes))
        }
        #expect(isComplete(try metadata(jxl + brob("xml ", xmp) + brob("Exif", [0, 0, 0, 0] + exif))))
        let bomb = brob("xml ", xmp + [UInt8](repeating: 0x20, count: 8 << 20))
        #expect(bomb.count < 2_000)
        #expect(try metadata(jxl + bomb) == ImageMetadata())
        #expect(try metadata(jxl + Sample.box("brob", Array("xml ".utf8) + xmp)) == ImageMetadata())
        #expect(try metadata(jxl + Sample.box("brob", Array("xml".utf8))) == ImageMetadata())
    }

    private static func compressed(_ bytes: [UInt8]) -> [UInt8] {
        var size = bytes.count + 1_024
        return [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
            let status = BrotliEncoderCompress(
                5, 22, BROTLI_MODE_GENERIC, bytes.count, bytes, &size, buffer.baseAddress)
            count = status == 0 ? 0 : size
        }
    }

    // MARK: - HEIC and AVIF

    /// A file with an image and two items of metadata.
    private func heif(
        version: UInt8 = 1, widths: UInt16 = 0x4400, isInData: Bool = false, mediaType: String = "application/rdf+xml"
    ) -> [UInt8] {
        let isWide = version == 2
        func number(_ value: Int) -> [UInt8] { isWide ? Sample.big32(UInt32(value)) : Sample.big16(value) }
        func entry(_ item: Int, _ type: String, _ rest: [UInt8] = [0]) -> [UInt8] {
            Sample.box("infe", [isWide ? 3 : 2, 0, 0, 0] + number(item) + [0, 0] + Array(type.utf8) + rest)
        }
        let entries =
            entry(1, "hvc1") + entry(2, "Exif")
            + entry(3, "mime", Array("an item\0".utf8) + Array(mediaType.utf8) + [0])
        let blocks = [[0, 0, 0, 0] + exif, xmp]
        func file(dataStart: Int) -> [UInt8] {
            var items = [version, 0, 0, 0] + Sample.big16(Int(widths)) + number(2)
            var start = isInData ? 0 : dataStart
            for (item, block) in zip([2, 3], blocks) {
                items += number(item) + (version == 0 ? [] : [0, isInData ? 1 : 0]) + [0, 0]
                if widths & 0xf0 == 0x40 { items += Sample.big32(UInt32(start)) }
                // Two extents.
                let parts = [0..<10, 10..<block.count]
                items += Sample.big16(parts.count)
                for part in parts {
                    let offset = widths & 0xf0 == 0x40 ? part.lowerBound : start + part.lowerBound
                    let isTooLong = widths & 0xf00 == 0x800
                    items += Sample.big32(UInt32(offset))
                    items += isTooLong ? [0x7f] + [UInt8](repeating: 0xff, count: 7) : Sample.big32(UInt32(part.count))
                }
                start += block.count
            }
            let counted = isWide ? [1, 0, 0, 0] + Sample.big32(3) : [0, 0, 0, 0] + Sample.big16(3)
            let meta =
                [0, 0, 0, 0] + Sample.box("hdlr", [UInt8](repeating: 0, count: 25))
                + Sample.box("iinf", counted + entries)
                + Sample.box("iloc", items) + (isInData ? Sample.box("idat", Array(blocks.joined())) : [])
            return Sample.box("ftyp", Array("heic\0\0\0\0mif1heic".utf8)) + Sample.box("meta", meta)
                + (isInData ? [] : Sample.box("mdat", Array(blocks.joined())))
        }
        let length = file(dataStart: 0).count
        return file(dataStart: length - blocks.joined().count)
    }

    @Test(arguments: [0, 1, 2] as [UInt8], [0x4400, 0x4440] as [UInt16])
    func `items are found by every form of the location box`(version: UInt8, widths: UInt16) throws {
        #expect(isComplete(try metadata(heif(version: version, widths: widths))))
        if version > 0 { #expect(isComplete(try metadata(heif(version: version, widths: widths, isInData: true)))) }
    }

    @Test(arguments: [false, true]) func `a length beyond any file is none`(isInData: Bool) throws {
        #expect(try metadata(heif(widths: 0x4800, isInData: isInData)).takenAt == nil)
    }

    @Test func `other items are not taken for XMP`() throws {
        let metadata = try metadata(heif(mediaType: "text/html"))
        #expect(metadata.rating == nil && metadata.takenAt != nil)
    }

    @Test func `truncated or corrupted boxes never cause an out-of-bounds read`() throws {
        var (complete, other) = (0, 0)
        var random = SeededRandom(seed: 7)
        for whole in [heif(), heif(version: 2, isInData: true), jxl + Sample.box("Exif", [0, 0, 0, 0] + exif)] {
            for length in 1..<whole.count { _ = try metadata(Array(whole.prefix(length))) }
            for _ in 0..<3_000 {
                var bytes = whole
                bytes[Int.random(in: 0..<min(bytes.count, 500), using: &random)] = .random(in: 0...255, using: &random)
                if try metadata(bytes).takenAt == nil { other += 1 } else { complete += 1 }
            }
        }
        #expect(complete > 1_000 && other > 500)
    }
}
