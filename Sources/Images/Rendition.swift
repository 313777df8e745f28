/// One encoded size of an image. The raw value is its name on the wire.
public enum Rendition: String, CaseIterable, Hashable, Sendable {
    /// About 64 px on the longer side: shown while the tile is under way.
    case preview
    /// About 320 px on the longer side: what the grid shows.
    case tile
    /// About 1600 px on the longer side: what the viewer shows.
    case screen
    /// The image as its source has it, byte for byte.
    case original

    /// The longer side in pixels that a rendered image never exceeds; nil for the original.
    public var longestSide: Int? {
        switch self {
        case .preview: 64
        case .tile: 320
        case .screen: 1600
        case .original: nil
        }
    }
}
