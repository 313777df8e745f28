import Encodings
import Locking

@testable import Accounts

/// An OpenID provider in memory, whose every answer a test can spoil.
final class StandInProvider: ProviderFetching, Sendable {
    static let issuer = "https://id.example.org/realm"

    struct State: @unchecked Sendable {
        // Only the test that owns the provider uses its keys.
        var signer = SoftwareAuthenticator()
        var published: [SoftwareAuthenticator] = []
        var header: [String: String] = [:]
        /// Changes the claims of the next ID tokens.
        var claims: [String: String?] = [:]
        var userInfo: String?
        var metadata: [String: String?] = [:]
        var status: [String: Int] = [:]
        /// Replaces responses, by the last part of their paths.
        var body: [String: (status: Int, text: String)] = [:]
        var isDown = false
        /// The nonce of the sign-in in progress.
        var nonce = ""
        var requests: [ProviderRequest] = []
    }

    let state = Guarded(State())
    private let now: @Sendable () -> Int64

    init(now: @escaping @Sendable () -> Int64) {
        self.now = now
        state.withLock { $0.published = [$0.signer] }
    }

    func count(_ path: String) -> Int { state.withLock { $0.requests.count { $0.url.hasSuffix(path) } } }

    func send(_ request: ProviderRequest) async throws(ProviderRequestFailure) -> ProviderResponse {
        let response = state.withLock { state -> ProviderResponse? in
            state.requests.append(request)
            guard !state.isDown else { return nil }
            let path = String(request.url.split(separator: "/").last ?? "")
            let body =
                switch path {
                case "openid-configuration": metadata(state)
                case "keys": #"{"keys":[\#(state.published.map(Self.webKey).joined(separator: ","))]}"#
                case "userinfo": state.userInfo ?? "{}"
                default: #"{"token_type":"Bearer","access_token":"access","id_token":"\#(token(state))"}"#
                }
            if let other = state.body[path] {
                return ProviderResponse(status: other.status, body: Array(other.text.utf8))
            }
            return ProviderResponse(status: state.status[path] ?? 200, body: Array(body.utf8))
        }
        guard let response else { throw ProviderRequestFailure(reason: "it is down") }
        return response
    }

    private func metadata(_ state: State) -> String {
        let issuer = Self.issuer
        return Self.object(
            [
                "issuer": #""\#(issuer)""#, "authorization_endpoint": #""\#(issuer)/authorize""#,
                "token_endpoint": #""\#(issuer)/token""#, "jwks_uri": #""\#(issuer)/keys""#,
                "userinfo_endpoint": #""\#(issuer)/userinfo""#,
            ].merging(state.metadata) { $1 })
    }

    private func token(_ state: State) -> String {
        let name = [-7: "ES256", -8: "EdDSA", -257: "RS256"][state.signer.algorithm]!
        let header = Self.object(
            ["alg": #""\#(name)""#, "kid": #""\#(Self.id(of: state.signer))""#].merging(state.header) { $1 })
        let claims = Self.object(
            [
                "iss": #""\#(Self.issuer)""#, "sub": #""1001""#, "aud": #""gallery""#, "exp": "\(now() + 300)",
                "iat": "\(now())", "nonce": #""\#(state.nonce)""#, "preferred_username": #""olga""#,
            ].merging(state.claims) { $1 })
        let text = [header, claims].map { Base64.url.encode($0.utf8) }.joined(separator: ".")
        return "\(text).\(Base64.url.encode(Self.signature(of: Array(text.utf8), by: state.signer)))"
    }

    /// A JSON object of members that are JSON already; nil leaves one out.
    private static func object(_ members: [String: String?]) -> String {
        "{" + members.compactMap { name, value in value.map { #""\#(name)":\#($0)"# } }.joined(separator: ",") + "}"
    }

    static func id(of signer: SoftwareAuthenticator) -> String { Base64.url.encode(signer.credential) }

    static func webKey(_ signer: SoftwareAuthenticator) -> String {
        let der = signer.publicKey
        let kid = #""kid":"\#(id(of: signer))","use":"sig""#
        func text(_ range: Range<Int>) -> String { Base64.url.encode(der[range]) }
        switch signer.algorithm {
        case -7:
            let (x, y) = (text(der.count - 64..<der.count - 32), text(der.count - 32..<der.count))
            return #"{"kty":"EC","crv":"P-256","x":"\#(x)","y":"\#(y)",\#(kid)}"#
        case -8: return #"{"kty":"OKP","crv":"Ed25519","x":"\#(text(der.count - 32..<der.count))",\#(kid)}"#
        default:
            // The modulus stands before the exponent, 65,537.
            return #"{"kty":"RSA","n":"\#(text(der.count - 261..<der.count - 5))","e":"AQAB",\#(kid)}"#
        }
    }

    private static func signature(of data: [UInt8], by signer: SoftwareAuthenticator) -> [UInt8] {
        let signature = signer.signature(of: data)
        guard signer.algorithm == -7 else { return signature }
        // From a sequence of two numbers to 64 bytes (RFC 7518 §3.4).
        let length = Int(signature[3])
        let numbers = [signature[4..<4 + length], signature[(6 + length)...]]
        return numbers.flatMap { number in
            let digits = number.drop { $0 == 0 }
            return [UInt8](repeating: 0, count: 32 - digits.count) + digits
        }
    }
}
