/// What to fetch.
public struct OriginRequest: Hashable, Sendable {
    /// An absolute `http` or `https` URL, without user name and password.
    public var url: String
    /// What the caller already has of this URL. When given, the request is conditional and the origin may answer
    /// that it has not changed (RFC 9110 §13.1).
    public var revalidate: Validators?

    /// Whether it is asked in the operator's name: signed as the configuration's ``ObjectStore`` wants it, which alone may
    /// be asked so. No redirect of its answer is followed.
    public var isSigned: Bool

    public init(url: String, revalidate: Validators? = nil, isSigned: Bool = false) {
        self.url = url
        self.revalidate = revalidate
        self.isSigned = isSigned
    }
}
