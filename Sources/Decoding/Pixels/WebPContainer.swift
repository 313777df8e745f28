/// The RIFF container of a WebP image (RFC 9649 §2), as far as needed to remove metadata.
enum WebPContainer {
    /// The file with only the image itself. libvips 8.14.1 writes an EXIF block into each file, wanted or not: about
    /// 200 bytes, compared to 700 for a whole preview. A file that is not understood is returned unchanged.
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
        // Only a lossy image with alpha needs the extended format. Its only flag is then that of alpha.
        if hasAlphaChunk, var extended, extended.count >= 18 {
            extended[8] = 0x10
            kept = extended + kept
        }
        let size = UInt32(4 + kept.count)
        return Array("RIFF".utf8) + (0..<4).map { UInt8(truncatingIfNeeded: size >> (8 * $0)) } + Array("WEBP".utf8)
            + kept
    }
}
