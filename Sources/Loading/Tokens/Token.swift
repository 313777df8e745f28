import Encodings

/// The server's ticket for one display of one slot: the tag of the node that issued it and 96 random bits, written as
/// 22 characters of base64url (RFC 4648 §5).
public struct Token: Hashable, Sendable, LosslessStringConvertible {
    private let bits: TaggedBits

    init(of node: NodeTag) { bits = TaggedBits(of: node) }

    /// Nil unless there are exactly 16 bytes, as ``appendBytes(to:)`` writes them.
    public init?(bytes: some Collection<UInt8>) {
        guard let bits = TaggedBits(bytes) else { return nil }
        self.bits = bits
    }

    /// The node that issued the token and keeps its state.
    public var ownerNode: NodeTag { bits.node }

    /// Nil unless `description` is a token in its canonical form.
    public init?(_ description: String) {
        guard let bits = TaggedBits(description) else { return nil }
        self.bits = bits
    }

    public var description: String { bits.description }

    /// Appends the characters of the description.
    public func append(to letters: inout [UInt8]) { Base64.url.append(bits.bytes, to: &letters) }

    /// Appends the token's 16 bytes, most significant first.
    public func appendBytes(to bytes: inout [UInt8]) { bits.append(to: &bytes) }
}

/// One open page, or one client of the API: the tag of the node that began it and 96 random bits, written as 22
/// characters of base64url (RFC 4648 §5).
public struct SessionID: Hashable, Sendable, LosslessStringConvertible {
    private let bits: TaggedBits

    init(of node: NodeTag) { bits = TaggedBits(of: node) }

    /// Nil unless there are exactly 16 bytes, as ``appendBytes(to:)`` writes them.
    public init?(bytes: some Collection<UInt8>) {
        guard let bits = TaggedBits(bytes) else { return nil }
        self.bits = bits
    }

    /// The node that began the session and keeps all its tokens.
    public var ownerNode: NodeTag { bits.node }

    /// Nil unless `description` is a session in its canonical form.
    public init?(_ description: String) {
        guard let bits = TaggedBits(description) else { return nil }
        self.bits = bits
    }

    public var description: String { bits.description }

    /// Appends the session's 16 bytes, most significant first.
    public func appendBytes(to bytes: inout [UInt8]) { bits.append(to: &bytes) }
}

/// An unguessable name that identifies its node: the node's tag, then 96 bits from the system's random generator.
struct TaggedBits: Hashable, Sendable {
    static let byteCount = 16

    let high: UInt64
    let low: UInt64

    init(of node: NodeTag) {
        var system = SystemRandomNumberGenerator()
        high = UInt64(node.rawValue) << 32 | UInt64(truncatingIfNeeded: system.next() as UInt32)
        low = system.next()
    }

    /// Nil unless there are exactly 16 bytes, most significant first.
    init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == Self.byteCount else { return nil }
        high = bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
        low = bytes.dropFirst(8).reduce(0) { $0 << 8 | UInt64($1) }
    }

    init?(_ text: String) {
        guard let bytes = Base64.url.decode(text) else { return nil }
        self.init(bytes)
    }

    var node: NodeTag { NodeTag(rawValue: UInt32(high >> 32)) }

    /// Appends 16 bytes, most significant first.
    func append(to bytes: inout [UInt8]) {
        for half in [high, low] {
            withUnsafeBytes(of: half.bigEndian) { bytes.append(contentsOf: $0) }
        }
    }

    /// The 16 bytes, most significant first.
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

    var description: String { Base64.url.encode(bytes) }
}
