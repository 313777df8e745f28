/// The RIFF container around a WebP picture (RFC 9649 §2), as far as one needs to take metadata out of it.
enum WebPContainer {
    /// The file with nothing in it but the picture. libvips 8.14.1 writes an EXIF block into each, asked or not: some 200
    /// bytes, where a whole preview has 700. What is not understood is left as it is.
    static func withoutMetadata(_ file: [UInt8]) -> [UInt8] {
        guard file.count > 12, file.starts(with: "RIFF".utf8), file[8..<12].elementsEqual("WEBP".utf8) else {
            return file
        }
        var extended: [UInt8]?
        var kept: [UInt8] = []
        var hasAlphaChunk = false
        var position = 12
        while position + 8 <= file.count {
            let name = String(decoding: file[position..<position + 4], as: UTF8.self)
            let length = file[position + 4..<position + 8].reversed().reduce(0) { $0 << 8 | Int($1) }
            let end = position + 8 + length + length % 2
            guard end <= file.count else { return file }
            let chunk = file[position..<end]
            switch name {
            case "VP8X": extended = Array(chunk)
            case "VP8 ", "VP8L": kept += chunk
            case "ALPH":
                hasAlphaChunk = true
                kept += chunk
            case "ICCP", "EXIF", "XMP ": break
            default: return file
            }
            position = end
        }
        // Only a lossy picture with alpha needs the extended form. Its one flag is then the alpha's.
        if hasAlphaChunk, var extended, extended.count >= 18 {
            extended[8] = 0x10
            kept = extended + kept
        }
        let size = UInt32(4 + kept.count)
        return Array("RIFF".utf8) + (0..<4).map { UInt8(truncatingIfNeeded: size >> (8 * $0)) } + Array("WEBP".utf8)
            + kept
    }
}
