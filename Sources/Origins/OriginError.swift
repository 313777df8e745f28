/// Why a picture could not be fetched.
public struct OriginError: Error, Hashable, Sendable {
    /// What happened, to decide by.
    public enum Reason: Hashable, Sendable {
        /// The URL cannot be read, or it is neither http nor https, or it bears a user name or password.
        case badURL
        /// Every address of the host is one that must not be fetched from (loopback, private and the like).
        case addressRefused
        /// The host has no address.
        case unresolved
        /// No connection to the host.
        case unreachable
        /// The TLS handshake failed, or the certificate is not to be trusted.
        case insecure
        /// The origin took too long: to connect, to answer, or for all of it.
        case timedOut
        /// The connection was lost before the answer was whole.
        case interrupted
        /// The body ended before (or went on after) its declared length.
        case truncated
        /// The origin answered with this HTTP status, which is no picture.
        case status(Int)
        /// A redirect that is not followed: too many, in a circle, to something refused, from https to http.
        case redirect
        /// More bytes than the configuration allows.
        case tooLarge
        /// What came is not HTTP as it should be.
        case malformed
        /// The origin failed so often of late that it is left alone for a while.
        case suspended
        /// There are no credentials to sign with.
        case credentials
        /// The fetcher is shutting down.
        case stopped
    }

    /// What a store said to a signed request that it refused.
    public struct Refusal: Hashable, Sendable {
        /// The beginning of the answer's body.
        public var body: [UInt8] = []
        /// Where the bucket is, if the store says so.
        public var region: String?

        /// What S3 says of credentials that are no longer any, or not yet ("Error responses", list of error codes).
        private static let codesOfCredentials = [
            "ExpiredToken", "InvalidToken", "TokenRefreshRequired", "InvalidAccessKeyId", "SignatureDoesNotMatch",
        ]

        /// Whether it is the credentials that were refused, and not what was asked for.
        var isOfCredentials: Bool {
            let text = String(decoding: body, as: UTF8.self)
            return Self.codesOfCredentials.contains { text.contains("<Code>\($0)</Code>") }
        }
    }

    public let reason: Reason
    /// What a person may be told. Names no address and no URL.
    public let publicMessage: String
    /// For the log only. Names URLs without what may be secret of them.
    public let logDetail: String
    /// How long to wait until asking again is of use: as the origin said, or as the fetcher thinks; never longer than
    /// ``RetryAfter/longest``.
    public private(set) var retryAfter: Duration?
    /// Whether it is the operator's own store that failed, and no origin of somebody else.
    public private(set) var isOfStore = false
    /// Nil where the request was not signed, or was not answered.
    public internal(set) var refusal: Refusal?

    public init(_ reason: Reason, publicMessage: String? = nil, logDetail: String, retryAfter: Duration? = nil) {
        self.reason = reason
        self.publicMessage = publicMessage ?? reason.defaultMessage
        self.logDetail = logDetail
        self.retryAfter = retryAfter.map(RetryAfter.bounded)
    }

    /// Whether the same request may well succeed later. Retries inside the fetch are already over.
    public var isTransient: Bool {
        switch reason {
        case .unresolved, .unreachable, .timedOut, .interrupted, .truncated, .suspended, .stopped, .credentials: true
        case .status(let status): OriginError.transientStatuses.contains(status)
        case .badURL, .addressRefused, .insecure, .redirect, .tooLarge, .malformed: false
        }
    }

    /// The same of the operator's own store: what may pass has a time after which to come again.
    ///
    /// - Parameter patience: for how long a store that is away is left alone.
    func ofStore(patience: Duration) -> OriginError {
        var error = self
        error.isOfStore = true
        if isTransient { error.retryAfter = retryAfter ?? RetryAfter.bounded(patience) }
        return error
    }

    /// The HTTP status that a client of the gallery is answered with.
    ///
    /// To an origin of somebody else this server is a gateway: what fails there is 502 or 504, which say on which side of
    /// it (RFC 9110 §15.6.3, §15.6.5), and no time to come again is made up, which has a meaning with 503 alone (§10.2.3).
    /// The operator's store is a part of this service, as its disks are: while it is away, this service is, for a while
    /// (§15.6.4).
    public var status: Int {
        if isOfStore, isTransient { return 503 }
        return switch reason {
        case .status(404), .status(410): 404
        case .status(429), .status(503), .suspended, .credentials, .stopped: 503
        case .timedOut, .status(408), .status(504): 504
        default: 502
        }
    }

    /// The statuses that speak of the moment rather than of the picture.
    static let transientStatuses: Set<Int> = [408, 425, 429, 500, 502, 503, 504]
}

extension OriginError.Reason {
    fileprivate var defaultMessage: String {
        switch self {
        case .badURL: "The picture's address cannot be used."
        case .addressRefused: "The picture's origin is at an address that is not allowed."
        case .unresolved: "The picture's origin cannot be found."
        case .unreachable: "The picture's origin cannot be reached."
        case .insecure: "The picture's origin has no trustworthy certificate."
        case .timedOut: "The picture's origin took too long."
        case .interrupted: "The connection to the picture's origin was lost."
        case .truncated: "The picture's origin sent another length than it declared."
        case .status(404), .status(410): "The picture's origin no longer has it."
        case .status(401), .status(403): "The picture's origin does not give it out."
        case .status(429): "The picture's origin asks for patience."
        case .status(let status): "The picture's origin answered with status \(status)."
        case .redirect: "The picture's origin points to a place that is not followed."
        case .tooLarge: "The picture is too large."
        case .malformed: "The picture's origin sent an answer that cannot be understood."
        case .suspended: "The picture's origin fails at the moment and is left alone for a while."
        case .credentials: "The server has no credentials for the picture's store."
        case .stopped: "The server is shutting down."
        }
    }
}
