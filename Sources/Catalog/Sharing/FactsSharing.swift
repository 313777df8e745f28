public import Images

/// A content of an image.
public struct ImageContent: Hashable, Sendable {
    public let image: ImageID
    public let version: ContentVersion

    public init(image: ImageID, version: ContentVersion) {
        self.image = image
        self.version = version
    }
}

/// What is known of an image, on its way from one node to the others.
public struct SharedFacts: Hashable, Sendable {
    public let image: ImageID
    /// The content that they are of; nil where who learnt them did not know.
    public let version: ContentVersion?
    public let facts: ImageFacts

    public init(image: ImageID, version: ContentVersion?, facts: ImageFacts) {
        self.image = image
        self.version = version
        self.facts = facts
    }
}

/// The other nodes of a gallery, as one catalog sees them: they hear what it learns, and what they look into it need not.
/// Where there is none, a catalog learns everything by itself.
///
/// What is learnt is kept in the catalog's own index first; whoever shares takes it from there, by the ``FactsLedger``, and
/// may be away for as long as he likes.
public protocol FactsSharing: AnyObject, Sendable {
    /// Something was learnt, and stands in the ledger among what is untold. Any thread; returns at once.
    func learned()

    /// Asks which of these contents this node is to look into. Those that another one looks into, or has looked into, are
    /// not granted: facts of them will be heard, or they can be asked for again. Any thread; returns at once.
    ///
    /// - Parameter granted: Called once, on any thread: with all of them while the others cannot be asked.
    func claim(_ contents: [ImageContent], granted: @escaping @Sendable (Set<ImageContent>) -> Void)

    /// Nothing could be learnt of these; others may try. Any thread; returns at once.
    func release(_ contents: [ImageContent])
}
