/// What to fetch.
public struct OriginRequest: Hashable, Sendable {
    /// An absolute `http` or `https` URL, without user name and password.
    public var url: String
    /// What the caller already has of this URL. When given, the request is conditional and the origin may answer
    /// that it has not changed (RFC 9110 §13.1).
    public var revalidate: Validators?

    public init(url: String, revalidate: Validators? = nil) {
        self.url = url
        self.revalidate = revalidate
    }
}
