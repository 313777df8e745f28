/// Whether a file's first bytes are those of a picture that the gallery may be able to show. A cheap look that decides
/// only whether a file without an image's name gets a slot; what it really is, the renderer says.
enum ImageSignature {
    /// How many of the first bytes are looked at.
    static let length = 512

    static func matches(_ head: some Collection<UInt8>) -> Bool {
        let bytes = Array(head.prefix(length))
        func has(_ signature: String, at offset: Int = 0) -> Bool {
            bytes.dropFirst(offset).starts(
                with: signature.unicodeScalars.lazy.map { UInt8(truncatingIfNeeded: $0.value) })
        }
        return has("\u{ff}\u{d8}\u{ff}")  // JPEG
            || has("\u{89}PNG\r\n\u{1a}\n") || has("GIF87a") || has("GIF89a")
            || has("RIFF") && has("WEBP", at: 8)
            || has("ftyp", at: 4) && stillBrands.contains { has($0, at: 8) }
            || has("II*\0") || has("MM\0*") || has("II+\0") || has("MM\0+")  // TIFF and BigTIFF
            || has("\u{ff}\u{0a}") || has("\0\0\0\u{0c}JXL \r\n\u{87}\n")  // JPEG XL: bare, and in a box
            || isSVG(bytes)
    }

    /// The major brands of pictures in ISO base media files: AVIF, and HEIF with HEVC or without a say.
    private static let stillBrands = [
        "avif", "avis", "heic", "heix", "heim", "heis", "hevc", "hevx", "mif1", "msf1",
    ]

    /// An XML text whose first element, as far as the head reaches, is `svg`.
    private static func isSVG(_ bytes: [UInt8]) -> Bool {
        var text = Substring(String(decoding: bytes, as: UTF8.self))
        if text.first == "\u{feff}" { text = text.dropFirst() }
        while true {
            text = text.drop(while: \.isWhitespace)
            if text.hasPrefix("<?") || text.hasPrefix("<!") {
                let end = text.hasPrefix("<!--") ? "-->" : ">"
                guard let close = text.firstRange(of: end) else { return false }
                text = text[close.upperBound...]
            } else {
                return text.hasPrefix("<svg")
            }
        }
    }
}
