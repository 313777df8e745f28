/// One encoded size of an image. The raw value is its name on the wire.
///
/// Rendered sizes limit the longer side in pixels. Each is about twice the previous one, so that a client that needs a
/// certain number of pixels never gets many more. None is larger than the original: for an original smaller than a
/// limit, all renditions from there on are equal, and are stored under the name of the smallest
/// (``holding(longestSide:)``).
public enum Rendition: String, CaseIterable, Hashable, Sendable {
    /// About 64 px on the longer side: displayed until the tile has arrived.
    case preview
    case step160 = "160"
    /// About 320 px on the longer side: what the grid displays on a screen of ordinary density.
    case tile
    case step640 = "640"
    case step1280 = "1280"
    /// About 1600 px on the longer side: what the viewer displays on a screen of ordinary density.
    case screen
    case step2560 = "2560"
    /// All pixels, as a JPEG: for formats that browsers cannot decode.
    case full
    /// All pixels, in levels of half the size each, cut into pyramid tiles: for zooming into parts of a huge image. A
    /// file to be read by ranges.
    case pyramid
    /// The original as its source has it, byte for byte.
    case original

    /// The rendition that a path or a message names.
    public init?(name: some StringProtocol) {
        guard let rendition = Self.byName[String(name)] else { return nil }
        self = rendition
    }

    /// Every name that ``init(name:)`` accepts, those of the smallest rendition first.
    public static let names = allCases.flatMap(\.names)
    private static let byName = Dictionary(
        uniqueKeysWithValues: allCases.flatMap { rendition in rendition.names.map { ($0, rendition) } })

    /// Each step can also be named by its pixels.
    private var names: [String] {
        guard let longestSide, self != .preview, rawValue != String(longestSide) else { return [rawValue] }
        return [rawValue, String(longestSide)]
    }

    /// The maximum length of the longer side in pixels; nil if the rendition has all pixels of the original.
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

    /// Its number in the keys of the disk cache and in messages to render workers. Never change or reuse one.
    public var storageNumber: UInt8 {
        switch self {
        case .preview: 0
        case .tile: 1
        case .screen: 2
        case .original: 3
        case .step160: 4
        case .step640: 5
        case .step1280: 6
        case .step2560: 7
        case .full: 8
        case .pyramid: 9
        }
    }

    /// Nil if no rendition has this number.
    public init?(storageNumber: UInt8) {
        guard let rendition = Self.allCases.first(where: { $0.storageNumber == storageNumber }) else { return nil }
        self = rendition
    }

    /// Its number, from 1, in the binary messages of the viewport stream; nil for a rendition that the stream does not
    /// send. Part of the wire format: never change or reuse one.
    public var streamNumber: UInt8? {
        switch self {
        case .preview: 1
        case .tile: 2
        case .step160: 3
        case .step640: 4
        case .step1280: 5
        case .step2560: 6
        case .screen, .full, .pyramid, .original: nil
        }
    }

    /// Whether it is stored and sent as a file, and not from memory.
    public var isFile: Bool { self == .original || self == .pyramid }

    /// Whether it is made from all pixels of the original, which costs much more than other renditions.
    public var hasAllPixels: Bool { self == .full || self == .pyramid }

    /// Whether it is large enough to fill a screen.
    public var isForScreens: Bool { longestSide.map { $0 > 640 } ?? true }

    /// The renditions that may stay on screen, smallest first.
    public static let steps: [Rendition] =
        allCases.filter { $0 != .preview && $0.longestSide != nil } + [.full]

    /// The smallest step with at least this many pixels on the longer side.
    public static func holding(longestSide pixels: Int) -> Rendition {
        steps.first { $0.longestSide.map { $0 >= pixels } ?? false } ?? .full
    }

    /// The rendition under whose name this one is stored, for an original with this many pixels on the longer side.
    public func kept(ofLongestSide pixels: Int) -> Rendition {
        guard let step = Self.steps.firstIndex(of: self),
            let whole = Self.steps.firstIndex(of: .holding(longestSide: pixels))
        else { return self }
        return Self.steps[min(step, whole)]
    }
}

extension ImageMetadata {
    /// The longer side in pixels; nil if unknown, and for vector drawings, which are drawn at the displayed size.
    public var longestSide: Int? {
        guard let width, let height, !isDrawing else { return nil }
        return max(width, height)
    }

    /// The media type of a vector drawing, which has no size in pixels.
    public static let drawing = "image/svg+xml"
    /// The media type of a vector drawing that is compressed by gzip. In HTTP, that is a content coding.
    public static let compressedDrawing = "image/svg+xml-compressed"

    /// Whether this is a vector drawing.
    public var isDrawing: Bool { mediaType == Self.drawing || mediaType == Self.compressedDrawing }
}
