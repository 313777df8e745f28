internal import CCrypto

/// The public key of a passkey or of an OpenID provider, with the algorithm of its signatures. The key is a
/// `SubjectPublicKeyInfo` (RFC 5280 §4.1.2.7) in DER, as browsers return it from `getPublicKey()`.
struct PublicKey: Hashable, Sendable {
    /// The signature algorithms that are supported, by their COSE numbers (RFC 9053 §2, RFC 8812 §2). Every
    /// common authenticator and provider supports at least one.
    enum Algorithm: Int, Sendable, CaseIterable {
        case es256 = -7
        case edDSA = -8
        case rs256 = -257
    }

    let algorithm: Algorithm
    let der: [UInt8]

    /// In bytes. A key of 4,096 bits has 550.
    private static let longestKey = 1_024
    /// In bytes. A signature has as many as an RSA key.
    private static let longestSignature = 1_024
    /// Fewer bits are unsafe (NIST SP 800-131A §3), and more take long to check.
    private static let rsaBits: ClosedRange<Int32> = 2_048...4_096
    /// In bytes, what a key has beside its modulus; 38 with the usual exponent, 65,537. The time of a check grows with the
    /// length of the exponent.
    private static let longestRSAOverhead = 48

    /// Nil unless `der` is a key for this algorithm: on the curve P-256 for ES256, on Ed25519 for EdDSA, and of 2,048 to 4,096
    /// bits for RS256.
    init?(_ algorithm: Algorithm, der: [UInt8]) {
        guard (1...Self.longestKey).contains(der.count) else { return nil }
        self.algorithm = algorithm
        self.der = der
        guard withKey({ Self.isSuitable($0, of: der.count, for: algorithm) }) == true else { return nil }
    }

    /// Whether the key's owner has signed `data`. False for whatever is no signature.
    func isSignature(_ signature: [UInt8], of data: [UInt8]) -> Bool {
        guard signature.count <= Self.longestSignature else { return false }
        return withKey { key in
            guard let context = EVP_MD_CTX_new() else { return false }
            defer { EVP_MD_CTX_free(context) }
            // Ed25519 hashes by itself.
            let digest = algorithm == .edDSA ? nil : EVP_sha256()
            return EVP_DigestVerifyInit(context, nil, digest, nil, key) == 1
                && EVP_DigestVerify(context, signature, signature.count, data, data.count) == 1
        } == true
    }

    /// Nil if `der` is not exactly one key.
    private func withKey<Value>(_ body: (OpaquePointer) -> Value) -> Value? {
        // What libcrypto noted of a failure would later be taken for one of another call on this thread.
        defer { ERR_clear_error() }
        return der.withUnsafeBufferPointer { bytes in
            var next = bytes.baseAddress
            guard let key = d2i_PUBKEY(nil, &next, bytes.count) else { return nil }
            defer { EVP_PKEY_free(key) }
            guard next == bytes.baseAddress.map({ $0 + bytes.count }) else { return nil }
            return body(key)
        }
    }

    private static func isSuitable(_ key: OpaquePointer, of length: Int, for algorithm: Algorithm) -> Bool {
        let kind = EVP_PKEY_get_base_id(key)
        switch algorithm {
        case .es256: return kind == EVP_PKEY_EC && curve(of: key) == "prime256v1"
        case .edDSA: return kind == EVP_PKEY_ED25519
        case .rs256:
            let bits = EVP_PKEY_get_bits(key)
            return kind == EVP_PKEY_RSA && rsaBits.contains(bits) && length <= Int(bits) / 8 + longestRSAOverhead
        }
    }

    private static func curve(of key: OpaquePointer) -> String? {
        var name = [CChar](repeating: 0, count: 64)
        guard EVP_PKEY_get_group_name(key, &name, name.count, nil) == 1 else { return nil }
        return String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
