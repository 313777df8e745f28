import Images

/// The work on one original: it is opened, examined and decoded once for everything that is needed.
public struct RenderJob: Hashable, Sendable {
    /// The kind of work.
    public enum Work: Hashable, Sendable {
        /// Reads the format and the header's metadata; decodes no pixel.
        case readMetadata
        /// Reads the format and the header's metadata of this many originals, one after another, which spreads the cost
        /// of a job. An original that turns out to be heavy is left for a job of its own.
        case readMetadataOfAll(Int)
        /// Reads what sidecars in these formats say about their pictures. Each is an original of the job.
        case readSidecars([SidecarFormat])
        /// Makes renditions, each in its own format, and does what `examine` does. Never includes `.original`.
        case make([Rendition: OutputFormat])
        /// Makes a preview from the beginning of an original that is still being downloaded, using the thumbnail
        /// embedded by its camera, if there is one. Decodes no pixel of the original itself.
        case partialDecode(OutputFormat)
        /// Writes all pixels as tiles to `output`, in the layout of `PyramidLayout`, and does what `examine` does.
        case pyramid
        /// Encodes plain pixels, given as the original (rows from the top, eight bits each of red, green and blue per
        /// pixel).
        case encode(EncodingWork)
    }

    /// What to encode.
    public struct EncodingWork: Hashable, Sendable {
        /// In pixels.
        public let width: Int
        /// In pixels.
        public let height: Int
        /// The format of the file.
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

    /// What to do.
    public var work: Work
    /// The originals' descriptors: open for reading only, seekable, and borrowed, so their owner must keep them open
    /// until the job is over. Their file offsets don't matter.
    public var descriptors: [Int32]
    /// The descriptor to which a `.pyramid` is written: an empty file, open for writing, and borrowed like the
    /// others. After a failure its contents are undefined.
    public var output: Int32?
    /// What shares a disk with the original, such as a folder source; nil if unknown. If the disk hangs, only jobs of
    /// the same group wait for it.
    public var group: Int?
    /// Whether the original is known to be heavy, such as a vector drawing. The job is then queued as heavy at once;
    /// otherwise a worker must examine the original first.
    public var isKnownHeavy: Bool

    /// A job for one original.
    public init(_ work: Work, of descriptor: Int32, in group: Int? = nil, isKnownHeavy: Bool = false) {
        self.work = work
        descriptors = [descriptor]
        self.group = group
        self.isKnownHeavy = isKnownHeavy
    }

    /// - Parameter output: A descriptor open for writing.
    public init(pyramidOf descriptor: Int32, in output: Int32) {
        self.init(.pyramid, of: descriptor, isKnownHeavy: true)
        self.output = output
    }

    /// The largest number of originals in one survey.
    public static let maximumFilesPerJob = 16

    /// - Precondition: There are at most `maximumBatch` descriptors.
    public init(readingMetadataOf descriptors: [Int32], in group: Int? = nil) {
        precondition(descriptors.count <= Self.maximumFilesPerJob)
        work = .readMetadataOfAll(descriptors.count)
        self.descriptors = descriptors
        self.group = group
        isKnownHeavy = false
    }
}

extension RenderJob {
    /// - Precondition: There are at most ``maximumFilesPerJob`` sidecars, and a descriptor for each.
    public init(readingSidecars formats: [SidecarFormat], from descriptors: [Int32], in group: Int? = nil) {
        precondition(formats.count == descriptors.count && formats.count <= Self.maximumFilesPerJob)
        work = .readSidecars(formats)
        self.descriptors = descriptors
        self.group = group
        isKnownHeavy = false
    }
}

/// The result of a job.
public struct RenderResult: Hashable, Sendable {
    /// What the job learnt about the original, including its placeholder if pixels were decoded.
    public var metadata: ImageMetadata
    /// The renditions that the job made.
    public var renditions: [Rendition: Rendered]
    /// The file of an `.encode` job.
    public var encoded: Rendered?
    /// The status of the original's file at the end of the job.
    public var source: SourceStatus
    /// The results for the originals of a `.survey`, in order.
    public var fileResults: [FileResult] = []

    /// The result for one original of a survey.
    public enum FileResult: Hashable, Sendable {
        case metadata(ImageMetadata, SourceStatus)
        case failed(RenderError)
        /// The original is heavy, and needs a job of its own.
        case skipped
    }

    public init(
        metadata: ImageMetadata = ImageMetadata(), renditions: [Rendition: Rendered] = [:], encoded: Rendered? = nil,
        source: SourceStatus = SourceStatus()
    ) {
        self.metadata = metadata
        self.renditions = renditions
        self.encoded = encoded
        self.source = source
    }
}

/// One rendition as a file.
public struct Rendered: Hashable, Sendable {
    /// The contents of the file.
    public let bytes: [UInt8]
    /// The requested format.
    public let format: OutputFormat
    /// The actual format.
    public let file: FileFormat
    /// In pixels.
    public let width: Int
    /// In pixels.
    public let height: Int

    /// The media type of the actual format.
    public var mediaType: String { file.mediaType }

    /// - Parameter file: Nil if the file was encoded in the requested format.
    public init(bytes: [UInt8], format: OutputFormat, file: FileFormat? = nil, width: Int, height: Int) {
        self.bytes = bytes
        self.format = format
        self.file = file ?? FileFormat(format)
        self.width = width
        self.height = height
    }
}

/// The status by which to detect that a file has changed (`fstat(2)`).
public struct SourceStatus: Hashable, Sendable {
    /// In bytes.
    public var size: Int64
    /// The time of the last modification, in whole seconds since 1970.
    public var modifiedSeconds: Int64
    /// The nanoseconds within that second.
    public var nanoseconds: Int64

    public init(size: Int64 = 0, modifiedSeconds: Int64 = 0, nanoseconds: Int64 = 0) {
        self.size = size
        self.modifiedSeconds = modifiedSeconds
        self.nanoseconds = nanoseconds
    }
}
