public import Images

/// One content version of an image and its sidecars.
public struct ImageContent: Hashable, Sendable {
    public let image: ImageID
    public let version: ContentVersion
    public let sidecars: SidecarVersion

    public init(image: ImageID, version: ContentVersion, sidecars: SidecarVersion = .none) {
        self.image = image
        self.version = version
        self.sidecars = sidecars
    }
}

/// Metadata of an image, as nodes share it.
public struct SharedMetadata: Hashable, Sendable {
    public let image: ImageID
    /// The content version that the metadata was read from; nil if unknown.
    public let version: ContentVersion?
    public let metadata: ImageMetadata

    public init(image: ImageID, version: ContentVersion?, metadata: ImageMetadata) {
        self.image = image
        self.version = version
        self.metadata = metadata
    }
}

/// The other nodes of a gallery as one catalog sees them: they receive the metadata that it reads, and it need not
/// index files that they have indexed. Without it, a catalog indexes everything itself.
///
/// New metadata is first stored in the catalog's own index. The implementation takes it from there through
/// ``MetadataOutbox``, so it may be offline for any time.
public protocol MetadataSharing: AnyObject, Sendable {
    /// New metadata is waiting in the outbox. Callable on any thread; returns at once.
    func learned()

    /// Asks which of these contents this node should index. Contents that another node is indexing or has indexed are
    /// not granted: their metadata will arrive, or they can be claimed again later. Callable on any thread; returns at
    /// once.
    ///
    /// - Parameter granted: Called once, on any thread; with all contents if the other nodes cannot be reached.
    func claim(_ contents: [ImageContent], granted: @escaping @Sendable (Set<ImageContent>) -> Void)

    /// These contents could not be indexed, so other nodes may try. Callable on any thread; returns at once.
    func release(_ contents: [ImageContent])
}
