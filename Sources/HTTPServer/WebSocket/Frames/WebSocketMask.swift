/// The mask of a client's frame (RFC 6455 §5.3), at the current position in the payload.
struct WebSocketMask: Hashable, Sendable {
    /// The four bytes; the one for the payload's next byte comes first in memory.
    private var key: UInt32

    /// `key` as in the frame: its first byte is the most significant.
    init(key: UInt32) { self.key = key.bigEndian }

    /// Masks or unmasks the next bytes of the payload in place, a word at a time.
    mutating func apply(to bytes: UnsafeMutableRawBufferPointer) {
        guard let base = bytes.baseAddress else { return }
        let key = UInt32(littleEndian: self.key)
        let word = UInt64(littleEndian: UInt64(key) << 32 | UInt64(key))
        var index = 0
        while index + 8 <= bytes.count {
            let value = (base + index).loadUnaligned(as: UInt64.self) ^ word
            (base + index).storeBytes(of: value, as: UInt64.self)
            index += 8
        }
        // At this point, as at the beginning, a whole number of keys has been used.
        var rest = key
        while index < bytes.count {
            bytes[index] ^= UInt8(truncatingIfNeeded: rest)
            rest = rest >> 8 | rest << 24
            index += 1
        }
        self.key = UInt32(littleEndian: rest)
    }
}
