import Encodings
import Hashing

/// Random bytes that grant access to anybody who knows them: a session's cookie, an app token, an invitation. The library
/// stores only their digest, so a copy of the library opens no session.
public struct Secret: Sendable {
    private let bytes: [UInt8]
    /// What the text begins with, so that people and programs recognise a leaked one.
    private let prefix: String

    /// - Parameter count: The number of bytes, 16 or more.
    static func random(_ count: Int, prefix: String = "") -> Secret {
        Secret(bytes: .random(count), prefix: prefix)
    }

    private init(bytes: [UInt8], prefix: String) {
        self.bytes = bytes
        self.prefix = prefix
    }

    /// Nil for a text that is no secret with this prefix.
    init?(_ text: String, prefix: String = "") {
        guard text.utf8.count <= 128, text.hasPrefix(prefix),
            let bytes = Base64.url.decode(String(text.dropFirst(prefix.count))), bytes.count >= 16
        else { return nil }
        self.init(bytes: bytes, prefix: prefix)
    }

    /// The text for the holder: the prefix, and base64url.
    public var text: String { prefix + Base64.url.encode(bytes) }

    /// What the library stores: SHA-256. The bytes are random, so a slow hash would protect them no better.
    var digest: String { Base64.url.encode(SHA256.hash(bytes)) }
}

extension [UInt8] {
    /// Random bytes of the system's generator.
    static func random(_ count: Int) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }
}
