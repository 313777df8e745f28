import Crypto

/// A script that the server runs as one step. Known to it by its digest after the first time.
public struct RedisScript: Hashable, Sendable {
    let source: String
    /// The SHA-1 of the source in hexadecimal, as `EVALSHA` wants it.
    let digest: String

    public init(_ source: String) {
        self.source = source
        let letters = Array("0123456789abcdef".utf8)
        let hash = Insecure.SHA1.hash(data: Array(source.utf8))
        digest = String(decoding: hash.flatMap { [letters[Int($0 >> 4)], letters[Int($0 & 15)]] }, as: UTF8.self)
    }
}
