import Encodings

/// A public key for signatures in JSON (RFC 7517), as an OpenID provider publishes it.
struct JSONWebKey: Hashable, Sendable {
    /// The name by which signatures refer to the key (§4.5).
    let id: String?
    let key: PublicKey

    /// `AlgorithmIdentifier` of RSA keys (RFC 8017 §A.1).
    private static let rsa: [UInt8] = [
        0x30, 0x0D, 0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01, 0x05, 0x00,
    ]
    /// The same for keys on the curve P-256 (RFC 5480 §2.1.1).
    private static let p256: [UInt8] = [
        0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D,
        0x03, 0x01, 0x07,
    ]
    /// The same for Ed25519 (RFC 8410 §3).
    private static let ed25519: [UInt8] = [0x30, 0x05, 0x06, 0x03, 0x2B, 0x65, 0x70]

    /// Nil for a key of another kind or for another use: a set may contain any, and its readers skip them (RFC 7517 §5).
    init?(_ json: JSONField) {
        guard let key = try? Self.key(json) else { return nil }
        self.key = key
        id = try? json["kid"]?.text(longest: JSONWebSignature.longestKeyID)
    }

    private static func key(_ json: JSONField) throws(JSONFieldError) -> PublicKey? {
        if let use = try json["use"]?.unlessNull, try use.text(longest: 64) != "sig" { return nil }
        // §4.3.
        if let uses = try json["key_ops"]?.unlessNull {
            let names = try uses.list(atMost: 16) { (name) throws(JSONFieldError) in try name.text(longest: 64) }
            guard names.contains("verify") else { return nil }
        }
        func bytes(_ name: String) throws(JSONFieldError) -> [UInt8] {
            try json.required(name).base64url(longest: 1_024)
        }
        let algorithm: PublicKey.Algorithm
        let der: [UInt8]
        switch (try json.required("kty").text(longest: 64), try json["crv"]?.unlessNull?.text(longest: 64)) {
        case ("RSA", _):
            // RFC 7518 §6.3.1. With the exponent 1, anybody could sign.
            let exponent = try bytes("e").drop { $0 == 0 }
            guard let last = exponent.last, last & 1 == 1, exponent != [1] else { return nil }
            let numbers = DER.sequence(DER.integer(try bytes("n")) + DER.integer(exponent))
            (algorithm, der) = (.rs256, DER.sequence(rsa + DER.bits(numbers)))
        case ("EC", "P-256"?):
            // §6.2.1; a point is written in the uncompressed form (SEC 1 §2.3.3).
            let (x, y) = (try bytes("x"), try bytes("y"))
            guard x.count == 32, y.count == 32 else { return nil }
            (algorithm, der) = (.es256, DER.sequence(p256 + DER.bits([4] + x + y)))
        case ("OKP", "Ed25519"?):
            // RFC 8037 §2.
            (algorithm, der) = (.edDSA, DER.sequence(ed25519 + DER.bits(try bytes("x"))))
        default: return nil
        }
        if let named = try json["alg"]?.unlessNull?.text(longest: 64), JSONWebSignature.algorithms[named] != algorithm {
            return nil
        }
        return PublicKey(algorithm, der: der)
    }

    /// The usable keys of a set (RFC 7517 §5).
    ///
    /// - Throws: `JSONFieldError` if the bytes are not a JWK set, or if the set has more than 100 keys.
    static func set(_ bytes: [UInt8]) throws(JSONFieldError) -> [JSONWebKey] {
        try JSONField(bytes).required("keys").list(atMost: 100) { (json) throws(JSONFieldError) in JSONWebKey(json) }
            .compactMap(\.self)
    }
}
