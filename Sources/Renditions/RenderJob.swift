import Images

/// What is to be done with one original, in one visit: it is opened, examined and decoded once for all that is wanted.
public struct RenderJob: Hashable, Sendable {
    public enum Work: Hashable, Sendable {
        /// What it is and what its header says; no pixel is decoded.
        case examine
        /// The same of several originals, so many, one after the other: what a visit costs beside the looking is shared.
        /// One that turns out to be heavy is left for a visit of its own.
        case survey(Int)
        /// Renditions, each in its own format, and with them what `examine` tells. Never `.original`.
        case make([Rendition: OutputFormat])
        /// The preview, of a beginning of an original while the rest is still on its way: of the picture that its camera put
        /// there, or not at all. No pixel of the original itself is decoded.
        case glimpse(OutputFormat)
        /// All pixels in tiles, as `PyramidLayout` tells: they are written to `output`, and with them comes what `examine`
        /// tells.
        case pyramid
        /// The "original" is plain pixels (rows from the top, red, green and blue, eight bits each): make a file of them.
        case encode(EncodingWork)
    }

    public struct EncodingWork: Hashable, Sendable {
        /// Pixels.
        public let width: Int
        /// Pixels.
        public let height: Int
        public let format: OutputFormat
        /// 1 to 100, on the format's own scale.
        public let quality: Int

        public init(width: Int, height: Int, format: OutputFormat, quality: Int) {
            self.width = width
            self.height = height
            self.format = format
            self.quality = quality
        }
    }

    public var work: Work
    /// Of the original, or of each. Open for reading only, seekable, and borrowed: their owner keeps them open until the
    /// job is over. File offsets are of no account.
    public var descriptors: [Int32]
    /// Where a `.pyramid` is written: an empty file, open for writing, and borrowed as the others are. What stands there
    /// after a failure is of no account.
    public var output: Int32?
    /// It is known to be heavy, a drawing say: it goes to the place of such at once, instead of being examined first.
    public var isKnownHeavy: Bool

    public init(_ work: Work, of descriptor: Int32, isKnownHeavy: Bool = false) {
        self.work = work
        descriptors = [descriptor]
        self.isKnownHeavy = isKnownHeavy
    }

    /// - Parameter output: Open for writing.
    public init(pyramidOf descriptor: Int32, in output: Int32) {
        self.init(.pyramid, of: descriptor, isKnownHeavy: true)
        self.output = output
    }

    /// Originals that are surveyed in one visit, at most.
    public static let mostSurveyed = 16

    /// - Precondition: at most `mostSurveyed`.
    public init(surveying descriptors: [Int32]) {
        precondition(descriptors.count <= Self.mostSurveyed)
        work = .survey(descriptors.count)
        self.descriptors = descriptors
        isKnownHeavy = false
    }
}

/// What a job was answered with.
public struct RenderAnswer: Hashable, Sendable {
    /// What was learnt of the original on the way, its placeholder included where pixels were decoded.
    public var facts: ImageFacts
    public var renditions: [Rendition: Rendered]
    /// The file of an `.encode` job.
    public var encoded: Rendered?
    /// What the original's file was like when the visit had ended.
    public var source: SourceStatus
    /// What became of each original of a `.survey`, in their order.
    public var visits: [Visit] = []

    /// What became of one original of many.
    public enum Visit: Hashable, Sendable {
        case examined(ImageFacts, SourceStatus)
        case failed(RenderError)
        /// It is heavy, and wants a visit of its own.
        case left
    }

    public init(
        facts: ImageFacts = ImageFacts(), renditions: [Rendition: Rendered] = [:], encoded: Rendered? = nil,
        source: SourceStatus = SourceStatus()
    ) {
        self.facts = facts
        self.renditions = renditions
        self.encoded = encoded
        self.source = source
    }
}

/// One rendition, as a file.
public struct Rendered: Hashable, Sendable {
    public let bytes: [UInt8]
    /// What it was asked for as.
    public let format: OutputFormat
    /// What it is.
    public let file: FileFormat
    /// Pixels.
    public let width: Int
    /// Pixels.
    public let height: Int

    public var mediaType: String { file.mediaType }

    /// - Parameter file: Nil where it was encoded as the format says.
    public init(bytes: [UInt8], format: OutputFormat, file: FileFormat? = nil, width: Int, height: Int) {
        self.bytes = bytes
        self.format = format
        self.file = file ?? FileFormat(format)
        self.width = width
        self.height = height
    }
}

/// What tells whether a file is still the one that it was (`fstat(2)`).
public struct SourceStatus: Hashable, Sendable {
    /// Bytes.
    public var size: Int64
    public var modifiedSeconds: Int64
    public var nanoseconds: Int64

    public init(size: Int64 = 0, modifiedSeconds: Int64 = 0, nanoseconds: Int64 = 0) {
        self.size = size
        self.modifiedSeconds = modifiedSeconds
        self.nanoseconds = nanoseconds
    }
}
