/// What is known of a body that is under way, and whether the rest of it can be had from where it broke off.
struct Resumption: Sendable {
    /// Bytes handed to the caller.
    private(set) var delivered: Int64 = 0
    /// The whole length, once an answer declared it.
    let length: Int64?
    private let entityTag: String?
    private let takesRanges: Bool

    /// A new body, from its first byte.
    init(_ head: ResponseHead) {
        length = head.contentLength
        entityTag = Validators(entityTag: head.entityTag).strongEntityTag
        takesRanges = head.acceptRanges?.lowercased() != "none"
    }

    mutating func deliver(_ count: Int) {
        delivered += Int64(count)
    }

    /// Whether nothing is missing; without a declared length, the end of the transfer is all there is to go by.
    var isWhole: Bool { length == nil || delivered == length }

    /// What to send for the rest (RFC 9110 §13.1.5, §14.2). Nil unless there is a strong validator: with a weak one the
    /// two halves may be of two pictures.
    var request: (range: String, ifRange: String)? {
        guard delivered > 0, takesRanges, let entityTag else { return nil }
        return ("bytes=\(delivered)-", entityTag)
    }

    /// Whether an answer of 206 is the rest of this very body and nothing else.
    func continues(with head: ResponseHead) -> Bool {
        guard head.status == 206, let range = head.contentRange.flatMap(ContentRange.init), range.first == delivered,
            let entityTag, head.entityTag == nil || head.entityTag == entityTag
        else { return false }
        let whole = length ?? range.complete
        if let complete = range.complete, let whole, complete != whole { return false }
        if let whole, range.last != whole - 1 { return false }
        if let count = head.contentLength, count != range.last - range.first + 1 { return false }
        return true
    }
}

/// A `Content-Range` of bytes (RFC 9110 §14.4).
struct ContentRange: Hashable, Sendable {
    let first: Int64
    let last: Int64
    /// Nil if the sender did not know it (`*`).
    let complete: Int64?

    /// Nil unless the field is a satisfied range of bytes that holds together.
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
