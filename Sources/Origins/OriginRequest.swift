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

    /// The length in bytes of the beginning that is requested first (RFC 9110 §14.2); nil to fetch everything at once.
    /// Such a fetch rests after its beginning, without a permit, until ``OriginFetch/fetchRest()``. It does not rest if
    /// the origin ignores the range, or if no more than the same number of bytes remains.
    public var beginning: Int?

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
        url: String, revalidate: Validators? = nil, isSigned: Bool = false, beginning: Int? = nil, upload: Upload? = nil
    ) {
        self.url = url
        self.revalidate = revalidate
        self.isSigned = isSigned
        self.beginning = beginning
        self.upload = upload
    }
}
