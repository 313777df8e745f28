/// The server's ticket for one showing of one slot: 128 random bits, written as 22 letters of base64url (RFC 4648 §5).
public struct Token: Hashable, Sendable, LosslessStringConvertible {
    private let bits: RandomBits

    init() { bits = RandomBits() }

    /// Nil unless `description` is a token in its one written form.
    public init?(_ description: String) {
        guard let bits = RandomBits(description) else { return nil }
        self.bits = bits
    }

    public var description: String { bits.description }
}

/// One open page, or one client of the API: 128 random bits, written as 22 letters of base64url (RFC 4648 §5).
public struct SessionID: Hashable, Sendable, LosslessStringConvertible {
    private let bits: RandomBits

    init() { bits = RandomBits() }

    /// Nil unless `description` is a session in its one written form.
    public init?(_ description: String) {
        guard let bits = RandomBits(description) else { return nil }
        self.bits = bits
    }

    public var description: String { bits.description }
}

/// A name that cannot be guessed: 128 bits from the system's generator.
struct RandomBits: Hashable, Sendable {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    private static let length = 22

    let high: UInt64
    let low: UInt64

    init() {
        var system = SystemRandomNumberGenerator()
        high = system.next()
        low = system.next()
    }

    init?(_ text: String) {
        guard text.utf8.count == Self.length else { return nil }
        var high: UInt64 = 0
        var low: UInt64 = 0
        for (position, byte) in text.utf8.enumerated() {
            guard let digit = Self.digit(of: byte) else { return nil }
            if position == Self.length - 1 {
                // The last letter carries two bits; one with more would be a second spelling.
                guard digit & 15 == 0 else { return nil }
                high = high << 2 | low >> 62
                low = low << 2 | digit >> 4
            } else {
                high = high << 6 | low >> 58
                low = low << 6 | digit
            }
        }
        self.high = high
        self.low = low
    }

    var description: String {
        String(unsafeUninitializedCapacity: Self.length) { buffer in
            for position in 0..<Self.length {
                let fromEnd = 122 - 6 * position
                let digit: UInt64
                if fromEnd >= 64 {
                    digit = high >> UInt64(fromEnd - 64)
                } else if fromEnd > 58 {
                    digit = high << UInt64(64 - fromEnd) | low >> UInt64(fromEnd)
                } else if fromEnd >= 0 {
                    digit = low >> UInt64(fromEnd)
                } else {
                    digit = low << UInt64(-fromEnd)
                }
                buffer[position] = Self.alphabet[Int(digit & 63)]
            }
            return Self.length
        }
    }

    private static func digit(of byte: UInt8) -> UInt64? {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt64(byte - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt64(byte - UInt8(ascii: "a")) + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt64(byte - UInt8(ascii: "0")) + 52
        case UInt8(ascii: "-"): 62
        case UInt8(ascii: "_"): 63
        default: nil
        }
    }
}
