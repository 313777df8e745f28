public import Images
public import Origins

/// A rendition in transfer between nodes.
public struct SharedRendition: Hashable, Sendable {
    public var tile: RenditionBytes
    /// What the node that fetched a remote original learned about it; nil for local files, which each node reads
    /// itself.
    public var original: SharedOriginal?

    public init(tile: RenditionBytes, original: SharedOriginal? = nil) {
        self.tile = tile
        self.original = original
    }
}

/// What one node has learned about a remote original, so that other nodes need not ask its origin.
public struct SharedOriginal: Hashable, Sendable {
    public let version: ContentVersion
    public let validators: Validators
    /// Bytes.
    public let length: Int64
    /// The time until which the origin need not be asked, in seconds since 1970.
    public let freshUntil: Int64
    /// Whether its origin forbids using it after that without revalidation (RFC 5861 §4).
    public let mustRevalidate: Bool
    /// The image's metadata; nil if this render did not read it.
    public let metadata: ImageMetadata?

    public init(
        version: ContentVersion, validators: Validators, length: Int64, freshUntil: Int64, mustRevalidate: Bool,
        metadata: ImageMetadata?
    ) {
        self.version = version
        self.validators = validators
        self.length = length
        self.freshUntil = freshUntil
        self.mustRevalidate = mustRevalidate
        self.metadata = metadata
    }

    init(_ kept: CachedOriginal, metadata: ImageMetadata?) {
        self.init(
            version: kept.version, validators: kept.validators, length: kept.length, freshUntil: kept.freshUntil,
            mustRevalidate: kept.mustRevalidate, metadata: metadata)
    }

    /// The record for the original cache, without a file, because that is on another node.
    func kept(of image: ImageID, url: String) -> CachedOriginal {
        CachedOriginal(
            image: image, url: url, version: version, validators: validators, length: length, freshUntil: freshUntil,
            mustRevalidate: mustRevalidate, isKept: false)
    }
}
