/// Base 64 (RFC 4648).
public struct Base64: Sendable {
    private let alphabet: StaticString
    private let isPadded: Bool

    /// The standard alphabet, padded (§4).
    public static let standard = Base64(
        alphabet: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", isPadded: true)
    /// The alphabet for URLs and file names, without padding (§5).
    public static let url = Base64(
        alphabet: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_", isPadded: false)

    /// The text that encodes `bytes`.
    public func encode(_ bytes: some Sequence<UInt8>) -> String {
        let bytes = Array(bytes)
        var letters: [UInt8] = []
        letters.reserveCapacity((bytes.count + 2) / 3 * 4)
        append(bytes, to: &letters)
        return String(decoding: letters, as: UTF8.self)
    }

    /// Appends the letters that ``encode(_:)`` returns.
    public func append(_ bytes: [UInt8], to letters: inout [UInt8]) {
        var pending: UInt32 = 0
        var bits: UInt32 = 0
        for byte in bytes {
            pending = (pending << 8 | UInt32(byte)) & 0xffff
            bits += 8
            while bits >= 6 {
                bits -= 6
                letters.append(alphabet.utf8Start[Int(pending >> bits & 63)])
            }
        }
        guard bits > 0 else { return }
        letters.append(alphabet.utf8Start[Int(pending << (6 - bits) & 63)])
        if isPadded { letters += repeatElement(UInt8(ascii: "="), count: bits == 2 ? 2 : 1) }
    }

    /// The bytes that `text` encodes; nil for any text that ``encode(_:)`` does not return. Strict, so that no two
    /// texts stand for the same bytes.
    public func decode(_ text: String) -> [UInt8]? {
        var letters = text.utf8[...]
        if isPadded {
            guard letters.count % 4 == 0 else { return nil }
            for _ in 0..<2 where letters.last == UInt8(ascii: "=") { letters.removeLast() }
        }
        guard letters.count % 4 != 1 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(letters.count * 3 / 4)
        var pending: UInt32 = 0
        var bits: UInt32 = 0
        for letter in letters {
            guard let digit = digit(letter) else { return nil }
            pending = (pending << 6 | digit) & 0xffff
            bits += 6
            if bits >= 8 {
                bits -= 8
                bytes.append(UInt8(truncatingIfNeeded: pending >> bits))
            }
        }
        // The unused bits of the last letter must be zero (§3.5).
        guard pending & (1 << bits - 1) == 0 else { return nil }
        return bytes
    }

    /// Whether a byte is a letter of the alphabet.
    public func contains(_ byte: UInt8) -> Bool { digit(byte) != nil }

    private func digit(_ byte: UInt8) -> UInt32? {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(byte - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(byte - UInt8(ascii: "a")) + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte - UInt8(ascii: "0")) + 52
        case alphabet.utf8Start[62]: 62
        case alphabet.utf8Start[63]: 63
        default: nil
        }
    }
}
