import CVips
import Images
import Renditions

/// The quality and effort of encoding, for each format and rendition.
struct Encoding: Equatable {
    let format: OutputFormat
    /// 1 to 100, on the format's own scale.
    let quality: Int
    /// How hard the encoder tries to save bytes, 0 to 6, for formats that offer the choice.
    let effort: Int

    init(_ format: OutputFormat, for rendition: Rendition) {
        self.format = format
        // The sizes that grids mostly show.
        let isForGrids = rendition.longestSide.map { $0 <= 320 } ?? false
        effort =
            switch (format, rendition) {
            // Hundreds per second are sent during fast scrolling, and each takes only a millisecond. This and the low
            // quality, which is invisible in a preview that is shown enlarged for a moment, save a third of the bytes.
            case (.webp, .preview): 6
            case (.webp, _): 2
            // About 9 ms for a seventh of the bytes of what a grid shows. Larger renditions would take 30 ms and more.
            case (.avif, _) where isForGrids && rendition != .preview: 1
            case (.avif, _), (.jpeg, _): 0
            }
        quality =
            switch (format, rendition) {
            case (.jpeg, .preview): 50
            case (.jpeg, _): 80
            case (.webp, .preview): 35
            case (.webp, _): 75
            case (.avif, .preview): 40
            // As good as 50 without the effort (`Scripts/bench bytes`).
            case (.avif, _) where isForGrids: 47
            case (.avif, _): 50
            }
    }

    init(_ format: OutputFormat, quality: Int) {
        self.format = format
        self.quality = min(max(quality, 1), 100)
        effort = 0
    }

    /// Encodes an image in memory to a file without metadata.
    ///
    /// - Parameter background: The colour behind transparent pixels if the format has no transparency: 0xRRGGBB.
    /// - Throws: `DecoderFailure` if libvips fails.
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
        guard status == 0, let bytes else { throw DecoderFailure(DecoderLibrary.takeErrorText(), .output) }
        let file = Array(UnsafeRawBufferPointer(start: bytes, count: count))
        return format == .webp ? WebPContainer.withoutMetadata(file) : file
    }
}
