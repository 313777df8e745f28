import Images

/// What a load ends with.
public enum LoadedContent: Sendable {
    /// A rendered image, or an original small enough to be at hand.
    case bytes(RenditionBytes)
    /// A whole original in a file.
    case file(OriginalFile)
    /// An original that is still arriving from its origin.
    case growing(GrowingOriginal)
}

/// One encoded rendition.
public struct RenditionBytes: Hashable, Sendable {
    public let bytes: [UInt8]
    /// What the bytes are ("image/avif").
    public let mediaType: String
    /// The content that these bytes show. Where it differs from the version asked for, the image has changed.
    public let version: ContentVersion
    /// Pixels.
    public let width: Int
    /// Pixels.
    public let height: Int
    /// Seconds since 1970 when the original changed last, as far as known.
    public let modified: Int64?
    /// The origin could not be asked whether this is still current (`stale-if-error`, RFC 5861 §4).
    public var isStale: Bool
    /// The original ends before its picture does: this is as much of it as there is.
    public let isIncomplete: Bool

    public init(
        bytes: [UInt8], mediaType: String, version: ContentVersion, width: Int, height: Int,
        modified: Int64? = nil, isStale: Bool = false, isIncomplete: Bool = false
    ) {
        self.bytes = bytes
        self.mediaType = mediaType
        self.version = version
        self.width = width
        self.height = height
        self.modified = modified
        self.isStale = isStale
        self.isIncomplete = isIncomplete
    }
}

/// A whole original.
public struct OriginalFile: Sendable {
    /// Open for reading as long as this value lives; its file offset is neither used nor moved.
    public let descriptor: OwnedDescriptor
    /// Bytes.
    public let length: Int64
    /// What the bytes are, by looking at them; nil where they are nothing known.
    public let mediaType: String?
    public let version: ContentVersion
    /// Seconds since 1970 when the content changed last, as far as known.
    public let modified: Int64?
    /// The origin could not be asked whether this is still current (`stale-if-error`, RFC 5861 §4).
    public var isStale: Bool

    public init(
        descriptor: OwnedDescriptor, length: Int64, mediaType: String?, version: ContentVersion, modified: Int64?,
        isStale: Bool = false
    ) {
        self.descriptor = descriptor
        self.length = length
        self.mediaType = mediaType
        self.version = version
        self.modified = modified
        self.isStale = isStale
    }
}
