import Images

/// How many pixels the slots of a viewport need, and which renditions of a picture follow from that.
struct PixelNeed: Hashable, Sendable {
    /// Of the `side`, in device pixels; nil where the client does not say.
    var pixels: Int?
    /// Nil for a client that knows previews and tiles alone.
    var side: Viewport.Side?
    /// Of a box, from top to bottom, in device pixels.
    var height: Int?
    /// A tile has to do, however many pixels there are on the screen.
    var savesData = false

    /// Of a picture whose proportions are not known: those of most cameras.
    private static let usualRatio = 1.5

    init(of viewport: Viewport?) {
        pixels = viewport?.pixels
        side = viewport?.side
        height = viewport?.height
        savesData = viewport?.savesData ?? false
    }

    /// The renditions that a slot needs for the picture that these facts are of.
    func renditions(of facts: ImageFacts) -> NeededRenditions {
        guard let pixels, let preview = Rendition.preview.longestSide else { return NeededRenditions(tile: .tile) }
        guard side != nil else { return NeededRenditions(tile: pixels > preview ? .tile : nil) }
        // More pixels than it has, no picture can show.
        let needed = min(longerSide(pixels, facts), facts.longestSide ?? .max)
        // A preview is never the last word: it is made to be replaced, even where a small picture has no more pixels.
        let step = StreamRendition.steps.first { $0.longestSide >= needed } ?? .step2560
        guard step.longestSide > StreamRendition.tile.longestSide else { return NeededRenditions(tile: step) }
        return NeededRenditions(tile: .tile, fine: savesData ? nil : step)
    }

    /// Device pixels of the picture's longer side.
    private func longerSide(_ pixels: Int, _ facts: ImageFacts) -> Int {
        var ratio = Self.usualRatio
        if let width = facts.width, let height = facts.height, width > 0, height > 0 {
            ratio = Double(width) / Double(height)
        }
        let share =
            switch side {
            case .longer, nil: 1.0
            case .shorter: max(ratio, 1 / ratio)
            case .height: max(ratio, 1)
            case .box: min(1, Double(height ?? pixels) * ratio / Double(pixels)) * max(1, 1 / ratio)
            }
        // What is a hair more than a whole number is that number.
        return Int((Double(pixels) * share - 1e-6).rounded(.up))
    }
}

/// What is sent for one slot, beside its preview.
struct NeededRenditions: Hashable, Sendable {
    /// A tile, or less; nil where the preview has pixels enough.
    var tile: StreamRendition?
    /// What has more pixels than a tile, where they are needed.
    var fine: StreamRendition?

    /// The largest.
    var largest: StreamRendition { fine ?? tile ?? .preview }
}

/// Which of the renditions of a slot is meant, whatever sizes they have.
enum Grade: Sendable {
    case preview
    /// The smaller of those that stay.
    case tile
    /// The one that has all the pixels that are needed.
    case needed
}
