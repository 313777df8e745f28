import Images
import Renditions

/// A larger cached rendition that is used instead of the original, because downscaling it costs about a hundredth of
/// decoding a camera's original.
struct RenditionSource: Sendable {
    let descriptor: OwnedDescriptor
    /// Whether the original is truncated, so that part of the image is missing.
    let isIncomplete: Bool

    /// The minimum ratio of the longer sides. Below it, compression artefacts of the larger rendition would be visible.
    static let leastReduction = 2

    /// - Throws: `DescriptorError` when there is no memory for the file.
    init(_ kept: RenditionBytes, in file: OwnedDescriptor) throws(DescriptorError) {
        try file.write(kept.bytes[...], at: 0)
        descriptor = try file.forReading()
        isIncomplete = kept.isIncomplete
    }
}

extension LoadStages {
    /// The smallest cached rendition of this content with enough pixels; nil if there is none. Blocks.
    func renditionSource(for request: LoadRequest, version: ContentVersion) -> RenditionSource? {
        // While the metadata is unknown, the original must be decoded to read it.
        guard request.image.version == version, request.image.metadata.mediaType != nil,
            let needed = request.rendition.longestSide.map({ $0 * RenditionSource.leastReduction })
        else { return nil }
        // In JPEG renditions a background fills the transparent areas, so they can only be the source of other JPEGs.
        let formats: [OutputFormat] = request.format == .jpeg ? [.webp, .jpeg, .avif] : [.webp, .avif]
        let onDisk = tiles.kinds(of: request.image.id, version: version)
        for step in Rendition.steps {
            guard let side = step.longestSide, side >= needed else { continue }
            for format in formats {
                let key = TileKey(image: request.image.id, rendition: step, format: format)
                let kept =
                    memory.rendition(key, version: version)
                    ?? (onDisk.contains(key.kind) ? tiles.rendition(key, version: version) : nil)
                guard let kept, kept.longestSide >= needed else { continue }
                return try? RenditionSource(kept, in: originals.makeInMemory())
            }
        }
        return nil
    }
}
