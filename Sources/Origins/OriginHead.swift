/// The metadata of a response, which precedes its bytes (or replaces them if nothing has changed).
public struct OriginHead: Hashable, Sendable {
    /// The URL of the response, after redirects, without its query. For the log only.
    public var url: String
    /// For later revalidation. In `.notModified`, these are the request's own if the origin did not repeat them.
    public var validators: Validators
    /// How long from now the response may be used without revalidation (RFC 9111 §4.2); zero if it must be revalidated
    /// before each use.
    public var freshFor: Duration
    /// False if the origin forbids storing the response (`no-store`, RFC 9111 §5.2.2.5).
    public var mayStore: Bool
    /// Whether the origin forbids using the response once it is stale, even if the origin cannot be reached (RFC 9111
    /// §4.2.4, RFC 5861 §4). Nil if it said nothing about caching; in `.notModified`, its earlier statement then still
    /// applies.
    public var mustRevalidate: Bool?
    /// The length of the whole representation in bytes, if it is declared and not that of a compressed body. If so,
    /// `.finished` comes only after exactly this many bytes.
    public var declaredLength: Int64?
    /// Whether the response is only the prefix that the request asked for.
    public var isPrefix = false
    /// The media type that the origin claims. For the log; never trust it.
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
