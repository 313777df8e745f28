/// base64url (RFC 4648 §5) without padding, strict: each text has one reading and each reading one text.
public enum Base64URL {
    private static var alphabet: StaticString { "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_" }

    /// Four letters for each three bytes, and for what is left over one letter more than it has bytes.
    public static func encode(_ bytes: [UInt8]) -> String {
        var letters: [UInt8] = []
        letters.reserveCapacity((bytes.count * 4 + 2) / 3)
        append(bytes, to: &letters)
        return String(decoding: letters, as: UTF8.self)
    }

    /// Appends the letters that `encode` makes.
    public static func append(_ bytes: [UInt8], to letters: inout [UInt8]) {
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
        if bits > 0 { letters.append(alphabet.utf8Start[Int(pending << (6 - bits) & 63)]) }
    }

    /// Nil for any text that `encode` does not make.
    public static func decode(_ text: String) -> [UInt8]? {
        guard text.utf8.count % 4 != 1 else { return nil }
        var bytes: [UInt8] = []
        var pending: UInt32 = 0
        var bits: UInt32 = 0
        for character in text.utf8 {
            guard let digit = digit(of: character) else { return nil }
            pending = (pending << 6 | digit) & 0xffff
            bits += 6
            if bits >= 8 {
                bits -= 8
                bytes.append(UInt8(truncatingIfNeeded: pending >> bits))
            }
        }
        // What is left over of the last letter must be nought, or two texts would mean the same bytes.
        guard pending & (1 << bits - 1) == 0 else { return nil }
        return bytes
    }

    private static func digit(of byte: UInt8) -> UInt32? {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(byte - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(byte - UInt8(ascii: "a")) + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte - UInt8(ascii: "0")) + 52
        case UInt8(ascii: "-"): 62
        case UInt8(ascii: "_"): 63
        default: nil
        }
    }
}
