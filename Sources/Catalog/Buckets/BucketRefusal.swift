/// Why a store does not list a bucket, by the code in its answer, and what the person at the command line can do.
struct BucketRefusal: Error, Hashable {
    /// The store's own word (`NoSuchBucket`); empty where it had none.
    let code: String
    let reason: String
    /// Whether the same question may be answered in a moment.
    let isPassing: Bool

    /// Whether it is the key that is asked for that the store objects to, and not who asks, or for which bucket.
    let isOfKey: Bool

    private static let longest = 16 << 10

    /// - Parameters:
    ///   - status: of the answer (RFC 9110 section 15).
    ///   - body: the answer's beginning.
    ///   - region: what the store says of where the bucket is, if it does.
    init(status: Int, body: [UInt8], region: String?, of address: BucketAddress) {
        let told = Self.members(of: body)
        let place = [region, told["Region"]].compactMap(\.self).first { Self.isPlain($0) }
        let code = told["Code"].flatMap { Self.isPlain($0) ? $0 : nil } ?? ""
        self.code = code
        isOfKey = ["InvalidArgument", "KeyTooLongError", "InvalidObjectName", "XMinioInvalidObjectName"].contains(code)
        isPassing =
            status >= 500 || [408, 425, 429].contains(status)
            || ["RequestTimeout", "SlowDown", "ExpiredToken"].contains(code)
        reason = Self.advice(code, status: status, region: place, endpoint: told["Endpoint"], address)
    }

    /// What was to be a listing was none.
    init(_ fault: BucketPageReader.Fault) {
        (code, isOfKey) = ("", false)
        reason = "the endpoint's answer is no listing of a bucket: \(fault.reason). Check --endpoint and --path-style."
        isPassing = true
    }

    /// The endpoint was not reached, or gave no whole answer.
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
            "the store finds the signature wrong. Check AWS_SECRET_ACCESS_KEY (and AWS_SESSION_TOKEN), and --region:"
                + " it is \(address.region) here."
        case "ExpiredToken", "TokenRefreshRequired", "InvalidToken":
            "the session's token is no longer valid. Get new credentials (AWS_SESSION_TOKEN)."
        case "RequestTimeTooSkewed":
            "this machine's clock is too far from the store's. Set the clock."
        case "AccessDenied", "AllAccessDisabled", "AccountProblem":
            "the store does not let these credentials list it. They need s3:ListBucket for the bucket and s3:GetObject"
                + " for what is in it; where there are none, check that they are where AWS programs look."
        case "PermanentRedirect", "AuthorizationHeaderMalformed", "TemporaryRedirect",
            "IllegalLocationConstraintException":
            misplaced(region, endpoint, address)
        case "SlowDown", "ServiceUnavailable", "InternalError", "RequestTimeout":
            "the store has too much to do (\(code)). It is asked again by itself."
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
            return "the bucket has to be asked for at \(endpoint). Say so with --endpoint, and its --region."
        }
        return "the bucket is in another region than \(address.region). Say which with --region."
    }

    /// The members of an error document, as far as they come.
    private static func members(of body: [UInt8]) -> [String: String] {
        var reader = XMLReader()
        var (path, value, members) = ([String](), "", [String: String]())
        Array(body.prefix(longest)).withUnsafeBytes { bytes in
            // What is cut off at its end, or no XML at all, tells what it has told.
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

    /// Fit to be repeated to a person: a name, and nothing that a stranger could write an essay in.
    private static func isPlain(_ text: String) -> Bool {
        (1...128).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || "-._:".utf8.contains(byte)
            }
    }
}
