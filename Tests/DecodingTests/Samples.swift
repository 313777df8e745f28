import CVips
import Images
import Renditions
import Testing

@testable import Decoding

/// Images that the tests create themselves.
enum Sample {
    static let red: [UInt8] = [220, 20, 20]
    static let green: [UInt8] = [20, 200, 20]
    static let blue: [UInt8] = [20, 20, 220]
    static let white: [UInt8] = [240, 240, 240]

    /// Four quarters: red and green above blue and white.
    static func quarters(width: Int, height: Int, alpha: UInt8? = nil) -> Pixels {
        var bytes: [UInt8] = []
        for y in 0..<height {
            for x in 0..<width {
                bytes += y < height / 2 ? (x < width / 2 ? red : green) : (x < width / 2 ? blue : white)
                if let alpha { bytes.append(alpha) }
            }
        }
        return Pixels(width: width, height: height, hasAlpha: alpha != nil, bytes: bytes)!
    }

    static func jpeg(width: Int, height: Int, exif: [UInt8]? = nil) throws -> [UInt8] {
        let plain = try quarters(width: width, height: height).encoded(as: .jpeg, quality: 90)
        guard let exif else { return plain }
        return adding([(0xe1, Array("Exif\0\0".utf8) + exif)], to: plain)
    }

    /// A JPEG with these segments in front of its own.
    static func adding(_ segments: [(marker: UInt8, content: [UInt8])], to jpeg: [UInt8]) -> [UInt8] {
        let added: [[UInt8]] = segments.map { segment in
            [0xff, segment.marker] + big16(segment.content.count + 2) + segment.content
        }
        return Array(jpeg.prefix(2)) + Array(added.joined()) + jpeg.dropFirst(2)
    }

    /// An XMP segment as in a JPEG.
    static func xmpSegment(_ packet: String) -> (marker: UInt8, content: [UInt8]) {
        (0xe1, Array("http://ns.adobe.com/xap/1.0/\0".utf8) + Array(packet.utf8))
    }

    /// Data sets of IIM's application record as in a JPEG, among Photoshop's image resources.
    static func iptcSegment(_ dataSets: [(number: UInt8, value: String)]) -> (marker: UInt8, content: [UInt8]) {
        let iptc = iptc(dataSets)
        let other = Array("8BIM".utf8) + [0x03, 0xed, 3] + Array("abc".utf8) + big32(3) + [1, 2, 3, 0]
        let own = Array("8BIM".utf8) + [0x04, 0x04, 0, 0] + big32(UInt32(iptc.count)) + iptc
        return (0xed, Array("Photoshop 3.0\0".utf8) + other + own)
    }

    static func iptc(_ dataSets: [(number: UInt8, value: String)]) -> [UInt8] {
        let sets: [[UInt8]] = dataSets.map { set in
            [0x1c, 2, set.number] + big16(set.value.utf8.count) + Array(set.value.utf8)
        }
        return Array(sets.joined())
    }

    /// An XMP packet with one description that has these attributes and children.
    static func xmp(_ attributes: String = "", _ children: String = "") -> String {
        """
        <?xpacket begin="\u{feff}" id="W5M0MpCehiHzreSzNTczkc9d"?><x:xmpmeta xmlns:x="adobe:ns:meta/">
        <!-- xmp:Rating="1" --><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
        <rdf:Description rdf:about="" \(attributes) xmlns:xmp="http://ns.adobe.com/xap/1.0/"
        xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:photoshop="http://ns.adobe.com/photoshop/1.0/"
        xmlns:exif="http://ns.adobe.com/exif/1.0/"
        xmlns:Iptc4xmpCore="http://iptc.org/std/Iptc4xmpCore/1.0/xmlns/">\(children)</rdf:Description>
        </rdf:RDF></x:xmpmeta><?xpacket end="w"?>
        """
    }

    /// A PNG of plain RGB or RGBA with uncompressed data.
    static func png(_ pixels: Pixels) -> [UInt8] {
        var raw: [UInt8] = []
        let rowLength = pixels.width * pixels.channels
        for row in 0..<pixels.height {
            raw.append(0)
            raw += pixels.bytes[row * rowLength..<(row + 1) * rowLength]
        }
        var data: [UInt8] = [0x78, 0x01]
        for start in stride(from: 0, to: raw.count, by: 65_535) {
            let block = raw[start..<min(start + 65_535, raw.count)]
            let length = UInt16(block.count)
            data.append(start + 65_535 >= raw.count ? 1 : 0)
            data += [UInt8(length & 0xff), UInt8(length >> 8), UInt8(~length & 0xff), UInt8(~length >> 8)] + block
        }
        var (low, high): (UInt32, UInt32) = (1, 0)
        for byte in raw {
            low = (low + UInt32(byte)) % 65_521
            high = (high + low) % 65_521
        }
        data += big32(high << 16 | low)
        return pngHeader(width: pixels.width, height: pixels.height, colourType: pixels.hasAlpha ? 6 : 2)
            + chunk("IDAT", data) + chunk("IEND", [])
    }

    static func pngHeader(width: Int, height: Int, colourType: UInt8) -> [UInt8] {
        [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]
            + chunk("IHDR", big32(UInt32(width)) + big32(UInt32(height)) + [8, colourType, 0, 0, 0])
    }

    static func chunk(_ name: String, _ data: [UInt8]) -> [UInt8] {
        var checksum: UInt32 = 0xffff_ffff
        for byte in Array(name.utf8) + data {
            checksum ^= UInt32(byte)
            for _ in 0..<8 { checksum = checksum & 1 == 1 ? checksum >> 1 ^ 0xedb8_8320 : checksum >> 1 }
        }
        return big32(UInt32(data.count)) + Array(name.utf8) + data + big32(~checksum)
    }

    /// A box of the ISO base media file format.
    static func box(_ name: String, _ content: [UInt8]) -> [UInt8] {
        big32(UInt32(8 + content.count)) + Array(name.utf8) + content
    }

    /// A GIF whose frames are single red or blue pixels, the first one red.
    static func gif(frames: Int) -> [UInt8] {
        var bytes = Array("GIF89a".utf8) + [1, 0, 1, 0, 0x80, 0, 0] + red + blue
        for frame in 0..<frames {
            // Codes of two bits and more: clear, the pixel, end.
            let pixel: UInt8 = frame == 0 ? 0x44 : 0x4c
            bytes += [0x21, 0xf9, 4, 0, 1, 0, 0, 0] + [0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0] + [2, 2, pixel, 0x01, 0]
        }
        return bytes + [0x3b]
    }

    /// An uncompressed TIFF.
    static func tiff(_ pixels: Pixels) -> [UInt8] {
        let entries: [(UInt16, UInt16, UInt32, UInt32)] = [
            (256, 4, 1, UInt32(pixels.width)), (257, 4, 1, UInt32(pixels.height)), (258, 3, 1, 8), (259, 3, 1, 1),
            (262, 3, 1, 2), (273, 4, 1, 8), (277, 3, 1, 3), (278, 4, 1, UInt32(pixels.height)),
            (279, 4, 1, UInt32(pixels.bytes.count)),
        ]
        // Red, green and blue with eight bits each: the three counts follow the directory.
        let directory = 8 + pixels.bytes.count
        let counts = directory + 2 + 12 * entries.count + 4
        var bytes =
            [0x49, 0x49, 0x2a, 0] + little32(UInt32(directory)) + pixels.bytes + little16(UInt16(entries.count))
        for (tag, type, count, value) in entries {
            bytes += little16(tag) + little16(type)
            bytes += tag == 258 ? little32(3) + little32(UInt32(counts)) : little32(count) + little32(value)
        }
        return bytes + little32(0) + [8, 0, 8, 0, 8, 0]
    }

    static func big16(_ value: Int) -> [UInt8] { [UInt8(value >> 8), UInt8(value & 0xff)] }
    static func big32(_ value: UInt32) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) } }
    static func little16(_ value: UInt16) -> [UInt8] { [UInt8(value & 0xff), UInt8(value >> 8)] }
    static func little32(_ value: UInt32) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }
}

/// Shorthands for the most frequent calls: one rendition, or reading the header.
extension Renderer {
    struct Made {
        let answer: RenderResult
        let rendered: Rendered

        var bytes: [UInt8] { rendered.bytes }
        var width: Int { rendered.width }
        var height: Int { rendered.height }
        var mediaType: String { rendered.mediaType }
        var metadata: ImageMetadata { answer.metadata }
    }

    func render(
        _ source: RenderSource, as rendition: Rendition, format: OutputFormat, stop: RenderStop
    ) throws(RenderError) -> Made {
        let answer = try render(source, as: [rendition: format], stop: stop)
        guard let rendered = answer.renditions[rendition] else { throw RenderError(.failed, "It is not there.") }
        return Made(answer: answer, rendered: rendered)
    }

    func render(
        _ source: RenderSource, as wanted: [Rendition: OutputFormat], stop: RenderStop
    ) throws(RenderError) -> RenderResult {
        guard case .made(let answer) = try perform(.make(wanted), on: source, stop: stop) else {
            throw RenderError(.failed, "It is heavy.")
        }
        return answer
    }

    func inspect(_ source: RenderSource) throws(RenderError) -> InspectedOriginal {
        let stop = RenderStop()
        return try InspectedOriginal(IdentifiedOriginal(source, limits: limits, stop: stop), limits: limits, stop: stop)
    }
}

extension Pixels {
    /// Decodes a JPEG made by the renderer.
    static func decoding(_ jpeg: [UInt8]) throws -> Pixels {
        let picture = try jpeg.withUnsafeBytes { buffer in
            var opened: UnsafeMutablePointer<VipsImage>?
            let status = cvips_jpegload_buffer(buffer.baseAddress, buffer.count, &opened, VIPS_FAIL_ON_ERROR)
            return try Picture.checked(status, opened).inMemory(stop: RenderStop())
        }
        return try #require(Pixels(shrinking: picture, to: .max))
    }

    /// The sample colour in the middle of each quarter, from the upper left, row by row: "RGBW".
    var quarterNames: String {
        [(1, 1), (3, 1), (1, 3), (3, 3)].map { x, y in
            let start = (y * height / 4 * width + x * width / 4) * channels
            let (red, green, blue) = (bytes[start], bytes[start + 1], bytes[start + 2])
            return switch (red > 128, green > 128, blue > 128) {
            case (true, true, true): "W"
            case (true, false, false): "R"
            case (false, true, false): "G"
            case (false, false, true): "B"
            default: "?"
            }
        }.joined()
    }
}

/// Builds a TIFF structure as cameras write it, entry by entry.
struct ExifBuilder {
    var main: [(tag: UInt16, type: UInt16, count: UInt32, value: [UInt8])] = []
    var exposure: [(tag: UInt16, type: UInt16, count: UInt32, value: [UInt8])] = []
    var position: [(tag: UInt16, type: UInt16, count: UInt32, value: [UInt8])] = []
    var thumbnail: [UInt8] = []

    static func text(_ tag: UInt16, _ text: String) -> (UInt16, UInt16, UInt32, [UInt8]) {
        (tag, 2, UInt32(text.utf8.count + 1), Array(text.utf8) + [0])
    }

    static func short(_ tag: UInt16, _ value: UInt16) -> (UInt16, UInt16, UInt32, [UInt8]) {
        (tag, 3, 1, Sample.little16(value))
    }

    static func byte(_ tag: UInt16, _ value: UInt8) -> (UInt16, UInt16, UInt32, [UInt8]) { (tag, 1, 1, [value]) }

    static func fractions(_ tag: UInt16, _ values: [(UInt32, UInt32)]) -> (UInt16, UInt16, UInt32, [UInt8]) {
        (tag, 5, UInt32(values.count), values.flatMap { Sample.little32($0) + Sample.little32($1) })
    }

    var bytes: [UInt8] {
        var out: [UInt8] = [0x49, 0x49, 0x2a, 0, 8, 0, 0, 0]
        var all = main
        // Each directory is followed by its long values, so its length is known before it is written.
        func length(_ entries: [(tag: UInt16, type: UInt16, count: UInt32, value: [UInt8])]) -> Int {
            2 + 12 * entries.count + 4 + entries.reduce(0) { $0 + ($1.value.count > 4 ? $1.value.count : 0) }
        }
        let pointers = (exposure.isEmpty ? 0 : 1) + (position.isEmpty ? 0 : 1)
        let exposureStart = 8 + length(main) + 12 * pointers
        let positionStart = exposureStart + (exposure.isEmpty ? 0 : length(exposure))
        let secondStart = positionStart + (position.isEmpty ? 0 : length(position))
        if !exposure.isEmpty { all.append((0x8769, 4, 1, Sample.little32(UInt32(exposureStart)))) }
        if !position.isEmpty { all.append((0x8825, 4, 1, Sample.little32(UInt32(positionStart)))) }
        func write(_ entries: [(tag: UInt16, type: UInt16, count: UInt32, value: [UInt8])], next: UInt32) {
            var values: [UInt8] = []
            let valuesStart = out.count + 2 + 12 * entries.count + 4
            out += Sample.little16(UInt16(entries.count))
            for entry in entries {
                out += Sample.little16(entry.tag) + Sample.little16(entry.type) + Sample.little32(entry.count)
                if entry.value.count > 4 {
                    out += Sample.little32(UInt32(valuesStart + values.count))
                    values += entry.value
                } else {
                    out += entry.value + Array(repeating: 0, count: 4 - entry.value.count)
                }
            }
            out += Sample.little32(next) + values
        }
        write(all, next: thumbnail.isEmpty ? 0 : UInt32(secondStart))
        if !exposure.isEmpty { write(exposure, next: 0) }
        if !position.isEmpty { write(position, next: 0) }
        if !thumbnail.isEmpty {
            let start = UInt32(secondStart + 2 + 12 * 2 + 4)
            write(
                [
                    (0x0201, 4, 1, Sample.little32(start)),
                    (0x0202, 4, 1, Sample.little32(UInt32(thumbnail.count))),
                ], next: 0)
            out += thumbnail
        }
        return out
    }
}
