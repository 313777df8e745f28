/// Sixty-four bits written as 13 letters of Crockford's base 32, in lower case: short, safe in a URL path, and
/// without the letters that people confuse (i, l, o, u).
enum OpaqueCode {
    private static let alphabet = Array("0123456789abcdefghjkmnpqrstvwxyz".utf8)
    private static let length = 13
    private static let noDigit: UInt8 = 0xff

    /// The value of each letter, by its byte.
    private static let digits: [UInt8] = {
        var digits = [UInt8](repeating: noDigit, count: 256)
        for (value, letter) in alphabet.enumerated() { digits[Int(letter)] = UInt8(value) }
        return digits
    }()

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
    static func decode(_ text: String) -> UInt64? {
        var text = text
        return text.withUTF8 { decode(UnsafeRawBufferPointer($0)) }
    }

    /// The same of the letters' bytes.
    static func decode(_ letters: UnsafeRawBufferPointer) -> UInt64? {
        guard letters.count == length else { return nil }
        var value: UInt64 = 0
        for letter in letters {
            let digit = digits[Int(letter)]
            // Thirteen letters hold one bit more than there is room for; the first has to leave it empty.
            guard digit != noDigit, value >> 59 == 0 else { return nil }
            value = value << 5 | UInt64(digit)
        }
        return value
    }
}
