public import Images
public import Origins

/// A rendition on its way from one machine to another.
public struct SharedRendition: Hashable, Sendable {
    public var tile: RenditionBytes
    /// What the machine that fetched it learnt of a remote original; nil for local files, which each machine sees itself.
    public var original: SharedOriginal?

    public init(tile: RenditionBytes, original: SharedOriginal? = nil) {
        self.tile = tile
        self.original = original
    }
}

/// What one machine has learnt of a remote original, so that others need not ask its origin.
public struct SharedOriginal: Hashable, Sendable {
    public let version: ContentVersion
    public let validators: Validators
    /// Bytes.
    public let length: Int64
    /// Seconds since 1970 until which its origin need not be asked.
    public let freshUntil: Int64
    /// Whether its origin forbade to use it after that without asking (RFC 5861 §4).
    public let mustRevalidate: Bool
    /// Nil where nobody looked into it this time.
    public let facts: ImageFacts?

    public init(
        version: ContentVersion, validators: Validators, length: Int64, freshUntil: Int64, mustRevalidate: Bool,
        facts: ImageFacts?
    ) {
        self.version = version
        self.validators = validators
        self.length = length
        self.freshUntil = freshUntil
        self.mustRevalidate = mustRevalidate
        self.facts = facts
    }

    init(_ kept: KeptOriginal, facts: ImageFacts?) {
        self.init(
            version: kept.version, validators: kept.validators, length: kept.length, freshUntil: kept.freshUntil,
            mustRevalidate: kept.mustRevalidate, facts: facts)
    }

    /// As the store has it: known, but its file is elsewhere.
    func kept(of image: ImageID, url: String) -> KeptOriginal {
        KeptOriginal(
            image: image, url: url, version: version, validators: validators, length: length, freshUntil: freshUntil,
            mustRevalidate: mustRevalidate, isKept: false)
    }
}
