import Images

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

    /// Appends the letters of the description.
    public func append(to letters: inout [UInt8]) { Base64URL.append(bits.bytes, to: &letters) }

    /// Appends the 16 bytes that the bits are, the most significant first.
    public func appendBytes(to bytes: inout [UInt8]) {
        for half in [bits.high, bits.low] {
            withUnsafeBytes(of: half.bigEndian) { bytes.append(contentsOf: $0) }
        }
    }
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
    static let byteCount = 16

    let high: UInt64
    let low: UInt64

    init() {
        var system = SystemRandomNumberGenerator()
        high = system.next()
        low = system.next()
    }

    /// Nil unless there are sixteen, most significant first.
    init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        high = bytes[..<8].reduce(0) { $0 << 8 | UInt64($1) }
        low = bytes[8...].reduce(0) { $0 << 8 | UInt64($1) }
    }

    init?(_ text: String) {
        guard let bytes = Base64URL.decode(text) else { return nil }
        self.init(bytes)
    }

    /// Sixteen, most significant first.
    var bytes: [UInt8] {
        [UInt8](unsafeUninitializedCapacity: Self.byteCount) { buffer, count in
            for position in 0..<8 {
                let shift = UInt64(56 - 8 * position)
                buffer[position] = UInt8(truncatingIfNeeded: high >> shift)
                buffer[position + 8] = UInt8(truncatingIfNeeded: low >> shift)
            }
            count = Self.byteCount
        }
    }

    var description: String { Base64URL.encode(bytes) }
}
