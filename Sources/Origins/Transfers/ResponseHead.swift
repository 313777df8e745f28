/// The head of a response: its status, and the fields that this module uses.
struct ResponseHead: Hashable, Sendable {
    var status: Int
    var entityTag: String?
    var lastModified: String?
    /// All `Cache-Control` fields as one list (RFC 9110 §5.3).
    var cacheControl = ""
    var expires: String?
    var date: String?
    var age: String?
    var varies = ""
    /// The length of the body as sent; nil if it is chunked.
    var contentLength: Int64?
    /// Why the end of the body cannot be determined; nil if it can.
    private(set) var framingFault: String?
    var contentRange: String?
    var contentType: String?
    /// All content codings in lower case, in the order in which they were applied (RFC 9110 §8.4).
    var contentCodings: [String] = []
    /// The same for transfer codings (RFC 9112 §6.1).
    var transferCodings: [String] = []
    var acceptRanges: String?
    var location: String?
    /// All `Set-Cookie` fields.
    var cookies: [String] = []
    var retryAfter: String?
    /// The bucket's region, as an object store states it.
    var bucketRegion: String?

    init(status: Int) {
        self.status = status
    }

    fileprivate mutating func set(_ name: String, _ value: String) {
        switch name {
        case "etag": entityTag = value
        case "last-modified": lastModified = value
        case "cache-control": cacheControl += cacheControl.isEmpty ? value : ", " + value
        case "expires": expires = value
        case "date": date = value
        case "age": age = value
        case "vary": varies += value
        case "content-length": setLength(value)
        case "content-range": contentRange = value
        case "content-type": contentType = value
        case "content-encoding": contentCodings += ResponseHead.codings(value)
        case "transfer-encoding": transferCodings += ResponseHead.codings(value)
        case "accept-ranges": acceptRanges = value
        case "location": location = value
        case "set-cookie": cookies.append(value)
        case "retry-after": retryAfter = value
        case "x-amz-bucket-region": bucketRegion = value
        default: break
        }
    }

    /// Repeated lengths must be equal (RFC 9110 §8.6, RFC 9112 §6.3): different lengths let two recipients split a
    /// connection's bytes into different responses.
    private mutating func setLength(_ value: String) {
        for text in value.split(separator: ",", omittingEmptySubsequences: false).map(\.trimmed) {
            guard (1...18).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
                let length = Int64(text)
            else { return framingFault = "an invalid length" }
            if let contentLength, contentLength != length { return framingFault = "lengths that differ" }
            contentLength = length
        }
    }

    /// Checks the head as a whole, once all of its fields are known.
    fileprivate mutating func complete() {
        guard !transferCodings.isEmpty else { return }
        // No other coding was requested, and a client need not understand any (RFC 9112 §7.4).
        if transferCodings != ["chunked"] {
            framingFault = "transfer coding \(transferCodings.joined(separator: ", "))"
        }
        // Chunked coding overrides the declared length (RFC 9112 §6.3).
        contentLength = nil
    }

    private static func codings(_ value: String) -> [String] {
        value.lowercased().split(separator: ",").map(\.trimmed).filter { !$0.isEmpty }
    }

    /// The content codings that the content really has. Only existing codings count (RFC 9110 §16.6.1, and those in use
    /// before it): other values, such as `aws-chunked` or `binary`, are mistakes, and the bytes are not encoded.
    var effectiveCodings: [String] { contentCodings.filter { ResponseHead.knownCodings.contains($0) } }

    private static let knownCodings: Set<String> = [
        "aes128gcm", "br", "compress", "dcb", "dcz", "deflate", "exi", "gzip", "pack200-gzip", "x-compress", "x-gzip",
        "zstd",
    ]
}

/// Assembles heads from the lines that curl delivers one by one. Skips interim responses (RFC 9110 §15.2).
struct HeadCollector {
    enum Step: Equatable {
        case more
        case complete(ResponseHead)
        case tooLong
        case malformed
    }

    private let limit: Int
    private var taken = 0
    private var head: ResponseHead?
    private var isComplete = false

    /// - Parameter limit: The maximum size of all heads of a transfer together, in bytes.
    init(limit: Int) {
        self.limit = limit
    }

    /// - Parameter line: With its line end.
    mutating func take(_ line: UnsafeRawBufferPointer) -> Step {
        taken += line.count
        guard taken <= limit else { return .tooLong }
        // Fields after the final head are trailers, which nothing here needs.
        guard !isComplete else { return .more }
        let text = String(decoding: line, as: UTF8.self)
        if text.hasPrefix("HTTP/") {
            let words = text.split(separator: " ", maxSplits: 2)
            guard words.count >= 2, let status = Int(words[1].prefix(3)), (100...599).contains(status) else {
                return .malformed
            }
            head = ResponseHead(status: status)
            return .more
        }
        let trimmed = text.trimmed
        guard trimmed.isEmpty else {
            if let colon = trimmed.firstIndex(of: ":") {
                head?.set(trimmed[..<colon].lowercased(), trimmed[trimmed.index(after: colon)...].trimmed)
            }
            return .more
        }
        guard let head else { return .malformed }
        guard head.status >= 200 else { return .more }
        isComplete = true
        var whole = head
        whole.complete()
        return .complete(whole)
    }
}
