import Encodings

/// What a provider says about itself (OpenID Connect Discovery 1.0 §3).
struct ProviderMetadata: Hashable, Sendable {
    let authorizationEndpoint: String
    let tokenEndpoint: String
    let userInfoEndpoint: String?
    let keysURL: String
    let scopes: Set<String>
    let tokenEndpointAuthMethods: Set<String>
    /// Whether authorization responses carry `iss`, which prevents that one provider's is taken for another's (RFC 9207 §3).
    let sendsIssuer: Bool

    /// Where a provider publishes it (Discovery §4.1).
    static func url(of issuer: String) -> String {
        (issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer) + "/.well-known/openid-configuration"
    }

    /// - Throws: ``OpenIDError`` with the reason `.unavailable`.
    init(_ body: [UInt8], of issuer: String) throws(OpenIDError) {
        do throws(JSONFieldError) {
            let json = try JSONField(body)
            let named = try json.required("issuer").text(longest: 2_000)
            // Otherwise one provider could speak for another (Discovery §4.3).
            guard ExactText(named) == ExactText(issuer) else {
                throw JSONFieldError(
                    field: "issuer", rule: "is “\(named.prefix(200))”; --oidc-issuer must be exactly the same")
            }
            authorizationEndpoint = try Self.endpoint(json.required("authorization_endpoint"), of: issuer)
            tokenEndpoint = try Self.endpoint(json.required("token_endpoint"), of: issuer)
            keysURL = try Self.endpoint(json.required("jwks_uri"), of: issuer)
            userInfoEndpoint = try json["userinfo_endpoint"]?.unlessNull.map { (field) throws(JSONFieldError) in
                try Self.endpoint(field, of: issuer)
            }
            scopes = try Self.names(json["scopes_supported"]) ?? []
            tokenEndpointAuthMethods =
                try Self.names(json["token_endpoint_auth_methods_supported"]) ?? ["client_secret_basic"]
            sendsIssuer = try json["authorization_response_iss_parameter_supported"]?.unlessNull?.boolean() ?? false
        } catch {
            throw OpenIDError(.unavailable, "the provider's configuration cannot be used: \(error)")
        }
    }

    private static func endpoint(_ field: JSONField, of issuer: String) throws(JSONFieldError) -> String {
        guard let address = ProviderAddress(try field.text(), from: issuer) else {
            throw field.broken("must be an https URL")
        }
        return address.text
    }

    private static func names(_ field: JSONField?) throws(JSONFieldError) -> Set<String>? {
        guard let field = field?.unlessNull else { return nil }
        return Set(try field.list(atMost: 200) { (name) throws(JSONFieldError) in try name.text(longest: 200) })
    }

    /// The scopes to ask for: identity, name, and groups if the provider has a scope of its own for them.
    var requestedScopes: String {
        (["openid"] + ["profile", "email", "groups"].filter { $0 == "groups" ? scopes.contains($0) : isOffered($0) })
            .joined(separator: " ")
    }

    /// A provider need not list its scopes (Discovery §3).
    private func isOffered(_ scope: String) -> Bool { scopes.isEmpty || scopes.contains(scope) }
}
