import Images
import Renditions
import Testing

@testable import Decoding

/// Input that is not an image, input that lies about itself, and input that would exhaust the machine.
@Suite struct BadInputTests {
    private let renderer = try! Renderer()

    private func reason(of bytes: [UInt8], _ limits: RenderLimits? = nil) -> RenderError.Reason? {
        let renderer = limits.map { try! Renderer(limits: $0) } ?? renderer
        do {
            _ = try renderer.render(.bytes(bytes), as: .tile, format: .jpeg, stop: RenderStop())
            return nil
        } catch { return error.reason }
    }

    @Test(arguments: [
        ("<!DOCTYPE html><html><head><title>404</title></head><body>Not found</body></html>", "a web page"),
        ("<html><body><svg xmlns='http://www.w3.org/2000/svg'><rect/></svg></body></html>", "a web page"),
        ("%PDF-1.4\n1 0 obj\n<< /Type /Catalog >>\nendobj\n", "a PDF document"),
        ("Only a few words in plain English.\n", "text"),
        ("{\"error\": \"no such picture\", \"code\": 404}", "JSON"),
        ("\u{1f}\u{1}\u{2}\u{3}\u{4}\u{5}", "data of an unknown kind"),
    ])
    func `the error for a file that is not a picture names what it is`(text: String, name: String) {
        let error = #expect(throws: RenderError.self) {
            try renderer.render(.bytes(Array(text.utf8)), as: .tile, format: .jpeg, stop: RenderStop())
        }
        #expect(error?.reason == .notAnImage)
        #expect(error?.publicMessage.contains(name) == true, "\(error?.publicMessage ?? "")")
        #expect(error?.status == 415)
    }

    @Test func `an empty file is reported as empty`() { #expect(reason(of: []) == .empty) }

    @Test func `a format without a decoder is reported as unsupported`() {
        let bitmap: [UInt8] =
            Array("BM".utf8) + Sample.little32(58) + [0, 0, 0, 0, 54, 0, 0, 0, 40, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0]
            + [1, 0, 24, 0] + Array(repeating: 0, count: 28)
        #expect(reason(of: bitmap) == .unsupported)
    }

    @Test func `a truncated JPEG or PNG is shown in part and marked incomplete, and other formats fail`() throws {
        let pixels = Sample.quarters(width: 300, height: 200)
        for whole in [try pixels.encoded(as: .jpeg), Sample.png(pixels)] {
            let tile = { (bytes: [UInt8]) in
                try renderer.render(.bytes(bytes), as: .tile, format: .jpeg, stop: RenderStop())
            }
            #expect(try tile(whole).metadata.isIncomplete == false)
            let cut = try tile(Array(whole.prefix(whole.count * 2 / 3)))
            #expect(cut.metadata.isIncomplete == true && cut.metadata.width == 300 && cut.metadata.height == 200)
            let shown = try Pixels.decoding(cut.bytes).quarterNames
            #expect(shown.hasPrefix("RG") && shown != "RGBW", "\(shown)")
        }
        for whole in [try pixels.encoded(as: .avif), Sample.tiff(pixels)] {
            let reason = reason(of: Array(whole.prefix(whole.count * 2 / 3)))
            #expect(reason == .damaged || reason == .truncated)
        }
    }

    @Test func `a small file that declares too many pixels is rejected by its header`() {
        func png(_ width: Int, _ height: Int, isInterlaced: Bool) -> [UInt8] {
            let header =
                Sample.big32(UInt32(width)) + Sample.big32(UInt32(height)) + [8, 0, 0, 0, isInterlaced ? 1 : 0]
            return Array(Sample.pngHeader(width: 1, height: 1, colourType: 0).prefix(8)) + Sample.chunk("IHDR", header)
                + Sample.chunk("IDAT", [0x78, 1])
        }
        // An interlaced image would have to be in memory as a whole; decoded line by line, it is just a truncated
        // image.
        #expect(reason(of: png(50_000, 50_000, isInterlaced: true)) == .tooLarge)
        #expect(reason(of: png(20_000, 20_000, isInterlaced: true)) != .tooLarge)
        var limits = RenderLimits()
        limits.maximumSide = 60_000
        #expect(reason(of: png(60_001, 1, isInterlaced: false), limits) == .tooLarge)
    }

    @Test func `excessive text and EXIF chunks of a PNG are skipped`() throws {
        let png = Sample.png(Sample.quarters(width: 32, height: 32))
        func texts(_ count: Int, _ name: String, before position: Int) -> [UInt8] {
            let text = Sample.chunk(name, Array("k\0\0".utf8) + [0x78, 0x9c, 3, 0, 0, 0, 0, 1])
            return Array(png[..<position]) + Array(repeatElement(text, count: count).joined()) + Array(png[position...])
        }
        func hidden(_ bytes: [UInt8]) throws -> Int64 {
            let examination = try renderer.inspect(.bytes(bytes))
            #expect(examination.metadata.byteCount == Int64(bytes.count))
            return examination.reader.fileLength - examination.reader.length
        }
        #expect(try hidden(texts(12, "zTXt", before: 33)) == 0)
        #expect(
            try hidden(texts(15, "zTXt", before: 33)) == Int64(3 * texts(1, "zTXt", before: 0).count - 3 * png.count))
        #expect(try hidden(texts(13, "iTXt", before: 33)) > 0)
        let exif = Sample.chunk("eXIf", [UInt8](repeating: 0x4d, count: 1 << 20 + 1))
        let swollen = Array(png[..<33]) + exif + Array(png[33...])
        #expect(try hidden(swollen) == Int64(exif.count))
        for bytes in [texts(40, "zTXt", before: 33), texts(40, "iTXt", before: png.count - 12), swollen] {
            let tile = try renderer.render(.bytes(bytes), as: .tile, format: .jpeg, stop: RenderStop())
            #expect(try Pixels.decoding(tile.bytes).quarterNames == "RGBW")
        }
        let endless = texts(20_050, "zTXt", before: 33)
        #expect(reason(of: endless) == nil, "consecutive chunks are skipped as one")
    }

    @Test(arguments: [false, true])
    func `TIFF pages are counted only up to the limit`(isBig: Bool) throws {
        func pages(_ count: Int, inCircle: Bool = false) -> [UInt8] {
            let size = isBig ? 16 : 6
            var bytes: [UInt8] = [0x49, 0x49, isBig ? 43 : 42, 0]
            bytes += isBig ? [8, 0, 0, 0, 16, 0, 0, 0, 0, 0, 0, 0] : [16] + Array(repeating: 0, count: 11)
            for page in 1...count {
                let next = page < count ? UInt32(16 + page * size) : inCircle ? 16 : 0
                bytes += Array(repeating: 0, count: isBig ? 8 : 2) + Sample.little32(next)
                if isBig { bytes += [0, 0, 0, 0] }
            }
            return bytes + Array(repeating: 0, count: 16)
        }
        func count(_ bytes: [UInt8]) throws -> Int {
            TIFFImages(in: try SourceReader(.bytes(bytes), stop: RenderStop()), upTo: 100).pages
        }
        #expect(try count(pages(7)) == 7)
        #expect(try count(pages(1000)) == 101)
        #expect(try count(pages(3, inCircle: true)) == 101)
        #expect(try count(Array(pages(7).prefix(40))) <= 4)
    }

    @Test func `frames and bytes are limited`() {
        #expect(reason(of: Sample.gif(frames: 100_000)) == .tooLarge)
        var limits = RenderLimits()
        limits.maximumFrames = 3
        #expect(reason(of: Sample.gif(frames: 3), limits) == nil)
        #expect(reason(of: Sample.gif(frames: 4), limits) == .tooLarge)
        let tiff = Sample.tiff(Sample.quarters(width: 100, height: 100))
        limits = RenderLimits()
        limits.maximumBytes = Int64(tiff.count)
        #expect(reason(of: tiff, limits) == nil)
        limits.maximumBytes -= 1
        #expect(reason(of: tiff, limits) == .tooLarge)
    }

    @Test func `a file is rejected when libmagic and the decoder disagree about its type`() {
        let disagreement = #expect(throws: RenderError.self) {
            try Identification(mediaType: "image/png", sniffed: .jpeg)
        }
        #expect(disagreement?.reason == .disagreement)
        let film = #expect(throws: RenderError.self) { try Identification(mediaType: "video/mp4", sniffed: .heif) }
        #expect(film?.reason == .disagreement)
        let page = #expect(throws: RenderError.self) { try Identification(mediaType: "text/html", sniffed: .svg) }
        #expect(page?.reason == .notAnImage)
        let hollow = #expect(throws: RenderError.self) { try Identification(mediaType: "image/gif", sniffed: nil) }
        #expect(hollow?.reason == .damaged)
        #expect((try? Identification(mediaType: "text/xml", sniffed: .svg))?.mediaType == "image/svg+xml")
    }

    /// With a fixed seed, so that failures are reproducible.
    @Test func `the renderer survives randomly corrupted files`() throws {
        let pixels = Sample.quarters(width: 60, height: 40)
        let exif = ExifBuilder(
            main: [ExifBuilder.short(0x0112, 6)], thumbnail: try Sample.jpeg(width: 160, height: 120))
        let files = [
            try Sample.jpeg(width: 800, height: 600, exif: exif.bytes), Sample.png(pixels), Sample.gif(frames: 3),
            Sample.tiff(pixels), try pixels.encoded(as: .webp),
        ]
        var state: UInt64 = 0x9e37_79b9_7f4a_7c15
        func random(below limit: Int) -> Int {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return Int(state % UInt64(limit))
        }
        var (shown, refused) = (0, 0)
        for file in files {
            for round in 0..<80 {
                var bytes = file
                // Half of the changes affect the first bytes, which contain lengths and offsets.
                for _ in 0...random(below: 6) {
                    bytes[random(below: round % 2 == 0 ? bytes.count : min(256, bytes.count))] = UInt8(
                        random(below: 256))
                }
                if round % 5 == 0 { bytes.removeLast(random(below: bytes.count - 1)) }
                do throws(RenderError) {
                    let rendition: Rendition = round % 3 == 0 ? .preview : .tile
                    _ = try renderer.render(.bytes(bytes), as: rendition, format: .jpeg, stop: RenderStop())
                    shown += 1
                } catch {
                    refused += 1
                }
            }
        }
        #expect(shown > 40 && refused > 40, "\(shown) shown and \(refused) refused: too one-sided for a test")
    }
}
