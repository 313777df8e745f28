import Images

/// The content that a successful load delivers.
public enum LoadedContent: Sendable {
    /// A rendered image, or an original small enough to be in memory.
    case bytes(RenditionBytes)
    /// A whole original in a file.
    case file(OriginalFile)
    /// An original that is still arriving from its origin.
    case partial(PartialOriginal)
}

/// One encoded rendition.
public struct RenditionBytes: Hashable, Sendable {
    public let bytes: [UInt8]
    /// The media type of the bytes ("image/avif").
    public let mediaType: String
    /// The content version that these bytes show. If it differs from the requested one, the image has changed.
    public let version: ContentVersion
    /// Pixels.
    public let width: Int
    /// Pixels.
    public let height: Int
    /// When the original last changed, in seconds since 1970, if known.
    public let modified: Int64?
    /// Whether the origin could not confirm that this is still current (`stale-if-error`, RFC 5861 §4).
    public var isStale: Bool
    /// Whether the original is truncated, so that part of the image is missing.
    public let isIncomplete: Bool
    /// Identifies exactly these bytes. The version does not: a tile made from the original, one made from a larger
    /// rendition and one made together with others differ in their bytes.
    public let digest: ContentDigest

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
        digest = bytes.withUnsafeBytes { ContentDigest(of: $0) }
    }
}

/// A whole original.
public struct OriginalFile: Sendable {
    /// Open for reading while this value lives. Its file offset is neither used nor moved.
    public let descriptor: OwnedDescriptor
    /// Bytes.
    public let length: Int64
    /// The media type detected from the bytes; nil if they are no known format.
    public let mediaType: String?
    public let version: ContentVersion
    /// When the content last changed, in seconds since 1970, if known.
    public let modified: Int64?
    /// Whether the origin could not confirm that this is still current (`stale-if-error`, RFC 5861 §4).
    public var isStale: Bool
    /// The folder source that contains the file; nil for a file in one of the caches.
    public let folder: Int?

    public init(
        descriptor: OwnedDescriptor, length: Int64, mediaType: String?, version: ContentVersion, modified: Int64?,
        isStale: Bool = false, folder: Int? = nil
    ) {
        self.descriptor = descriptor
        self.length = length
        self.mediaType = mediaType
        self.version = version
        self.modified = modified
        self.isStale = isStale
        self.folder = folder
    }
}
