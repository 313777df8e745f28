/// The head of one answer: its status, and those of its fields that this room cares for.
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
    /// Of the body as it is sent; nil where that is chunked.
    var contentLength: Int64?
    /// Why it cannot be told where the body ends, if it cannot.
    private(set) var framingFault: String?
    var contentRange: String?
    var contentType: String?
    /// All codings of the content, in lower case, the one applied first first (RFC 9110 §8.4).
    var contentCodings: [String] = []
    /// The same of the message (RFC 9112 §6.1).
    var transferCodings: [String] = []
    var acceptRanges: String?
    var location: String?
    var retryAfter: String?
    /// Where a store says that the bucket is.
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
        case "retry-after": retryAfter = value
        case "x-amz-bucket-region": bucketRegion = value
        default: break
        }
    }

    /// One length, however often it is said (RFC 9110 §8.6, RFC 9112 §6.3): lengths that differ let two readers of one
    /// connection take its bytes for different answers.
    private mutating func setLength(_ value: String) {
        for text in value.split(separator: ",", omittingEmptySubsequences: false).map(\.trimmed) {
            guard (1...18).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
                let length = Int64(text)
            else { return framingFault = "a length that is none" }
            if let contentLength, contentLength != length { return framingFault = "lengths that differ" }
            contentLength = length
        }
    }

    /// What holds for the head as a whole, when all of its fields are there.
    fileprivate mutating func complete() {
        guard !transferCodings.isEmpty else { return }
        // None but this was asked for, and nobody need understand another (RFC 9112 §7.4).
        if transferCodings != ["chunked"] {
            framingFault = "transfer coding \(transferCodings.joined(separator: ", "))"
        }
        // Chunks tell the length, whatever stands beside them (RFC 9112 §6.3).
        contentLength = nil
    }

    private static func codings(_ value: String) -> [String] {
        value.lowercased().split(separator: ",").map(\.trimmed).filter { !$0.isEmpty }
    }

    /// The coding that the content is in, if it is in one. Only the codings that there are count (RFC 9110 §16.6.1 and
    /// those in use before it): what else is written there, `aws-chunked` or `binary`, is a slip, and the bytes are as
    /// they are.
    var contentCoding: String? { contentCodings.first { ResponseHead.knownCodings.contains($0) } }

    private static let knownCodings: Set<String> = [
        "aes128gcm", "br", "compress", "dcb", "dcz", "deflate", "exi", "gzip", "pack200-gzip", "x-compress", "x-gzip",
        "zstd",
    ]
}

/// Puts heads together from the lines that curl hands over one by one. Interim answers (RFC 9110 §15.2) are passed over.
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

    /// - Parameter limit: Bytes of all heads of one transfer together.
    init(limit: Int) {
        self.limit = limit
    }

    /// - Parameter line: With its line end.
    mutating func take(_ line: UnsafeRawBufferPointer) -> Step {
        taken += line.count
        guard taken <= limit else { return .tooLong }
        // What follows the final head are trailers; nothing here needs them.
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
