import Images

/// Turns an original into renditions. Every call blocks its thread for as long as the work takes, so callers keep a
/// small fixed set of threads for it; any number of threads may call at the same time.
public protocol Rendering: Sendable {
    /// Looks into the header and decodes no pixels: what the bytes are, how large, taken where and when.
    ///
    /// - Throws: `RenderError` when this is no picture that could be rendered, with the same reason `render` would give.
    func inspect(_ source: RenderSource) throws(RenderError) -> Inspection

    /// Makes one rendition. The longer side is at most `rendition.longestSide` and the picture is never enlarged.
    ///
    /// - Parameter rendition: Anything but `.original`, which is not rendered but sent as it is.
    /// - Throws: `RenderError`; its reason is `.stopped` when `stop` was used.
    func render(
        _ source: RenderSource, as rendition: Rendition, format: OutputFormat, stop: RenderStop
    ) throws(RenderError) -> Rendered

    /// Makes several renditions out of one decoding, each in its own format. It costs little more than the largest of
    /// them alone, so whoever renders a tile may as well take the preview with it.
    func render(
        _ source: RenderSource, as wanted: [Rendition: OutputFormat], stop: RenderStop
    ) throws(RenderError) -> [Rendition: Rendered]

    /// Frees what the libraries keep for the calling thread. Each thread that rendered calls it before it ends.
    func threadWillEnd()
}

extension Rendering {
    public func render(
        _ source: RenderSource, as wanted: [Rendition: OutputFormat], stop: RenderStop
    ) throws(RenderError) -> [Rendition: Rendered] {
        var all: [Rendition: Rendered] = [:]
        for (rendition, format) in wanted {
            all[rendition] = try render(source, as: rendition, format: format, stop: stop)
        }
        return all
    }

    public func threadWillEnd() {}
}

/// Where the bytes of an original are.
public enum RenderSource: Sendable {
    /// An open, seekable descriptor. It is borrowed for the call: never closed, and its file offset is neither used nor
    /// moved, so several renders may share one.
    case descriptor(Int32)
    /// The whole original in memory.
    case bytes([UInt8])
}

/// One rendition, encoded.
public struct Rendered: Sendable {
    public let bytes: [UInt8]
    public let format: OutputFormat
    /// Pixels.
    public let width: Int
    /// Pixels.
    public let height: Int
    /// What was learnt of the original on the way, its placeholder included.
    public let facts: ImageFacts

    public var mediaType: String { format.mediaType }

    public init(bytes: [UInt8], format: OutputFormat, width: Int, height: Int, facts: ImageFacts) {
        self.bytes = bytes
        self.format = format
        self.width = width
        self.height = height
        self.facts = facts
    }
}

/// What the header of an original says.
public struct Inspection: Hashable, Sendable {
    /// Width and height are upright: the orientation is applied to them.
    public let facts: ImageFacts
    /// A JPEG in several scans. It has to be decoded whole before it can be shrunk, at some 15 times the cost of a
    /// baseline one, so it belongs in a lane of its own.
    public let isProgressive: Bool
    /// A preview costs a read of the head and no full decoding.
    public let hasThumbnail: Bool

    public init(facts: ImageFacts, isProgressive: Bool = false, hasThumbnail: Bool = false) {
        self.facts = facts
        self.isProgressive = isProgressive
        self.hasThumbnail = hasThumbnail
    }
}
