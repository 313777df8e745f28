import Images

/// A place in the catalog that stays right while images come and go: right after one image, wherever that is now.
///
/// It names the image by its id and keeps the image's index only as a hint, so it can be resolved in any revision.
/// On the wire it is opaque: 24 bytes in base64url (RFC 4648 §5) without padding, with a check so that what
/// this program never gave out is refused.
public struct Cursor: Sendable, Hashable, LosslessStringConvertible {
    /// The image that the page before ended with; nil at the very beginning.
    let last: ImageID?
    /// The index that `last` had when the cursor was made.
    let hint: UInt64

    init(after last: ImageID?, hint: Int) {
        self.last = last
        self.hint = last == nil ? 0 : UInt64(clamping: hint)
    }

    /// Nil unless `description` is what `description` gives, byte for byte.
    public init?(_ description: String) {
        guard let bytes = Base64URL.decode(description), bytes.count == 24 else { return nil }
        let words = (0..<3).map { word in
            bytes[word * 8..<word * 8 + 8].reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
        }
        guard words[2] == Cursor.check(words[0], words[1]) else { return nil }
        let isBeginning = words[1] == .max
        guard !isBeginning || words[0] == 0 else { return nil }
        last = isBeginning ? nil : ImageID(rawValue: words[0])
        hint = isBeginning ? 0 : words[1]
    }

    public var description: String {
        let words = [last?.rawValue ?? 0, last == nil ? UInt64.max : hint]
        let all = words + [Cursor.check(words[0], words[1])]
        return Base64URL.encode(
            all.flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> (56 - 8 * $0)) } })
    }

    /// Not a secret: it tells what was cut or mistyped from what was given out. A forged cursor harms nobody, since a
    /// cursor can only name a place in the one public order.
    private static func check(_ first: UInt64, _ second: UInt64) -> UInt64 {
        var hasher = SipHash(domain: .cursor)
        hasher.update(first)
        hasher.update(second)
        return hasher.finish()
    }
}
