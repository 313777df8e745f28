import Images
import Renditions

/// The names a rendition may be stored under. For an image smaller than the requested step, the name is that of the
/// smallest step that holds all its pixels: it is made and stored once, however many larger steps are requested.
struct TileKeyCandidates: Sendable {
    private let asked: Rendition
    private let image: ImageID
    private let format: OutputFormat
    /// The step under which the rendition is stored. Nil while the image's size is unknown; then each stored tile is
    /// checked for having all pixels.
    private let known: Rendition?

    init(of asked: Rendition, image: ImageID, format: OutputFormat, longestSide: Int? = nil) {
        self.asked = asked
        self.image = image
        self.format = format
        known = longestSide.map(asked.kept)
    }

    /// The image's metadata only applies to this version of its content.
    init(of request: LoadRequest, version: ContentVersion?) {
        let metadata = version == request.image.version ? request.image.metadata : ImageMetadata()
        self.init(
            of: request.rendition, image: request.image.id, format: request.format, longestSide: metadata.longestSide)
    }

    /// The only name if the image's size is known, otherwise the first to try.
    var likely: TileKey { key(known ?? asked) }

    /// The first rendition that `find` returns.
    func first(_ find: (TileKey) -> RenditionBytes?) -> RenditionBytes? {
        if let known { return find(key(known)) }
        if let found = find(key(asked)) { return found }
        guard let step = Rendition.steps.firstIndex(of: asked) else { return nil }
        for smaller in Rendition.steps[..<step].reversed() {
            if let found = find(key(smaller)), let side = smaller.longestSide, found.longestSide < side { return found }
        }
        return nil
    }

    private func key(_ rendition: Rendition) -> TileKey {
        TileKey(image: image, rendition: rendition, format: format)
    }
}

extension TileKey {
    /// The name under which a finished rendition is stored.
    init(of tile: RenditionBytes, as rendition: Rendition, image: ImageID, format: OutputFormat) {
        self.init(image: image, rendition: rendition.kept(ofLongestSide: tile.longestSide), format: format)
    }
}

extension RenditionBytes {
    /// Pixels.
    var longestSide: Int { max(width, height) }
}
