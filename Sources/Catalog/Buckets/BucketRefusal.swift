import XML

/// Why a store refuses to list a bucket, by the error code in its response, with advice for the operator.
struct BucketRefusal: Error, Hashable {
    /// The store's error code, such as `NoSuchBucket`; empty if it sent none.
    let code: String
    let reason: String
    /// Whether a retry may succeed.
    let isPassing: Bool

    /// Whether the store objects to the requested key, rather than to the credentials or the bucket.
    let isOfKey: Bool

    private static let maximumBody = 16 << 10

    /// - Parameters:
    ///   - status: The response's status (RFC 9110 section 15).
    ///   - body: The beginning of the response's body.
    ///   - region: The region that the response names for the bucket, if it does.
    init(status: Int, body: [UInt8], region: String?, of address: BucketAddress) {
        let fields = Self.members(of: body)
        let place = [region, fields["Region"]].compactMap(\.self).first { Self.isPlain($0) }
        let code = fields["Code"].flatMap { Self.isPlain($0) ? $0 : nil } ?? ""
        self.code = code
        isOfKey = ["InvalidArgument", "KeyTooLongError", "InvalidObjectName", "XMinioInvalidObjectName"].contains(code)
        isPassing =
            status >= 500 || [408, 425, 429].contains(status)
            || ["RequestTimeout", "SlowDown", "ExpiredToken"].contains(code)
        reason = Self.advice(code, status: status, region: place, endpoint: fields["Endpoint"], address)
    }

    /// For a response that is not a listing.
    init(_ fault: BucketPageReader.Fault) {
        (code, isOfKey) = ("", false)
        reason = "the endpoint's response is not a bucket listing: \(fault.reason). Check --endpoint and --path-style."
        isPassing = true
    }

    /// For an endpoint that could not be reached, or that sent an incomplete response.
    init(unreachable message: String) {
        (code, isOfKey) = ("", false)
        reason = "cannot be listed. \(message)"
        isPassing = true
    }

    private static func advice(
        _ code: String, status: Int, region: String?, endpoint: String?, _ address: BucketAddress
    ) -> String {
        switch code {
        case "NoSuchBucket": "there is no such bucket. Check its name, --endpoint and --path-style."
        case "InvalidAccessKeyId":
            "the store does not know the access key. Check AWS_ACCESS_KEY_ID, or the profile that AWS_PROFILE names."
        case "SignatureDoesNotMatch":
            "the store rejects the signature. Check AWS_SECRET_ACCESS_KEY (and AWS_SESSION_TOKEN), and --region:"
                + " it is \(address.region) here."
        case "ExpiredToken", "TokenRefreshRequired", "InvalidToken":
            "the session's token is no longer valid. Get new credentials (AWS_SESSION_TOKEN)."
        case "RequestTimeTooSkewed":
            "this machine's clock is too far from the store's. Set the clock."
        case "AccessDenied", "AllAccessDisabled", "AccountProblem":
            "the store does not let these credentials list it. They need s3:ListBucket for the bucket and s3:GetObject"
                + " for its objects. If there should be credentials, check that they are where AWS tools look for them."
        case "PermanentRedirect", "AuthorizationHeaderMalformed", "TemporaryRedirect",
            "IllegalLocationConstraintException":
            misplaced(region, endpoint, address)
        case "SlowDown", "ServiceUnavailable", "InternalError", "RequestTimeout":
            "the store is overloaded (\(code)). It is retried automatically."
        case "" where status == 301 || status == 307: misplaced(region, endpoint, address)
        case "" where status == 404:
            "there is no such bucket at the endpoint. Check its name, --endpoint and --path-style."
        case "" where status == 401 || status == 403: "the store refuses these credentials (status \(status))."
        default: "the store answers with status \(status)\(code.isEmpty ? "" : " (\(code))")."
        }
    }

    private static func misplaced(_ region: String?, _ endpoint: String?, _ address: BucketAddress) -> String {
        if let region, region != address.region {
            return "the bucket is in the region \(region), not \(address.region). Say --region \(region)."
        }
        if let endpoint, isPlain(endpoint) {
            return "the bucket must be addressed at \(endpoint). Say so with --endpoint, and its --region."
        }
        return "the bucket is in another region than \(address.region). Say which with --region."
    }

    /// The elements of an error document, as far as it has arrived.
    private static func members(of body: [UInt8]) -> [String: String] {
        var reader = XMLReader()
        var (path, value, members) = ([String](), "", [String: String]())
        Array(body.prefix(maximumBody)).withUnsafeBytes { bytes in
            // The beginning of a truncated document still yields its first elements; so does anything that is not XML.
            try? reader.read(bytes) { event in
                switch event {
                case .begin(let name):
                    path.append(name)
                    value = ""
                case .text(let text): value = String(decoding: text, as: UTF8.self)
                case .end(let name):
                    if path.count == 2 { members[name] = value }
                    path.removeLast()
                    value = ""
                }
            }
        }
        return members
    }

    /// Whether a store's text may be shown to a person: a name, not free text that a stranger could compose.
    private static func isPlain(_ text: String) -> Bool {
        (1...128).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || "-._:".utf8.contains(byte)
            }
    }
}
