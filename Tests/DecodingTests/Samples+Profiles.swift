import CVips
import Images
import Renditions

@testable import Decoding

/// Colour profiles that the tests make themselves (ICC.1:2001-04, the second version).
extension Sample {
    static func profile(space: String, pcs: String = "XYZ ", tags: [(name: String, content: [UInt8])]) -> [UInt8] {
        var table: [UInt8] = []
        var contents: [UInt8] = []
        let start = 132 + 12 * tags.count
        for tag in tags {
            table += Array(tag.name.utf8) + big32(UInt32(start + contents.count)) + big32(UInt32(tag.content.count))
            contents += tag.content
            contents += Array(repeating: 0, count: (4 - contents.count % 4) % 4)
        }
        var header = big32(UInt32(start + contents.count)) + [0, 0, 0, 0] + big32(0x0200_0000)
        header += Array((space == "CMYK" ? "prtr" : "scnr").utf8) + Array(space.utf8) + Array(pcs.utf8)
        header += [0x07, 0xd0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0] + Array("acsp".utf8) + Array(repeating: 0, count: 28)
        // The white of the connection space, D50.
        header += big32(0xf6d6) + big32(0x10000) + big32(0xd32d)
        header += Array(repeating: 0, count: 128 - header.count)
        return header + big32(UInt32(tags.count)) + table + contents
    }

    /// The gamma of a grey device.
    static let greyProfile = profile(
        space: "GRAY",
        tags: [
            ("wtpt", Array("XYZ \0\0\0\0".utf8) + big32(0xf6d6) + big32(0x10000) + big32(0xd32d)),
            ("kTRC", Array("curv\0\0\0\0".utf8) + big32(1) + big16(0x0233)),
        ])

    /// A profile with nothing but a table from device values to grey, in which one channel alone makes the lightness.
    static func tableProfile(space: String, lightness channel: Int, name: String = "A2B0") -> [UInt8] {
        let channels = space == "CMYK" ? 4 : 3
        var table = Array("mft1\0\0\0\0".utf8) + [UInt8(channels), 3, 2, 0]
        for row in 0..<3 { for column in 0..<3 { table += big32(row == column ? 0x10000 : 0) } }
        for _ in 0..<channels { table += (0...255).map { UInt8($0) } }
        // The first channel varies least rapidly. Lab in bytes: 128 is no colour.
        for corner in 0..<(1 << channels) {
            table += [corner >> (channels - 1 - channel) & 1 == 1 ? 255 : 0, 128, 128]
        }
        for _ in 0..<3 { table += (0...255).map { UInt8($0) } }
        return profile(
            space: space, pcs: "Lab ",
            tags: [
                ("wtpt", Array("XYZ \0\0\0\0".utf8) + big32(0xf6d6) + big32(0x10000) + big32(0xd32d)), (name, table),
            ])
    }

    /// The JPEG with this profile.
    static func adding(profile: [UInt8], to jpeg: [UInt8]) -> [UInt8] {
        adding([(0xe2, Array("ICC_PROFILE\0".utf8) + [1, 1] + profile)], to: jpeg)
    }

    /// A JPEG of one colour in inks.
    static func inkJPEG(_ inks: [UInt8], width: Int = 400, height: Int = 200) throws -> [UInt8] {
        let pixels = Array([[UInt8]](repeating: inks, count: width * height).joined())
        let picture = try Picture(copying: pixels, width: width, height: height, bands: 4).applying {
            cvips_declare($0, &$1, VIPS_INTERPRETATION_CMYK)
        }
        return try Encoding(.jpeg, quality: 95).encodeAsIs(picture)
    }

    /// A PNG with these chunks before its pixels.
    static func png(_ pixels: Pixels, chunks: [(String, [UInt8])]) -> [UInt8] {
        let plain = png(pixels)
        let length = pngHeader(width: pixels.width, height: pixels.height, colourType: 2).count
        return Array(plain.prefix(length)) + chunks.flatMap { chunk($0.0, $0.1) } + plain.dropFirst(length)
    }
}

extension Encoding {
    /// A JPEG in the picture's own colours.
    func encodeAsIs(_ picture: Picture) throws(DecoderFailure) -> [UInt8] {
        var bytes: UnsafeMutableRawPointer?
        var count = 0
        guard cvips_jpegsave(picture.handle, &bytes, &count, Int32(quality)) == 0, let bytes else {
            throw DecoderFailure()
        }
        defer { g_free(bytes) }
        return Array(UnsafeRawBufferPointer(start: bytes, count: count))
    }
}
