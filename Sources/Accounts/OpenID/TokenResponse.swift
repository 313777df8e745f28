import Encodings

/// What the token endpoint answers (RFC 6749 §5, OpenID Connect Core 1.0 §3.1.3.3).
struct TokenResponse: Sendable {
    let idToken: String
    /// For the endpoint with claims about the person; nil if it cannot be used.
    let accessToken: String?

    private static let longestAccessToken = 8 << 10

    /// - Throws: ``OpenIDError``.
    init(_ response: ProviderResponse) throws(OpenIDError) {
        let json = try? JSONField(response.body)
        guard response.status == 200 else {
            let name = (try? json?.required("error").text(longest: 64)).map { " (\($0))" } ?? ""
            // A server's fault is not the person's.
            let reason: OpenIDError.Reason = (400..<500).contains(response.status) ? .refused : .unavailable
            throw OpenIDError(reason, "the token endpoint answers with status \(response.status)\(name)")
        }
        guard let json, let idToken = try? json.required("id_token").text(longest: JSONWebSignature.longest) else {
            throw OpenIDError(.refused, "the token endpoint answers without an ID token, or with one that is too long")
        }
        self.idToken = idToken
        let isBearer = (try? json.required("token_type").text())?.lowercased() == "bearer"
        let token = try? json.required("access_token").text(longest: Self.longestAccessToken)
        accessToken = token.flatMap { isBearer && $0.utf8.allSatisfy { (0x21...0x7e).contains($0) } ? $0 : nil }
    }
}
