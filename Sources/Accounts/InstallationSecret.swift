import Encodings
import Hashing

/// A secret of the installation, from which keys for different purposes are derived. All nodes of a gallery have the same.
public struct InstallationSecret: Sendable {
    static let byteCount = 32
    let bytes: [UInt8]

    /// Nil unless there are 32 bytes.
    init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        self.bytes = bytes
    }

    /// The secret that an operator has chosen for several nodes.
    public init(text: String) {
        bytes = SHA256.hash(Array(text.utf8))
    }

    static func random() -> InstallationSecret { InstallationSecret(.random(byteCount))! }

    /// A key for one purpose: 128 bits of SHA-256 over the secret and the purpose. The secret has a fixed length, so no two
    /// pairs are hashed alike.
    public func key(for purpose: String) -> (UInt64, UInt64) {
        let digest = digest(for: purpose)
        func word(_ start: Int) -> UInt64 {
            digest[start..<start + 8].reduce(0) { $0 << 8 | UInt64($1) }
        }
        return (word(0), word(8))
    }

    /// The same 128 bits as a text.
    func text(for purpose: String) -> String { Base64.url.encode(digest(for: purpose).prefix(16)) }

    private func digest(for purpose: String) -> [UInt8] { SHA256.hash(bytes + Array(purpose.utf8)) }
}
