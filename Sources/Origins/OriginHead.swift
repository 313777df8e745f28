/// What an origin said ahead of the bytes (or instead of them, when nothing has changed).
public struct OriginHead: Hashable, Sendable {
    /// Where the answer came from, after redirects, without its query. For the log only.
    public var url: String
    /// To revalidate with later. In `.notModified` these are the request's own where the origin did not repeat them.
    public var validators: Validators
    /// For how long from now the answer may be used without asking again (RFC 9111 §4.2); zero if it must be
    /// revalidated before each use.
    public var freshFor: Duration
    /// False if the origin forbade to keep the answer (`no-store`, RFC 9111 §5.2.2.5).
    public var mayStore: Bool
    /// Whether the origin forbade to use the answer when it is no longer fresh, even while the origin cannot be asked
    /// (RFC 9111 §4.2.4, RFC 5861 §4). Nil if it said nothing of caching: in `.notModified` what it said before holds.
    public var mustRevalidate: Bool?
    /// The whole representation's length in bytes, if the origin declared one. When it did, `.finished` comes only
    /// after exactly that many bytes.
    public var declaredLength: Int64?
    /// The origin's claim of what the bytes are. To be logged, never believed.
    public var claimedType: String?

    public init(
        url: String, validators: Validators = Validators(), freshFor: Duration = .zero, mayStore: Bool = true,
        mustRevalidate: Bool? = nil, declaredLength: Int64? = nil, claimedType: String? = nil
    ) {
        self.url = url
        self.validators = validators
        self.freshFor = freshFor
        self.mayStore = mayStore
        self.mustRevalidate = mustRevalidate
        self.declaredLength = declaredLength
        self.claimedType = claimedType
    }
}
