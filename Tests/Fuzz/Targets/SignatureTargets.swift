import Encodings

@testable import Accounts

/// A token in compact serialization: only the signed text of a standard's example has a valid signature.
enum SignatureTarget: FuzzTarget {
    /// Of RFC 7515 §A.2 and §A.3, and RFC 8037 §A.4.
    private static let rsa = """
        {"kty":"RSA","e":"AQAB","n":"ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJ\
        PMEzP1Pt0Bm4d4QlL-yRT-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5\
        z5rexMdbBYUsLA9e-KXBdQOS-UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK\
        -DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQ"}
        """
    private static let p256 = """
        {"kty":"EC","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",\
        "y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}
        """
    private static let ed25519 = #"{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}"#
    private static let keys = [rsa, p256, ed25519].compactMap { text in
        (try? JSONField(text)).flatMap { JSONWebKey($0) }
    }
    /// What the examples sign, and the algorithms that their headers name.
    private static let payloads: [String: PublicKey.Algorithm?] = [
        "{\"iss\":\"joe\",\r\n \"exp\":1300819380,\r\n \"http://example.com/is_root\":true}": nil,
        "Example of Ed25519 signing": .edDSA,
    ]

    static func run(_ input: [UInt8]) {
        precondition(keys.count == 3)
        guard let text = String(validating: input, as: UTF8.self), let token = JSONWebSignature(text) else { return }
        precondition(text.utf8.count <= JSONWebSignature.longest)
        precondition((token.keyID?.utf8.count ?? 0) <= JSONWebSignature.longestKeyID)
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        precondition(parts.count == 3 && parts[1] == Base64.url.encode(token.payload), "the payload is another one")
        for key in keys {
            precondition(!token.refers(to: key) || key.key.algorithm == token.algorithm)
            guard token.isSigned(by: key.key) else { continue }
            precondition(key.key.algorithm == token.algorithm, "a key of another algorithm")
            guard let algorithm = payloads[String(decoding: token.payload, as: UTF8.self)] else {
                preconditionFailure("something else than an example is signed")
            }
            precondition(algorithm == nil || algorithm == token.algorithm)
        }
    }
}

/// Keys. The first byte selects a set in JSON, the DER of a key, or numbers to write.
enum KeysTarget: FuzzTarget {
    static func run(_ input: [UInt8]) {
        guard let first = input.first else { return }
        let bytes = Array(input.dropFirst())
        switch first % 3 {
        case 0:
            guard let keys = try? JSONWebKey.set(bytes) else { return }
            precondition(keys.count <= 100)
            for key in keys {
                precondition((key.id?.utf8.count ?? 0) <= JSONWebSignature.longestKeyID)
                precondition(PublicKey(key.key.algorithm, der: key.key.der) == key.key, "a key is read in two ways")
            }
        case 1:
            let keys = PublicKey.Algorithm.allCases.compactMap { PublicKey($0, der: bytes) }
            precondition(keys.count <= 1, "one key for several algorithms")
            for key in keys { precondition(!key.isSignature(bytes, of: bytes)) }
        default: checkWriting(bytes)
        }
    }

    /// Decoding what was encoded as DER gives the same numbers and bytes.
    private static func checkWriting(_ bytes: [UInt8]) {
        let half = bytes.count / 2
        let (left, right) = (bytes[..<half], bytes[half...])
        var rest = DER.sequence(DER.integer(left) + DER.integer(right) + DER.bits(bytes))[...]
        guard let whole = value(0x30, &rest), rest.isEmpty else { preconditionFailure("no sequence") }
        rest = whole
        for number in [left, right] {
            guard let digits = value(0x02, &rest) else { preconditionFailure("no number") }
            // Neither negative nor longer than needed (X.690 §8.3.2).
            let second = digits.dropFirst().first
            precondition((digits.first ?? 0xff) < 0x80 && (digits.first != 0 || (second ?? 0xff) >= 0x80))
            precondition(digits.drop { $0 == 0 }.elementsEqual(number.drop { $0 == 0 }), "another number")
        }
        precondition(value(0x03, &rest)?.elementsEqual([0] + bytes) == true && rest.isEmpty, "other bits")
    }

    /// Takes a value with this tag; nil unless its length is encoded in as few bytes as possible (X.690 §10.1).
    private static func value(_ tag: UInt8, _ bytes: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard bytes.popFirst() == tag, let short = bytes.popFirst() else { return nil }
        var length = Int(short)
        if short >= 0x80 {
            let width = Int(short & 0x7f)
            guard bytes.count >= width, bytes.first != 0 else { return nil }
            length = bytes.prefix(width).reduce(0) { $0 << 8 | Int($1) }
            bytes = bytes.dropFirst(width)
            guard length >= 0x80 else { return nil }
        }
        guard bytes.count >= length else { return nil }
        defer { bytes = bytes.dropFirst(length) }
        return bytes.prefix(length)
    }
}
