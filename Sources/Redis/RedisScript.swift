import Encodings
import Hashing

/// A script that the server runs atomically. After its first use the server knows it by its digest.
public struct RedisScript: Hashable, Sendable {
    let source: String
    /// The SHA-1 of the source in hexadecimal, as `EVALSHA` expects it.
    let digest: String

    public init(_ source: String) {
        self.source = source
        digest = Hexadecimal.text(of: SHA1.hash(Array(source.utf8)))
    }
}
