/// Describes a fetch or an upload.
public struct OriginRequest: Hashable, Sendable {
    /// An absolute `http` or `https` URL, without user name and password.
    public var url: String
    /// The validators of a version that the caller already has. If given, the request is conditional, and the origin
    /// may respond that nothing has changed (RFC 9110 §13.1).
    public var revalidate: Validators?

    /// Whether to sign the request with the operator's credentials, as the configured ``ObjectStore`` requires. Signed
    /// requests go only to that store, and their redirects are not followed.
    public var isSigned: Bool

    /// How many bytes to request first (RFC 9110 §14.2); nil to fetch the whole body at once. After this prefix, the
    /// fetch is parked without a permit until ``OriginFetch/fetchRest()``. It is not parked if the origin ignores the
    /// range, or if the remainder is no longer than the prefix.
    public var prefixLength: Int?

    /// An upload to this URL; nil to fetch. Only the end of its response is reported.
    public var upload: Upload?

    /// Bytes to send to a URL; sent again completely after a transient failure. Redirects are not followed.
    public struct Upload: Hashable, Sendable {
        public enum Method: String, Sendable {
            /// Replaces the target resource (RFC 9110 §9.3.4).
            case put = "PUT"
            /// Lets the target resource process the bytes (RFC 9110 §9.3.3).
            case post = "POST"
        }

        public var method: Method
        public var bytes: [UInt8]
        public var mediaType: String
        /// Additional header fields, in printable ASCII.
        public var fields: [String: String]

        public init(bytes: [UInt8], mediaType: String, method: Method = .put, fields: [String: String] = [:]) {
            self.bytes = bytes
            self.mediaType = mediaType
            self.method = method
            self.fields = fields
        }
    }

    public init(
        url: String, revalidate: Validators? = nil, isSigned: Bool = false, prefixLength: Int? = nil,
        upload: Upload? = nil
    ) {
        self.url = url
        self.revalidate = revalidate
        self.isSigned = isSigned
        self.prefixLength = prefixLength
        self.upload = upload
    }
}
