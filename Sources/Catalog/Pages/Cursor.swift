import Encodings
import Hashing
import Images

/// A position in the catalog that stays valid while images are added and removed: right after one image, wherever that
/// image is now.
///
/// The cursor names the image by its id and carries the image's index only as a hint, so it can be resolved in any
/// revision. On the wire it is opaque: 24 bytes in base64url (RFC 4648 §5) without padding, with a checksum that
/// rejects anything this program has not issued.
public struct Cursor: Sendable, Hashable {
    /// The last image of the previous page; nil at the beginning.
    let last: ImageID?
    /// The index of `last` when the cursor was issued.
    let hint: UInt64

    init(after last: ImageID?, hint: Int) {
        self.last = last
        self.hint = last == nil ? 0 : UInt64(clamping: hint)
    }

    /// Accepts exactly the texts that ``text(encrypt:)`` produces; nil for any other.
    ///
    /// - Parameter decrypt: The inverse of `encrypt`.
    public init?(_ text: String, decrypt: (UInt64) -> ImageID) {
        guard let bytes = Base64.url.decode(text), bytes.count == 24 else { return nil }
        let words = (0..<3).map { word in
            bytes[word * 8..<word * 8 + 8].reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
        }
        guard words[2] == Cursor.check(words[0], words[1]) else { return nil }
        let isBeginning = words[1] == .max
        guard !isBeginning || words[0] == 0 else { return nil }
        last = isBeginning ? nil : decrypt(words[0])
        hint = isBeginning ? 0 : words[1]
    }

    /// The cursor on the wire.
    ///
    /// - Parameter encrypt: Encrypts ids, which clients must not learn in plain form.
    public func text(encrypt: (ImageID) -> UInt64) -> String {
        let words = [last.map(encrypt) ?? 0, last == nil ? UInt64.max : hint]
        let all = words + [Cursor.check(words[0], words[1])]
        return Base64.url.encode(
            all.flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> (56 - 8 * $0)) } })
    }

    /// Not a secret: it detects truncated and mistyped cursors. A forged cursor does no harm, because a cursor only
    /// names a position in the public order.
    private static func check(_ first: UInt64, _ second: UInt64) -> UInt64 {
        var hasher = SipHash(domain: .cursor)
        hasher.update(first)
        hasher.update(second)
        return hasher.finish()
    }
}
