import Encodings

/// A JWS in compact serialization (RFC 7515 §3.1): a header, a payload, and a signature, each in base64url.
struct JSONWebSignature: Hashable, Sendable {
    /// The algorithms that are accepted (RFC 7518 §3.1, RFC 8037 §3.1, RFC 9864 §2.2). Neither `none` nor those with a
    /// shared secret are among them: an attacker could use the public key as the secret.
    static let algorithms: [String: PublicKey.Algorithm] = [
        "RS256": .rs256, "ES256": .es256, "EdDSA": .edDSA, "Ed25519": .edDSA,
    ]

    /// In bytes, as the limits below.
    static let longest = 16 << 10
    static let longestKeyID = 512

    let algorithm: PublicKey.Algorithm
    /// Which key has signed, if the header says so.
    let keyID: String?
    let payload: [UInt8]
    private let signedBytes: [UInt8]
    private let signature: [UInt8]

    /// Nil for a text that is malformed or too long, whose algorithm is not accepted, or whose header says that a reader
    /// must know extensions (RFC 7515 §4.1.11).
    init?(_ text: String) {
        guard text.utf8.count <= Self.longest else { return nil }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 3, let header = Base64.url.decode(parts[0]), let payload = Base64.url.decode(parts[1]),
            let signature = Base64.url.decode(parts[2]), let json = try? JSONField(header),
            let name = try? json.required("alg").text(longest: 64), let algorithm = Self.algorithms[name],
            let extensions = try? json["crit"] == nil, extensions
        else { return nil }
        do { keyID = try json["kid"]?.text(longest: Self.longestKeyID) } catch { return nil }
        self.algorithm = algorithm
        self.payload = payload
        self.signature = signature
        signedBytes = Array("\(parts[0]).\(parts[1])".utf8)
    }

    /// Whether the algorithm and the key id match the key.
    func refers(to key: JSONWebKey) -> Bool {
        key.key.algorithm == algorithm && (keyID == nil || keyID == key.id)
    }

    func isSigned(by key: PublicKey) -> Bool {
        guard key.algorithm == algorithm else { return false }
        guard algorithm == .es256 else { return key.isSignature(signature, of: signedBytes) }
        // Two numbers of 32 bytes each (RFC 7518 §3.4), where libcrypto has a sequence (RFC 3279 §2.2.3).
        guard signature.count == 64 else { return false }
        let numbers = DER.integer(signature.prefix(32)) + DER.integer(signature.suffix(32))
        return key.isSignature(DER.sequence(numbers), of: signedBytes)
    }
}
