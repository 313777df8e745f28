import CCrypto
import Encodings
import Hashing

@testable import Accounts

/// An authenticator made of software, whose every answer a test can spoil.
final class SoftwareAuthenticator {
    let key: OpaquePointer
    let algorithm: Int
    var credential: [UInt8] = .random(16)
    var counter: UInt32 = 0
    var flags: AuthenticatorData.Flags = [.userPresent, .userVerified]
    var relyingParty = "localhost"
    var origin = "http://localhost:8080"
    /// Further members of the client data.
    var more = ""

    init(_ kind: String, _ algorithm: Int, curve: String? = nil, bits: Int32? = nil) {
        self.algorithm = algorithm
        let context = EVP_PKEY_CTX_new_from_name(nil, kind, nil)
        defer { EVP_PKEY_CTX_free(context) }
        var made: OpaquePointer?
        precondition(EVP_PKEY_keygen_init(context) == 1)
        if let curve { precondition(EVP_PKEY_CTX_set_group_name(context, curve) == 1) }
        if let bits { precondition(EVP_PKEY_CTX_set_rsa_keygen_bits(context, bits) == 1) }
        precondition(EVP_PKEY_generate(context, &made) == 1)
        key = made!
    }

    convenience init() { self.init("EC", -7, curve: "P-256") }

    deinit { EVP_PKEY_free(key) }

    var publicKey: [UInt8] {
        var bytes: UnsafeMutablePointer<UInt8>?
        let length = i2d_PUBKEY(key, &bytes)
        defer { CRYPTO_free(bytes, nil, 0) }
        return Array(UnsafeBufferPointer(start: bytes, count: Int(length)))
    }

    func signature(of data: [UInt8]) -> [UInt8] {
        let context = EVP_MD_CTX_new()
        defer { EVP_MD_CTX_free(context) }
        var length = 0
        let digest = algorithm == -8 ? nil : EVP_sha256()
        precondition(EVP_DigestSignInit(context, nil, digest, nil, key) == 1)
        precondition(EVP_DigestSign(context, nil, &length, data, data.count) == 1)
        var signature = [UInt8](repeating: 0, count: length)
        precondition(EVP_DigestSign(context, &signature, &length, data, data.count) == 1)
        return Array(signature.prefix(length))
    }

    func response(_ type: String, _ challenge: [UInt8]) -> PasskeyResponse {
        let client =
            #"{"type":"\#(type)","challenge":"\#(Base64.url.encode(challenge))","origin":"\#(origin)"\#(more)}"#
        let isCreation = type == ClientData.creation
        var data = SHA256.hash(Array(relyingParty.utf8))
        data.append(flags.rawValue | (isCreation ? AuthenticatorData.Flags.credentialIncluded.rawValue : 0))
        data += [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: counter >> $0) }
        if isCreation {
            data += [UInt8](repeating: 0, count: 16) + [0, UInt8(credential.count)] + credential + publicKey
        }
        return PasskeyResponse(credential: credential, clientData: Array(client.utf8), authenticatorData: data)
    }
}
