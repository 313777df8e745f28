/// Why an image could not be fetched.
public struct OriginError: Error, Hashable, Sendable {
    /// The kind of failure, for decisions in code.
    public enum Reason: Hashable, Sendable {
        /// The URL is malformed, is neither http nor https, or contains a user name or password.
        case badURL
        /// All addresses of the host are forbidden (loopback, private and the like).
        case addressRefused
        /// The host has no address.
        case unresolved
        /// No connection to the host could be established.
        case unreachable
        /// The TLS handshake failed, or the certificate is not trusted.
        case insecure
        /// The origin took too long: to connect, to respond, or overall.
        case timedOut
        /// The connection was lost before the response was complete.
        case interrupted
        /// The body is shorter or longer than its declared length.
        case truncated
        /// The origin responded with this HTTP status instead of an image.
        case status(Int)
        /// A redirect that must not be followed: too many, a cycle, to a forbidden target, or from https to http.
        case redirect
        /// The image is larger than the configuration allows.
        case tooLarge
        /// The response violates HTTP.
        case malformed
        /// The origin has failed so often recently that it is suspended for a while.
        case suspended
        /// There are no credentials for signing.
        case credentials
        /// The fetcher is shutting down.
        case stopped
    }

    /// An object store's response to a signed request that it refused.
    public struct Refusal: Hashable, Sendable {
        /// The beginning of the response's body.
        public var body: [UInt8] = []
        /// The region of the bucket, if the store names it.
        public var region: String?

        /// The S3 error codes for credentials that are expired, invalid or not valid yet ("Error responses", list of
        /// error codes).
        private static let codesOfCredentials = [
            "ExpiredToken", "InvalidToken", "TokenRefreshRequired", "InvalidAccessKeyId", "SignatureDoesNotMatch",
        ]

        /// Whether the credentials were refused, rather than the requested object.
        var isOfCredentials: Bool {
            let text = String(decoding: body, as: UTF8.self)
            return Self.codesOfCredentials.contains { text.contains("<Code>\($0)</Code>") }
        }
    }

    public let reason: Reason
    /// The message for people. Contains no address and no URL.
    public let publicMessage: String
    /// For the log only. Contains URLs without their parts that may be secret.
    public let logDetail: String
    /// How long to wait before another attempt makes sense, as stated by the origin or estimated by the fetcher; never
    /// longer than ``RetryAfter/longest``.
    public private(set) var retryAfter: Duration?
    /// Whether the operator's object store failed, rather than a third party's origin.
    public private(set) var isOfStore = false
    /// Nil if the request was not signed, or got no response.
    public internal(set) var refusal: Refusal?

    public init(_ reason: Reason, publicMessage: String? = nil, logDetail: String, retryAfter: Duration? = nil) {
        self.reason = reason
        self.publicMessage = publicMessage ?? reason.defaultMessage
        self.logDetail = logDetail
        self.retryAfter = retryAfter.map(RetryAfter.bounded)
    }

    /// Whether the same request may succeed later. The retries within the fetch are already exhausted.
    public var isTransient: Bool {
        switch reason {
        case .unresolved, .unreachable, .timedOut, .interrupted, .truncated, .suspended, .stopped, .credentials: true
        case .status(let status): OriginError.transientStatuses.contains(status)
        case .badURL, .addressRefused, .insecure, .redirect, .tooLarge, .malformed: false
        }
    }

    /// The same error, marked as one of the operator's object store. A transient one gets a time to retry after.
    ///
    /// - Parameter suspension: How long the store is suspended.
    func ofStore(suspension: Duration) -> OriginError {
        var error = self
        error.isOfStore = true
        if isTransient { error.retryAfter = retryAfter ?? RetryAfter.bounded(suspension) }
        return error
    }

    /// The HTTP status for clients of the gallery.
    ///
    /// For third-party origins this server is a gateway, so failures there are 502 or 504, which say on which side the
    /// fault is (RFC 9110 §15.6.3, §15.6.5). No `Retry-After` is invented for them; it has a meaning only with 503
    /// (§10.2.3). The operator's object store is part of this service, like its disks: while it is unavailable, so is
    /// this service, temporarily (§15.6.4).
    public var status: Int {
        if isOfStore, isTransient { return 503 }
        return switch reason {
        case .status(404), .status(410): 404
        case .status(429), .status(503), .suspended, .credentials, .stopped: 503
        case .timedOut, .status(408), .status(504): 504
        default: 502
        }
    }

    /// The statuses of transient failures, rather than of a particular image.
    static let transientStatuses: Set<Int> = [408, 425, 429, 500, 502, 503, 504]
}

extension OriginError.Reason {
    fileprivate var defaultMessage: String {
        switch self {
        case .badURL: "The picture's address cannot be used."
        case .addressRefused: "The remote server is at an address that is not allowed."
        case .unresolved: "The remote server cannot be found."
        case .unreachable: "The remote server cannot be reached."
        case .insecure: "The remote server has no trustworthy certificate."
        case .timedOut: "The remote server took too long."
        case .interrupted: "The connection to the remote server was lost."
        case .truncated: "The remote server sent a different length than it declared."
        case .status(404), .status(410): "The remote server no longer has the picture."
        case .status(401), .status(403): "The remote server refuses access."
        case .status(429): "The remote server is limiting requests."
        case .status(let status): "The remote server answered with status \(status)."
        case .redirect: "The remote server sent a redirect that is not followed."
        case .tooLarge: "The picture is too large."
        case .malformed: "The remote server sent an invalid response."
        case .suspended: "The remote server is failing and is suspended for a while."
        case .credentials: "The server has no credentials for the picture's store."
        case .stopped: "The server is shutting down."
        }
    }
}
