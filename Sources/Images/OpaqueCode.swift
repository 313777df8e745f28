/// Encodes 64 bits as 13 characters of Crockford's base 32 in lower case: short, safe in a URL path, and without the
/// letters that people confuse (i, l, o, u).
enum OpaqueCode {
    private static var alphabet: StaticString { "0123456789abcdefghjkmnpqrstvwxyz" }
    private static let length = 13
    private static let noDigit: UInt8 = 0xff

    /// The value of each character, by its byte; `noDigit` for all others.
    private static let digits: [UInt8] = {
        var digits = [UInt8](repeating: noDigit, count: 256)
        for value in 0..<alphabet.utf8CodeUnitCount { digits[Int(letter(of: UInt64(value)))] = UInt8(value) }
        return digits
    }()

    static func encode(_ value: UInt64) -> String {
        String(unsafeUninitializedCapacity: length) { buffer in
            for position in 0..<length { buffer[position] = letter(of: value >> shift(position)) }
            return length
        }
    }

    /// Appends the characters that `encode` returns.
    static func append(_ value: UInt64, to bytes: inout [UInt8]) {
        for position in 0..<length { bytes.append(letter(of: value >> shift(position))) }
    }

    private static func shift(_ position: Int) -> UInt64 { UInt64(5 * (length - 1 - position)) }

    private static func letter(of digit: UInt64) -> UInt8 { alphabet.utf8Start[Int(digit & 31)] }

    /// Nil unless `text` is exactly what `encode` returns.
    static func decode(_ text: String) -> UInt64? {
        var text = text
        return text.withUTF8 { decode(UnsafeRawBufferPointer($0)) }
    }

    /// The same for the characters' bytes.
    static func decode(_ letters: UnsafeRawBufferPointer) -> UInt64? {
        guard letters.count == length else { return nil }
        return digits.withUnsafeBufferPointer { digits in
            var value: UInt64 = 0
            for letter in letters {
                let digit = digits[Int(letter)]
                // Thirteen characters hold 65 bits, so the first bit must be zero.
                guard digit != noDigit, value >> 59 == 0 else { return nil }
                value = value << 5 | UInt64(digit)
            }
            return value
        }
    }
}
