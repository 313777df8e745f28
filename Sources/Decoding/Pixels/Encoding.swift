import CVips
import Images
import Renditions

/// How well each format is encoded.
struct Encoding: Equatable {
    let format: OutputFormat
    /// 1 to 100, on the format's own scale.
    let quality: Int
    /// How hard the encoder tries to save bytes, 0 to 6, where the format has such a choice.
    let effort: Int

    init(_ format: OutputFormat, for rendition: Rendition) {
        self.format = format
        effort =
            switch (format, rendition) {
            // Hundreds a second go over the wire while a gallery is scrolled fast, and a millisecond each is little. It
            // and the quality, which nobody sees where a preview stands for a moment and enlarged, save a third.
            case (.webp, .preview): 6
            case (.webp, _): 2
            // Some 9 ms for a seventh of the bytes, where a grid is made of them. Of larger ones it is 30 ms and more.
            case (.avif, .step160), (.avif, .tile): 1
            case (.avif, _), (.jpeg, _): 0
            }
        quality =
            switch (format, rendition) {
            case (.jpeg, .preview): 50
            case (.jpeg, _): 80
            case (.webp, .preview): 35
            case (.webp, _): 75
            case (.avif, .preview): 40
            // As good as 50 without that effort (`Scripts/bench bytes`).
            case (.avif, .step160), (.avif, .tile): 47
            case (.avif, _): 50
            }
    }

    init(_ format: OutputFormat, quality: Int) {
        self.format = format
        self.quality = min(max(quality, 1), 100)
        effort = 0
    }

    /// A picture in memory as a file without metadata.
    ///
    /// - Parameter background: What shows through where the format has no transparency: 0xRRGGBB.
    /// - Throws: `DecoderFailure` if libvips cannot do it.
    func encode(_ picture: Picture, background: UInt32) throws(DecoderFailure) -> [UInt8] {
        let opaque = format == .jpeg && picture.hasAlpha ? try picture.flattened(over: background) : picture
        var bytes: UnsafeMutableRawPointer?
        var count = 0
        let status =
            switch format {
            case .jpeg: cvips_jpegsave(opaque.handle, &bytes, &count, Int32(quality))
            case .webp: cvips_webpsave(opaque.handle, &bytes, &count, Int32(quality), Int32(effort))
            case .avif: cvips_avifsave(opaque.handle, &bytes, &count, Int32(quality), Int32(effort))
            }
        defer { g_free(bytes) }
        guard status == 0, let bytes else { throw DecoderFailure() }
        let file = Array(UnsafeRawBufferPointer(start: bytes, count: count))
        return format == .webp ? WebPContainer.withoutMetadata(file) : file
    }
}
