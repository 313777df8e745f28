import Catalog
import Images

/// The pixels that the slots of a viewport need, and which renditions of an image follow from that.
struct PixelNeed: Hashable, Sendable {
    /// Length of `side` in device pixels; nil if the client does not say.
    var pixels: Int?
    /// Nil for a client that supports only previews and tiles.
    var side: Viewport.Side?
    /// Height of a box, in device pixels.
    var height: Int?
    /// The client saves data: it gets nothing larger than a tile, however many pixels its screen has.
    var savesData = false

    init(of viewport: Viewport?) {
        pixels = viewport?.pixels
        side = viewport?.side
        height = viewport?.height
        savesData = viewport?.savesData ?? false
    }

    /// The renditions that a slot needs of an image with this metadata.
    func renditions(of metadata: ImageMetadata) -> NeededRenditions {
        guard let pixels, let preview = Rendition.preview.longestSide else { return NeededRenditions(tile: .tile) }
        guard side != nil else { return NeededRenditions(tile: pixels > preview ? .tile : nil) }
        // No picture can show more pixels than it has.
        let needed = min(longerSide(pixels, metadata), metadata.longestSide ?? .max)
        // A preview is never the final rendition: it is made to be replaced, even if the image is no larger than that.
        let step = StreamRendition.steps.first { $0.longestSide >= needed } ?? .largest
        guard step.longestSide > StreamRendition.tile.longestSide else { return NeededRenditions(tile: step) }
        return NeededRenditions(tile: .tile, fine: savesData ? nil : step)
    }

    /// Device pixels of the image's longer side.
    private func longerSide(_ pixels: Int, _ metadata: ImageMetadata) -> Int {
        var ratio = AspectRatio.assumed
        if let width = metadata.width, let height = metadata.height, width > 0, height > 0 {
            ratio = Double(width) / Double(height)
        }
        let share =
            switch side {
            case .longer, nil: 1.0
            case .shorter: max(ratio, 1 / ratio)
            case .height: max(ratio, 1)
            case .box: min(1, Double(height ?? pixels) * ratio / Double(pixels)) * max(1, 1 / ratio)
            }
        // Rounding errors just above a whole number must not round up to the next one.
        return Int((Double(pixels) * share - 1e-6).rounded(.up))
    }
}

/// The renditions that one slot needs, apart from its preview.
struct NeededRenditions: Hashable, Sendable {
    /// A tile or a smaller step; nil if the preview has enough pixels.
    var tile: StreamRendition?
    /// A rendition larger than a tile, if the slot needs one.
    var fine: StreamRendition?

    /// The largest rendition that the slot needs.
    var largest: StreamRendition { fine ?? tile ?? .preview }
}

/// The purpose of a rendition in its slot, whatever its size.
enum RenditionRole: Sendable {
    case preview
    /// The smaller of the renditions that may stay on screen.
    case tile
    /// The rendition with all the pixels that the slot needs.
    case needed
}
