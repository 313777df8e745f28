/// Sixty-four bits written as 13 letters of Crockford's base 32, in lower case: short, safe in a URL path, and
/// without the letters that people confuse (i, l, o, u).
enum OpaqueCode {
    private static let alphabet = Array("0123456789abcdefghjkmnpqrstvwxyz".utf8)
    private static let length = 13

    static func encode(_ value: UInt64) -> String {
        String(unsafeUninitializedCapacity: length) { buffer in
            for position in 0..<length {
                let shift = UInt64(5 * (length - 1 - position))
                buffer[position] = alphabet[Int((value >> shift) & 31)]
            }
            return length
        }
    }

    /// Nil unless `text` is exactly what `encode` makes.
    static func decode(_ text: some StringProtocol) -> UInt64? {
        guard text.utf8.count == length else { return nil }
        var value: UInt64 = 0
        for (position, byte) in text.utf8.enumerated() {
            guard let digit = digit(of: byte), position > 0 || digit < 16 else { return nil }
            value = value << 5 | digit
        }
        return value
    }

    private static func digit(of byte: UInt8) -> UInt64? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt64(byte - UInt8(ascii: "0"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): alphabet.firstIndex(of: byte).map(UInt64.init)
        default: nil
        }
    }
}
