import Images
import Renditions

/// A larger rendition that is kept, in place of its original: to make a smaller one of it costs a hundredth of decoding
/// what a camera wrote.
struct StandIn: Sendable {
    let descriptor: OwnedDescriptor
    /// The original's file ends before its picture does.
    let isIncomplete: Bool

    /// Of less than so many times the pixels on the longer side, what the first encoding lost would be seen in the second.
    static let leastReduction = 2

    /// - Throws: `DescriptorError` where there is no memory for it.
    init(_ kept: RenditionBytes, in file: OwnedDescriptor) throws(DescriptorError) {
        try file.write(kept.bytes[...], at: 0)
        descriptor = try file.forReading()
        isIncomplete = kept.isIncomplete
    }
}

extension LoadStages {
    /// What is kept of this content that has pixels enough, the smallest of it; nil where nothing has. Blocks.
    func standIn(for request: LoadRequest, version: ContentVersion) -> StandIn? {
        // Of a picture of which nothing is known yet something is to be learnt.
        guard request.image.version == version, request.image.facts.mediaType != nil,
            let needed = request.rendition.longestSide.map({ $0 * StandIn.leastReduction })
        else { return nil }
        // Where a JPEG is wanted, what was clear has a ground; elsewhere it has none.
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
                return try? StandIn(kept, in: originals.makeInMemory())
            }
        }
        return nil
    }
}
