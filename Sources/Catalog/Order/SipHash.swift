/// SipHash-2-4 (Aumasson and Bernstein, 2012) with a fixed key: 64 bits that are equal on every machine and in every
/// run, which `Hasher` does not promise. Small, and fast enough to compute the ids of a million images during a scan.
struct SipHash {
    /// What is hashed, so that equal bytes with different meanings have different hashes.
    enum Domain: UInt64 {
        case file = 1
        case url = 2
        case template = 3
        case cursor = 4
        case object = 5
        case listing = 6
    }

    private var v0: UInt64
    private var v1: UInt64
    private var v2: UInt64
    private var v3: UInt64
    private var tail: UInt64 = 0
    private var count: UInt64 = 0

    init(key: (UInt64, UInt64)) {
        v0 = key.0 ^ 0x736f_6d65_7073_6575
        v1 = key.1 ^ 0x646f_7261_6e64_6f6d
        v2 = key.0 ^ 0x6c79_6765_6e65_7261
        v3 = key.1 ^ 0x7465_6462_7974_6573
    }

    /// The key is part of the definition of ids: with another key, every image of every gallery would get another id.
    init(domain: Domain) {
        self.init(key: (0x5465_7373_6572_6131, domain.rawValue))
    }

    mutating func update(_ bytes: some Sequence<UInt8>) {
        for byte in bytes { update(byte) }
    }

    /// As eight bytes, little-endian.
    mutating func update(_ word: UInt64) {
        for shift in 0..<8 { update(UInt8(truncatingIfNeeded: word >> (8 * UInt64(shift)))) }
    }

    mutating func update(_ byte: UInt8) {
        tail |= UInt64(byte) << (8 * (count & 7))
        count &+= 1
        if count & 7 == 0 {
            compress(tail)
            tail = 0
        }
    }

    mutating func finish() -> UInt64 {
        compress(tail | count << 56)
        v2 ^= 0xff
        for _ in 0..<4 { round() }
        return v0 ^ v1 ^ v2 ^ v3
    }

    private mutating func compress(_ word: UInt64) {
        v3 ^= word
        round()
        round()
        v0 ^= word
    }

    private mutating func round() {
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
