import Hashing
import Images

/// Translates between image ids and the public ids that clients see, without a table.
///
/// A Feistel network of six rounds whose round function is SipHash-2-4 under a secret key: a pseudorandom permutation of
/// 64-bit blocks (Luby and Rackoff, 1988; six rounds resist adversaries that see fewer than about 2^32 pairs: Patarin,
/// 2004). So public ids are unique, and whoever lacks the key can neither compute nor recognise one.
struct ImageIDCipher: Sendable {
    private static let rounds: UInt64 = 6
    private let key: (UInt64, UInt64)?

    /// - Parameter key: 128 secret bits; nil to leave ids as they are.
    init(key: (UInt64, UInt64)?) {
        self.key = key
    }

    /// Leaves ids as they are.
    static let none = ImageIDCipher(key: nil)

    func encrypt(_ id: ImageID) -> PublicImageID {
        guard let key else { return PublicImageID(rawValue: id.rawValue) }
        var (left, right) = (UInt32(truncatingIfNeeded: id.rawValue >> 32), UInt32(truncatingIfNeeded: id.rawValue))
        for round in 0..<Self.rounds { (left, right) = (right, left ^ Self.mix(right, round, key)) }
        return PublicImageID(rawValue: UInt64(left) << 32 | UInt64(right))
    }

    func decrypt(_ id: PublicImageID) -> ImageID {
        guard let key else { return ImageID(rawValue: id.rawValue) }
        var (left, right) = (UInt32(truncatingIfNeeded: id.rawValue >> 32), UInt32(truncatingIfNeeded: id.rawValue))
        for round in (0..<Self.rounds).reversed() { (left, right) = (right ^ Self.mix(left, round, key), left) }
        return ImageID(rawValue: UInt64(left) << 32 | UInt64(right))
    }

    /// The id whose public form is this text; nil if it is no id's text.
    func decrypt(_ text: String) -> ImageID? { PublicImageID(text).map(decrypt) }

    private static func mix(_ half: UInt32, _ round: UInt64, _ key: (UInt64, UInt64)) -> UInt32 {
        var hash = SipHash(key: key)
        hash.update(round << 32 | UInt64(half))
        return UInt32(truncatingIfNeeded: hash.finish())
    }
}
