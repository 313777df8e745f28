/// One encoded size of an image. The raw value is its name on the wire.
///
/// Those that are rendered are bounds of the longer side, each about twice the one before, so that whoever needs some
/// pixels never gets many more. None is larger than the picture: of one that is smaller than a bound, every rendition
/// from there on is the same, and is kept under the name of the smallest (``holding(longestSide:)``).
public enum Rendition: String, CaseIterable, Hashable, Sendable {
    /// About 64 px on the longer side: shown while the tile is under way.
    case preview
    case step160 = "160"
    /// About 320 px on the longer side: what the grid shows on a screen of ordinary density.
    case tile
    case step640 = "640"
    case step1280 = "1280"
    /// About 1600 px on the longer side: what the viewer shows on a screen of ordinary density.
    case screen
    case step2560 = "2560"
    /// All pixels, as a JPEG: of what browsers do not decode themselves.
    case full
    /// All pixels, and half as many and so on, cut into tiles: for whoever looks closely at a huge picture, one place at a
    /// time. A file to read ranges of.
    case pyramid
    /// The image as its source has it, byte for byte.
    case original

    /// The rendition that a path or a message names; each step is named by its pixels, too.
    public init?(name: some StringProtocol) {
        switch name {
        case "320": self = .tile
        case "1600": self = .screen
        default: self.init(rawValue: String(name))
        }
    }

    /// The longer side in pixels that a rendered image never exceeds; nil where it has all that the original has.
    public var longestSide: Int? {
        switch self {
        case .preview: 64
        case .step160: 160
        case .tile: 320
        case .step640: 640
        case .step1280: 1280
        case .screen: 1600
        case .step2560: 2560
        case .full, .pyramid, .original: nil
        }
    }

    /// Whether it is kept and sent as a file, and not from memory.
    public var isFile: Bool { self == .original || self == .pyramid }

    /// Whether it is made of all pixels that the original has: much more than others take.
    public var hasAllPixels: Bool { self == .full || self == .pyramid }

    /// Whether it is large enough for a whole screen.
    public var isForScreens: Bool { longestSide.map { $0 > 640 } ?? true }

    /// What is rendered to be looked at, and not only for a moment: the smallest first.
    public static let steps: [Rendition] = [.step160, .tile, .step640, .step1280, .screen, .step2560, .full]

    /// The smallest step that has so many pixels on the longer side.
    public static func holding(longestSide pixels: Int) -> Rendition {
        steps.first { $0.longestSide.map { $0 >= pixels } ?? false } ?? .full
    }

    /// The rendition under whose name this one is kept, of a picture with so many pixels on the longer side.
    public func kept(ofLongestSide pixels: Int) -> Rendition {
        guard let step = Self.steps.firstIndex(of: self),
            let whole = Self.steps.firstIndex(of: .holding(longestSide: pixels))
        else { return self }
        return Self.steps[min(step, whole)]
    }
}

extension ImageFacts {
    /// Pixels of the longer side; nil where they are not known, and of drawings, which are drawn as large as they are
    /// shown.
    public var longestSide: Int? {
        guard let width, let height, mediaType != Self.drawing else { return nil }
        return max(width, height)
    }

    /// The media type of a drawing: it has no size of its own in pixels.
    public static let drawing = "image/svg+xml"
}
