import Encodings
import Testing

@testable import Accounts

@Suite struct JSONWebSignatureTests {
    private static let payload =
        "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ"

    /// The examples of RFC 7515 §A.2 and §A.3, and RFC 8037 §A.4, with their keys.
    private static let examples: [(key: String, token: String)] = [
        (
            #"{"kty":"RSA","e":"AQAB","n":"ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJ"#
                + "PMEzP1Pt0Bm4d4QlL-yRT-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5"
                + "z5rexMdbBYUsLA9e-KXBdQOS-UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK"
                + #"-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQ"}"#,
            "eyJhbGciOiJSUzI1NiJ9.\(payload)."
                + "cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_O8W2Fp5jujGbds9"
                + "uJdbF9CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K0GarZRmB"
                + "_eSN9383LcOLn6_dO--xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rq"
                + "Vt5AXLIhWkWywlVmtVrBp0igcN_IoypGlUPQGe77Rw"
        ),
        (
            #"{"kty":"EC","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU","y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}"#,
            "eyJhbGciOiJFUzI1NiJ9.\(payload)."
                + "DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q"
        ),
        (
            #"{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}"#,
            "eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc."
                + "hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg"
        ),
    ]

    private static func key(_ text: String) -> JSONWebKey? { (try? JSONField(text)).flatMap { JSONWebKey($0) } }

    @Test func `the examples of the standards are valid, each with its own key alone`() throws {
        for (place, example) in Self.examples.enumerated() {
            let token = try #require(JSONWebSignature(example.token))
            for (other, signer) in Self.examples.enumerated() {
                let key = try #require(Self.key(signer.key))
                #expect(token.refers(to: key) == (place == other))
                #expect(token.isSigned(by: key.key) == (place == other))
            }
        }
    }

    @Test func `changing any byte invalidates the signature`() throws {
        var tried = 0
        for example in Self.examples {
            let key = try #require(Self.key(example.key)).key
            let parts = example.token.split(separator: ".").map(String.init)
            let signature = try #require(Base64.url.decode(parts[2]))
            for place in stride(from: 0, to: signature.count, by: 7) {
                var spoilt = signature
                spoilt[place] ^= 1
                let token = JSONWebSignature("\(parts[0]).\(parts[1]).\(Base64.url.encode(spoilt))")
                #expect(token?.isSigned(by: key) == false)
                tried += 1
            }
            for length in [0, 1, signature.count - 1] {
                let token = JSONWebSignature(
                    "\(parts[0]).\(parts[1]).\(Base64.url.encode(signature.prefix(length)))")
                #expect(token?.isSigned(by: key) == false)
            }
            let token = JSONWebSignature("\(parts[0]).AAAA\(parts[1]).\(parts[2])")
            #expect(token?.isSigned(by: key) == false)
        }
        #expect(tried > 50)
        // What libcrypto itself would take for a signature of ES256 (RFC 7518 §3.4).
        let authenticator = SoftwareAuthenticator()
        let key = try #require(PublicKey(.es256, der: authenticator.publicKey))
        let text = "eyJhbGciOiJFUzI1NiJ9.\(Self.payload)"
        let token = JSONWebSignature(
            "\(text).\(Base64.url.encode(authenticator.signature(of: Array(text.utf8))))")
        #expect(token?.isSigned(by: key) == false)
    }

    @Test func `unsigned tokens and HMAC algorithms are rejected`() {
        func token(_ header: String, signature: String = "AA") -> JSONWebSignature? {
            JSONWebSignature("\(Base64.url.encode(header.utf8)).\(Self.payload).\(signature)")
        }
        #expect(token(#"{"alg":"RS256","kid":"a"}"#)?.keyID == "a")
        let refused = [
            #"{"alg":"none"}"#, #"{"alg":"None"}"#, #"{"alg":""}"#, "{}", #"{"alg":null}"#, #"{"alg":["RS256"]}"#,
            #"{"alg":"HS256"}"#, #"{"alg":"HS512"}"#, #"{"alg":"PS256"}"#, #"{"alg":"RS1"}"#, #"{"alg":"rs256"}"#,
            #"{"alg":"RS256","crit":["exp"]}"#, #"{"alg":"RS256","crit":[]}"#, #"{"alg":"RS256","kid":7}"#,
            #"["RS256"]"#, "", "null",
        ]
        for header in refused { #expect(token(header) == nil, "\(header)") }
        #expect(token(#"{"alg":"none"}"#, signature: "") == nil)
    }

    @Test func `a text of any other form is refused`() {
        let whole = Self.examples[1].token
        let text = whole.prefix { $0 != "." }.count + 1 + Self.payload.count
        for length in 0...text { #expect(JSONWebSignature(String(whole.prefix(length))) == nil) }
        for spoilt in [
            "\(whole).", ".\(whole)", "\(whole).AA", whole.replacing(".", with: ".."), " \(whole)", "\(whole)\n",
            whole.replacing(".", with: "=."), String(repeating: "A", count: 20_000) + whole,
        ] { #expect(JSONWebSignature(spoilt) == nil) }
    }
}

@Suite struct JSONWebKeyTests {
    private func key(_ text: String) -> JSONWebKey? { (try? JSONField(text)).flatMap { JSONWebKey($0) } }

    @Test func `a set's keys of other kinds and for other uses are skipped`() throws {
        let point =
            #""kty":"EC","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU","y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0""#
        let modulus = Base64.url.encode([UInt8](repeating: 0xC5, count: 256))
        #expect(key(#"{"kty":"RSA","n":"\#(modulus)","e":"AQAB"}"#) != nil)
        #expect(key(#"{\#(point),"use":null,"alg":null,"key_ops":["verify"]}"#) != nil)
        let skipped = [
            #"{\#(point),"use":"enc"}"#, #"{\#(point),"key_ops":["encrypt"]}"#, #"{\#(point),"key_ops":"verify"}"#,
            #"{"kty":"RSA","n":"\#(modulus)","e":"AQ"}"#, #"{"kty":"RSA","n":"\#(modulus)","e":"AAE"}"#,
            #"{"kty":"RSA","n":"\#(modulus)","e":"AQAA"}"#, #"{"kty":"RSA","n":"\#(modulus)","e":""}"#,
            #"{\#(point),"alg":"RS256"}"#, #"{\#(point),"alg":"HS256"}"#,
            #"{"kty":"oct","k":"AAAA"}"#, #"{"kty":"EC","crv":"P-384","x":"AA","y":"AA"}"#,
            #"{"kty":"EC","crv":"P-256","x":"AA","y":"AA"}"#, #"{"kty":"RSA","n":"AQAB","e":"AQAB"}"#,
            #"{"kty":"OKP","crv":"X25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}"#,
            #"{"kty":"OKP","crv":"Ed25519","x":"AAAA"}"#, #"{"kty":7}"#, "{}", "7", "null",
            // A point that is not on the curve.
            #"{"kty":"EC","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU","y":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU"}"#,
        ]
        for text in skipped { #expect(key(text) == nil, "\(text)") }
        #expect(key("{\(point)}") != nil && key(#"{\#(point),"use":"sig","alg":"ES256","kid":"x"}"#)?.id == "x")
        let set = #"{"keys":[\#(skipped.joined(separator: ",")),{\#(point)}]}"#
        #expect(try JSONWebKey.set(Array(set.utf8)).count == 1)
        for text in ["", "[]", "{}", #"{"keys":{}}"#] {
            #expect(throws: JSONFieldError.self) { try JSONWebKey.set(Array(text.utf8)) }
        }
    }

    @Test func `numbers are written without a sign and without leading zeros`() {
        #expect(DER.integer([]) == [2, 1, 0] && DER.integer([0, 0]) == [2, 1, 0])
        #expect(DER.integer([0, 1]) == [2, 1, 1] && DER.integer([0x80]) == [2, 2, 0, 0x80])
        #expect(DER.sequence([UInt8](repeating: 1, count: 200)).prefix(3) == [0x30, 0x81, 200])
        #expect(DER.bits([UInt8](repeating: 1, count: 299)).prefix(5) == [3, 0x82, 1, 44, 0])
    }
}
