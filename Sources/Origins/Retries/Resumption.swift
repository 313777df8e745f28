/// The state of an incomplete body, and whether its rest can be requested.
struct Resumption: Sendable {
    /// Bytes passed to the caller.
    private(set) var delivered: Int64 = 0
    /// The total length, if the response declared one.
    let length: Int64?
    private let entityTag: String?
    private let takesRanges: Bool

    /// Starts a new body, from its first byte.
    ///
    /// - Parameter isDecoded: Whether the caller gets other bytes than the origin sends. Then the declared length and
    ///   the positions of ranges are not those of the caller's bytes.
    init(_ head: ResponseHead, isDecoded: Bool = false) {
        length = isDecoded ? nil : head.contentLength
        entityTag = Validators(entityTag: head.entityTag).strongEntityTag
        takesRanges = !isDecoded && head.acceptRanges?.lowercased() != "none"
    }

    /// Starts a body whose prefix comes from a range request.
    ///
    /// - Parameter length: The length of the whole body.
    init(_ head: ResponseHead, length: Int64) {
        self.length = length
        entityTag = Validators(entityTag: head.entityTag).strongEntityTag
        takesRanges = true
    }

    mutating func deliver(_ count: Int) {
        delivered += Int64(count)
    }

    /// Whether the body is complete; without a declared length, the end of the transfer decides.
    var isWhole: Bool { length == nil || delivered == length }

    /// The bytes that are missing; nil if no length was declared.
    var remaining: Int64? { length.map { $0 - delivered } }

    /// The range request for the rest (RFC 9110 §13.1.5, §14.2). Nil without a strong validator: with a weak one, the
    /// two parts might belong to different images.
    var request: (range: String, ifRange: String)? {
        guard delivered > 0, takesRanges, let entityTag, Validators.isFieldValue(entityTag) else { return nil }
        return ("bytes=\(delivered)-", entityTag)
    }

    /// Whether a 206 response is exactly the rest of this body.
    func continues(with head: ResponseHead) -> Bool {
        guard head.status == 206, head.effectiveCodings.isEmpty,
            let range = head.contentRange.flatMap(ContentRange.init), range.first == delivered,
            let entityTag, head.entityTag == nil || head.entityTag == entityTag
        else { return false }
        let whole = length ?? range.complete
        if let complete = range.complete, let whole, complete != whole { return false }
        if let whole, range.last != whole - 1 { return false }
        if let count = head.contentLength, count != range.last - range.first + 1 { return false }
        return true
    }
}

/// A `Content-Range` in bytes (RFC 9110 §14.4).
struct ContentRange: Hashable, Sendable {
    let first: Int64
    let last: Int64
    /// Nil if the sender does not know it (`*`).
    let complete: Int64?

    /// Nil unless the field is a satisfied, consistent range of bytes.
    init?(_ field: String) {
        let parts = field.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "bytes" else { return nil }
        let halves = parts[1].split(separator: "/", omittingEmptySubsequences: false)
        guard halves.count == 2 else { return nil }
        let ends = halves[0].split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, let first = ContentRange.number(ends[0]), let last = ContentRange.number(ends[1]),
            first <= last
        else { return nil }
        if halves[1] == "*" {
            complete = nil
        } else {
            guard let whole = ContentRange.number(halves[1]), last < whole else { return nil }
            complete = whole
        }
        self.first = first
        self.last = last
    }

    private static func number(_ text: Substring) -> Int64? {
        guard (1...18).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        return Int64(text)
    }
}
