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
    var contentLength: Int64?
    var contentRange: String?
    var contentType: String?
    var contentEncoding: String?
    var acceptRanges: String?
    var location: String?
    var retryAfter: String?

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
        case "content-length": contentLength = Int64(value).flatMap { $0 >= 0 ? $0 : nil }
        case "content-range": contentRange = value
        case "content-type": contentType = value
        case "content-encoding": contentEncoding = value.lowercased()
        case "accept-ranges": acceptRanges = value
        case "location": location = value
        case "retry-after": retryAfter = value
        default: break
        }
    }
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
        return .complete(head)
    }
}
