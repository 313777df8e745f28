import Images
import Renditions

/// Under which names a rendition may be kept. Of a picture that is smaller than what is asked for, that is the name of the
/// smallest step that holds all its pixels: it is made once and kept once, however many larger steps are asked for.
struct KeptNames: Sendable {
    private let asked: Rendition
    private let image: ImageID
    private let format: OutputFormat
    /// Nil where the picture's size is not known: then it is seen of what is kept whether it has all its pixels.
    private let known: Rendition?

    init(of asked: Rendition, image: ImageID, format: OutputFormat, longestSide: Int? = nil) {
        self.asked = asked
        self.image = image
        self.format = format
        known = longestSide.map(asked.kept)
    }

    /// What the image's facts are of is the content of this version alone.
    init(of request: LoadRequest, version: ContentVersion?) {
        let facts = version == request.image.version ? request.image.facts : ImageFacts()
        self.init(
            of: request.rendition, image: request.image.id, format: request.format, longestSide: facts.longestSide)
    }

    /// The only one, where the picture's size is known.
    var likely: TileKey { key(known ?? asked) }

    /// The first that is found counts.
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
    /// The name of something that was made as this rendition.
    init(of tile: RenditionBytes, as rendition: Rendition, image: ImageID, format: OutputFormat) {
        self.init(image: image, rendition: rendition.kept(ofLongestSide: tile.longestSide), format: format)
    }
}

extension RenditionBytes {
    /// Pixels.
    var longestSide: Int { max(width, height) }
}
