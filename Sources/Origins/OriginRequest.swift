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

    /// What is to be sent there; nil to fetch what is there. Of the answer nothing is told but the end.
    public var upload: Upload?

    /// Bytes that are sent to a URL: again, whole, where an attempt fails in passing. No redirect is followed.
    public struct Upload: Hashable, Sendable {
        public enum Method: String, Sendable {
            /// What is there is to be this (RFC 9110 §9.3.4).
            case put = "PUT"
            /// For who is there to make something of (RFC 9110 §9.3.3).
            case post = "POST"
        }

        public var method: Method
        public var bytes: [UInt8]
        public var mediaType: String
        /// Sent beside those that follow from the rest. Of printable ASCII.
        public var fields: [String: String]

        public init(bytes: [UInt8], mediaType: String, method: Method = .put, fields: [String: String] = [:]) {
            self.bytes = bytes
            self.mediaType = mediaType
            self.method = method
            self.fields = fields
        }
    }

    public init(url: String, revalidate: Validators? = nil, isSigned: Bool = false, upload: Upload? = nil) {
        self.url = url
        self.revalidate = revalidate
        self.isSigned = isSigned
        self.upload = upload
    }
}
