/// SipHash-2-4 (Aumasson and Bernstein, 2012): 64 bits that are equal on every machine and in every run, which `Hasher`
/// does not promise. With a secret key it is a pseudorandom function: whoever lacks the key can predict no output.
public struct SipHash: Sendable {
    @usableFromInline var v0: UInt64
    @usableFromInline var v1: UInt64
    @usableFromInline var v2: UInt64
    @usableFromInline var v3: UInt64
    @usableFromInline var tail: UInt64 = 0
    @usableFromInline var count: UInt64 = 0

    @inlinable
    public init(key: (UInt64, UInt64)) {
        v0 = key.0 ^ 0x736f_6d65_7073_6575
        v1 = key.1 ^ 0x646f_7261_6e64_6f6d
        v2 = key.0 ^ 0x6c79_6765_6e65_7261
        v3 = key.1 ^ 0x7465_6462_7974_6573
    }

    @inlinable
    public mutating func update(_ bytes: some Sequence<UInt8>) {
        for byte in bytes { update(byte) }
    }

    /// As eight bytes, little-endian.
    @inlinable
    public mutating func update(_ word: UInt64) {
        guard count & 7 != 0 else {
            count &+= 8
            return compress(word)
        }
        for shift in 0..<8 { update(UInt8(truncatingIfNeeded: word >> (8 * UInt64(shift)))) }
    }

    @inlinable
    public mutating func update(_ byte: UInt8) {
        tail |= UInt64(byte) << (8 * (count & 7))
        count &+= 1
        if count & 7 == 0 {
            compress(tail)
            tail = 0
        }
    }

    @inlinable
    public mutating func finish() -> UInt64 {
        compress(tail | count << 56)
        v2 ^= 0xff
        for _ in 0..<4 { round() }
        return v0 ^ v1 ^ v2 ^ v3
    }

    @inlinable
    @inline(__always)
    mutating func compress(_ word: UInt64) {
        v3 ^= word
        round()
        round()
        v0 ^= word
    }

    @inlinable
    @inline(__always)
    mutating func round() {
        v0 = v0 &+ v1
        v1 = v1 << 13 | v1 >> 51
        v1 ^= v0
        v0 = v0 << 32 | v0 >> 32
        v2 = v2 &+ v3
        v3 = v3 << 16 | v3 >> 48
        v3 ^= v2
        v0 = v0 &+ v3
        v3 = v3 << 21 | v3 >> 43
        v3 ^= v0
        v2 = v2 &+ v1
        v1 = v1 << 17 | v1 >> 47
        v1 ^= v2
        v2 = v2 << 32 | v2 >> 32
    }
}
