import FileHeads
import Images
import Renditions
import TestSupport
import Testing

@testable import Decoding

/// Files with faults on which no pixel depends, and files that end early.
@Suite struct RepairTests {
    private let renderer = try! Renderer()
    private let pixels = Sample.quarters(width: 300, height: 200)

    private func tile(_ bytes: [UInt8], as format: OutputFormat = .jpeg) throws -> Renderer.Made {
        try renderer.render(.bytes(bytes), as: .tile, format: format, stop: RenderStop())
    }

    /// Whether the picture is shown with all its pixels, and not marked as incomplete.
    private func isWhole(_ bytes: [UInt8]) throws -> Bool {
        let made = try tile(bytes)
        return try made.metadata.isIncomplete == false && Pixels.decoding(made.bytes).quarterNames == "RGBW"
    }

    @Test func `a JPEG that lacks only its end is whole, and with less it is incomplete`() throws {
        let jpeg = try pixels.encoded(as: .jpeg)
        for missing in 1...2 { #expect(try isWhole(Array(jpeg.dropLast(missing))), "\(missing)") }
        #expect(try tile(Array(jpeg.dropLast(40))).metadata.isIncomplete == true)
        #expect(try isWhole(jpeg + [UInt8](repeating: 7, count: 5_000)), "what follows the end does not matter")
        // It is encoded: not all browsers show it as it is.
        #expect(try tile(Array(jpeg.dropLast(2))).bytes != Array(jpeg.dropLast(2)))
    }

    @Test func `a JPEG with damage in its middle is shown and marked`() throws {
        var random = SeededRandom(seed: 5)
        let noise = Pixels(width: 300, height: 200, bytes: (0..<180_000).map { _ in UInt8(random.number(below: 256)) })
        let jpeg = try #require(noise).encoded(as: .jpeg)
        #expect(try tile(jpeg).metadata.isIncomplete == false)
        var marked = 0
        for _ in 0..<12 {
            var hurt = jpeg
            let place = jpeg.count / 4 + random.number(below: jpeg.count / 2)
            for offset in 0..<300 { hurt[place + offset] = UInt8(random.number(below: 256)) }
            let made = try tile(hurt).metadata
            #expect(made.width == 300 && made.height == 200)
            if made.isIncomplete == true { marked += 1 }
        }
        #expect(marked >= 8, "most wrong bytes are codes of other pixels, but some are none")
        // Some cameras pad the data, and the warning about one picture is none about the next.
        let padded = Array(jpeg.dropLast(2)) + [UInt8](repeating: 0, count: 8) + jpeg.suffix(2)
        #expect(try tile(padded).metadata.isIncomplete == false)
        #expect(try tile(jpeg).metadata.isIncomplete == false)
    }

    @Test(.timeLimit(.minutes(1))) func `a compressed file that is no drawing is refused at once`() {
        // gzip of "no drawing" and a line feed, and another line feed after its end.
        let bytes: [UInt8] = [
            0x1F, 0x8B, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x03, 0xCB, 0xCB, 0x57, 0x48, 0x29, 0x4A, 0x2C, 0xCF,
            0xCC, 0x4B, 0xE7, 0x02, 0x00, 0x32, 0x14, 0x3A, 0xA2, 0x0B, 0x00, 0x00, 0x00, 0x0A,
        ]
        let error = #expect(throws: RenderError.self) {
            try renderer.render(.bytes(bytes), as: .tile, format: .jpeg, stop: RenderStop())
        }
        #expect(error?.reason == .notAnImage || error?.reason == .unsupported)
    }

    @Test(arguments: [
        ("VipsJpeg: Corrupt JPEG data: bad Huffman code", true),
        ("Corrupt JPEG data: premature end of data segment", true),
        ("Corrupt JPEG data: 61 extraneous bytes before marker 0xd9", true),
        ("Corrupt JPEG data: 12 extraneous bytes before marker 0xd9", false),
        ("Corrupt JPEG data: 900 extraneous bytes before marker 0xdb", false),
        ("Corrupt JPEG data: found marker 0xd3 instead of RST2", true), ("read gave 1 warnings", false),
        ("Invalid SOS parameters for sequential JPEG", false),
    ])
    func `warnings about JPEGs tell damage from oddities`(text: String, isDamage: Bool) {
        #expect(JPEGWarning.tellsOfDamage(text) == isDamage)
    }

    @Test func `a progressive JPEG without its last scans is incomplete although it shows everything`() throws {
        let jpeg = ProgressiveTests.progressive
        #expect(try tile(jpeg).metadata.isIncomplete == false)
        #expect(try tile(Array(jpeg.dropLast(2))).metadata.isIncomplete == false)
        let scans = jpeg.indices.dropLast().filter { jpeg[$0] == 0xff && jpeg[$0 + 1] == 0xda }
        for scan in scans.dropFirst() {
            // The tables of a scan precede it.
            let tables = jpeg[..<scan].lastIndex(of: 0xc4).map { $0 - 1 } ?? scan
            #expect(try tile(Array(jpeg[..<tables])).metadata.isIncomplete == true)
        }
    }

    @Test func `a PNG with a wrong checksum is shown`() throws {
        let whole = Sample.png(pixels)
        for position in [whole.count - 13, whole.count - 16] {
            var png = whole
            png[position] ^= 1
            #expect(try isWhole(png))
        }
        // That of a chunk of text.
        var text = Sample.chunk("tEXt", Array("Title\0x".utf8))
        text[text.count - 1] ^= 1
        #expect(try isWhole(Array(whole.prefix(33)) + text + whole.dropFirst(33)))
        // And that of pixels in several chunks.
        let head = Array(whole.prefix(33))
        let data = Array(whole[41..<whole.count - 16])
        let parts = stride(from: 0, to: data.count, by: 50_000).map { start -> [UInt8] in
            var chunk = Sample.chunk("IDAT", Array(data[start..<min(start + 50_000, data.count)]))
            chunk[chunk.count - 2] ^= 0x55
            return chunk
        }
        #expect(parts.count == 4)
        #expect(try isWhole(head + Array(parts.joined()) + Sample.chunk("IEND", [])))
    }

    @Test func `a PNG that lacks only its end is whole, and with less it is incomplete`() throws {
        let png = Sample.png(pixels)
        // The last chunk; and its checksum and that of the pixels.
        for missing in [1, 4, 6, 12, 14, 16] { #expect(try isWhole(Array(png.dropLast(missing))), "\(missing)") }
        for missing in [900, 20_000, png.count / 2] {
            let made = try tile(Array(png.dropLast(missing)))
            #expect(made.metadata.isIncomplete == true && made.metadata.width == 300)
        }
        #expect(try isWhole(png + Array("trailing".utf8)))
    }

    @Test func `a PNG whose pixels are damaged is refused, unless it is also cut short`() throws {
        var png = Sample.png(pixels)
        // The length of the second uncompressed block: the checksum shows that, too.
        let second = 33 + 8 + 2 + 5 + 65_535
        png[second + 1] ^= 0xff
        let error = #expect(throws: RenderError.self) { try tile(png) }
        #expect(error?.reason == .damaged)
        #expect(try tile(Array(png.dropLast(100))).metadata.isIncomplete == true)
    }

    @Test(arguments: [(4_096, true), (4_097, false), (100_000, false)])
    func `a PNG with more wrong checksums than a few thousand is not repaired`(count: Int, isRepaired: Bool) throws {
        var chunk = Sample.chunk("IDAT", [])
        chunk[chunk.count - 1] ^= 1
        let start = Array(Sample.png(pixels).prefix(33))
        let bytes = start + [[UInt8]](repeating: chunk, count: count).flatMap(\.self) + Sample.chunk("IEND", [])
        let reader = try SourceReader(.bytes(bytes), stop: RenderStop())
        #expect((Repair(ofPNG: reader) != nil) == isRepaired)
    }

    @Test func `the checksum is that of the PNG specification`() {
        var checksum = CRC32()
        checksum.update("123456789".utf8)
        #expect(checksum.value == 0xcbf4_3926)
    }

    // MARK: - GIF

    @Test func `a GIF that is cut short is shown as far as it goes, and marked incomplete`() throws {
        let gif = GIFBuilder(width: 300, height: 200, frames: [.init(width: 300, height: 200, colour: 1)]).bytes
        #expect(try tile(gif).metadata.isIncomplete == false)
        let cut = try tile(Array(gif.prefix(gif.count / 2)))
        #expect(cut.metadata.isIncomplete == true && cut.metadata.width == 300)
        let shown = try Pixels.decoding(cut.bytes)
        #expect(shown.quarterNames.hasPrefix("BB") && shown.quarterNames != "BBBB")
        // The trailer.
        #expect(try tile(Array(gif.dropLast())).metadata.isIncomplete == false)
        // Before the pixels begin.
        for count in [20, 30] {
            let error = #expect(throws: RenderError.self) { try tile(Array(gif.prefix(count))) }
            #expect(error?.reason == .truncated)
        }
    }

    @Test func `an animated GIF that lacks frames shows its first one, and is marked incomplete`() throws {
        let gif = Sample.gif(frames: 3)
        let cut = try tile(Array(gif.dropLast(4)))
        #expect(cut.metadata.isIncomplete == true)
        #expect(try Pixels.decoding(cut.bytes).quarterNames == "RRRR")
    }

    @Test func `around a first frame that is smaller than its canvas nothing is drawn`() throws {
        let small = GIFBuilder.Frame(left: 100, top: 50, width: 100, height: 100, colour: 1)
        let gif = GIFBuilder(width: 300, height: 200, frames: [small]).bytes
        let webp = try tile(gif, as: .webp)
        #expect((webp.width, webp.height) == (300, 200))
        // On grey, which stands for clear in a JPEG.
        let shown = try Pixels.decoding(tile(webp.bytes).bytes)
        func pixel(_ x: Int, _ y: Int) -> [UInt8] {
            let start = (y * shown.width + x) * 3
            return Array(shown.bytes[start..<start + 3])
        }
        for (x, y) in [(10, 10), (290, 190), (90, 100), (150, 160)] {
            #expect(pixel(x, y).allSatisfy { (116...140).contains($0) }, "\(pixel(x, y))")
        }
        #expect(pixel(150, 100)[2] > 180 && pixel(150, 100)[0] < 80)
        // Outside of the canvas, as well.
        let outside = GIFBuilder.Frame(left: 900, top: 900, width: 10, height: 10, colour: 1)
        _ = try? tile(GIFBuilder(width: 30, height: 20, frames: [outside]).bytes)
    }

    // MARK: - WebP

    @Test(arguments: [nil, UInt8(255), 128])
    func `a WebP that is cut short is shown as far as it goes, and marked incomplete`(alpha: UInt8?) throws {
        let noisy = Noise.pixels(width: 300, height: 200, alpha: alpha)
        let webp = try noisy.encoded(as: .webp)
        #expect(try tile(webp).metadata.isIncomplete == false)
        let cut = Array(webp.prefix(webp.count * 3 / 4))
        let made = try tile(cut)
        #expect(made.metadata.isIncomplete == true)
        #expect((made.metadata.width, made.metadata.height) == (300, 200))
        let (whole, part) = (try Pixels.decoding(tile(webp).bytes), try Pixels.decoding(made.bytes))
        // The upper rows are as they would be; the last ones are the grey of what is clear.
        let rows = 3 * 300 * 60
        let difference = zip(whole.bytes.prefix(rows), part.bytes.prefix(rows)).reduce(0) {
            $0 + abs(Int($1.0) - Int($1.1))
        }
        #expect(difference / rows < 12)
        #expect(part.bytes.suffix(300 * 3).allSatisfy { (110...146).contains($0) })
    }

    @Test func `an animated WebP that is cut short shows as much of its first frame as exists`() throws {
        let frame = try Noise.pixels(width: 120, height: 80).encoded(as: .webp).dropFirst(12)
        func little(_ value: Int, _ count: Int) -> [UInt8] { (0..<count).map { UInt8(value >> (8 * $0) & 255) } }
        func chunk(_ name: String, _ content: [UInt8]) -> [UInt8] {
            Array(name.utf8) + little(content.count, 4) + content + (content.count % 2 == 1 ? [0] : [])
        }
        let place = little(10, 3) + little(20, 3) + little(119, 3) + little(79, 3) + little(40, 3) + [0]
        let chunks =
            chunk("VP8X", [2, 0, 0, 0] + little(199, 3) + little(149, 3)) + chunk("ANIM", [0, 0, 0, 0, 0, 0])
            + chunk("ANMF", place + frame) + chunk("ANMF", place + frame)
        let webp = Array("RIFF".utf8) + little(chunks.count + 4, 4) + Array("WEBP".utf8) + chunks
        #expect(try tile(webp).metadata.frames == 2)
        for missing in [10, frame.count + 40, frame.count + frame.count / 3] {
            let made = try tile(Array(webp.dropLast(missing)), as: .webp)
            #expect((made.width, made.height) == (200, 150) && made.metadata.isIncomplete == true)
            let shown = try Pixels.decoding(tile(made.bytes).bytes)
            // Clear around the frame, and not in its first rows.
            #expect(shown.bytes.prefix(200 * 3 * 30).allSatisfy { (110...146).contains($0) })
            let row = shown.bytes[(50 * 200 + 30) * 3..<(50 * 200 + 110) * 3]
            #expect(row.contains { !(100...156).contains($0) })
        }
    }

    @Test func `a WebP without any pixels is refused`() throws {
        let webp = try pixels.encoded(as: .webp)
        for count in [14, 20, 25, 30, 34] {
            let error = #expect(throws: RenderError.self) { try tile(Array(webp.prefix(count))) }
            #expect(error?.isPermanent == true, "\(count)")
        }
    }
}

/// Pixels without regularity, so that their encoding grows with their number.
private enum Noise {
    static func pixels(width: Int, height: Int, alpha: UInt8? = nil) -> Pixels {
        var state: UInt64 = 0x9e37_79b9_7f4a_7c15
        var bytes: [UInt8] = []
        for index in 0..<width * height * (alpha == nil ? 3 : 4) {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            bytes.append(alpha != nil && index % 4 == 3 ? alpha! : UInt8(truncatingIfNeeded: state))
        }
        return Pixels(width: width, height: height, hasAlpha: alpha != nil, bytes: bytes)!
    }
}

/// Builds GIFs of frames that have one colour each: 0 is red, 1 is blue.
private struct GIFBuilder {
    struct Frame {
        var left = 0
        var top = 0
        var width: Int
        var height: Int
        var colour: UInt8
    }

    let width: Int
    let height: Int
    let frames: [Frame]

    var bytes: [UInt8] {
        func number(_ value: Int) -> [UInt8] { Sample.little16(UInt16(value)) }
        var bytes = Array("GIF89a".utf8) + number(width) + number(height) + [0x80, 0, 0] + Sample.red + Sample.blue
        for frame in frames {
            bytes +=
                [0x2c] + number(frame.left) + number(frame.top) + number(frame.width) + number(frame.height) + [0, 7]
            // Codes of eight bits: 128 clears the table, and 129 ends. With a clear code after each hundred pixels, codes
            // never become longer.
            var codes: [UInt8] = []
            for pixel in 0..<frame.width * frame.height {
                if pixel % 100 == 0 { codes.append(128) }
                codes.append(frame.colour)
            }
            codes.append(129)
            for start in stride(from: 0, to: codes.count, by: 200) {
                let block = codes[start..<min(start + 200, codes.count)]
                bytes += [UInt8(block.count)] + block
            }
            bytes.append(0)
        }
        return bytes + [0x3b]
    }
}
