import Hashing

/// Message authentication codes (MACs) for one purpose. Only the nodes of a gallery can make them.
///
/// A truncated SHA-256 with a key prefix: half of the digest stays secret, which prevents length extension.
struct MessageCode: Sendable {
    /// In bytes.
    static let length = 16

    private let key: [UInt8]

    init(_ secret: InstallationSecret, for purpose: String) { key = Array(secret.text(for: purpose).utf8) }

    func callAsFunction(_ message: [UInt8]) -> [UInt8] { Array(SHA256.hash(key + message).prefix(Self.length)) }

    /// Whether `code` is that of the message. Compares in constant time.
    func isCode(_ code: some Collection<UInt8>, of message: [UInt8]) -> Bool {
        code.count == Self.length && zip(code, self(message)).reduce(0 as UInt8) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
