import Encodings

/// The response of the token endpoint (RFC 6749 §5, OpenID Connect Core 1.0 §3.1.3.3).
struct TokenResponse: Sendable {
    let idToken: String
    /// For the endpoint with claims about the person; nil if it cannot be used.
    let accessToken: String?

    private static let longestAccessToken = 8 << 10

    /// - Throws: ``OpenIDError``.
    init(_ response: ProviderResponse) throws(OpenIDError) {
        let json = try? JSONField(response.body)
        guard response.status == 200 else {
            let name = try? json?.required("error").text(longest: 64)
            // Anything else is no fault of the code that the browser has brought.
            let reason: OpenIDError.Reason = name == "invalid_grant" ? .invalidResponse : .unavailable
            throw OpenIDError(
                reason, "the token endpoint returned status \(response.status)\(name.map { " (\($0))" } ?? "")")
        }
        guard let json, let idToken = try? json.required("id_token").text(longest: JSONWebSignature.longest) else {
            throw OpenIDError(.invalidResponse, "the token endpoint returned no ID token, or one that is too long")
        }
        self.idToken = idToken
        let isBearer = (try? json.required("token_type").text(longest: 64))?.lowercased() == "bearer"
        let token = try? json.required("access_token").text(longest: Self.longestAccessToken)
        accessToken = token.flatMap { isBearer && $0.utf8.allSatisfy { (0x21...0x7e).contains($0) } ? $0 : nil }
    }
}
