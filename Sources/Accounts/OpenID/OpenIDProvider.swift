import Encodings

/// The provider's configuration and keys, and requests to its endpoints.
struct OpenIDProvider: Sendable {
    private let settings: OpenIDSettings
    private let fetching: any ProviderFetching
    private let metadata: ProviderDocument<ProviderMetadata>
    private let keys: ProviderDocument<[JSONWebKey]>

    /// - Parameter uptime: In seconds.
    init(_ settings: OpenIDSettings, _ fetching: any ProviderFetching, uptime: @escaping @Sendable () -> Double) {
        self.settings = settings
        self.fetching = fetching
        let issuer = settings.issuer
        let metadata = ProviderDocument(uptime: uptime) {
            await Self.result { () async throws(OpenIDError) in
                try ProviderMetadata(await Self.body(of: ProviderMetadata.url(of: issuer), fetching), of: issuer)
            }
        }
        self.metadata = metadata
        keys = ProviderDocument(uptime: uptime) {
            await Self.result { () async throws(OpenIDError) in
                let body = try await Self.body(of: metadata.current().keysURL, fetching)
                do throws(JSONFieldError) { return try JSONWebKey.set(body) } catch {
                    throw OpenIDError(.unavailable, "the provider's keys cannot be used: \(error)")
                }
            }
        }
    }

    private static func result<Value>(
        _ body: () async throws(OpenIDError) -> Value
    ) async -> Result<Value, OpenIDError> {
        do throws(OpenIDError) { return .success(try await body()) } catch { return .failure(error) }
    }

    /// - Throws: ``OpenIDError`` with the reason `.unavailable`.
    func currentMetadata() async throws(OpenIDError) -> ProviderMetadata { try await metadata.current() }

    /// Whether the token is signed with one of the provider's keys. An unknown key may be a new one (OpenID Connect Core 1.0
    /// §10.1.1).
    ///
    /// - Throws: ``OpenIDError`` with the reason `.unavailable`.
    func hasSigned(_ token: JSONWebSignature) async throws(OpenIDError) -> Bool {
        var keys = try await self.keys.current()
        if !keys.contains(where: token.refers(to:)) { keys = try await self.keys.renewed() }
        return keys.contains { token.refers(to: $0) && token.isSigned(by: $0.key) }
    }

    // MARK: - Requests

    /// The body of a document of the provider.
    private static func body(of url: String, _ fetching: any ProviderFetching) async throws(OpenIDError) -> [UInt8] {
        let response = try await send(ProviderRequest(url: url), fetching)
        guard response.status == 200 else {
            throw OpenIDError(.unavailable, "\(url) returned status \(response.status)")
        }
        return response.body
    }

    private static func send(
        _ request: ProviderRequest, _ fetching: any ProviderFetching
    ) async throws(OpenIDError) -> ProviderResponse {
        do throws(ProviderRequestFailure) { return try await fetching.send(request) } catch {
            throw OpenIDError(.unavailable, "the request to \(request.url) failed: \(error.reason)")
        }
    }

    /// Exchanges a code for tokens (RFC 6749 §4.1.3).
    ///
    /// - Throws: ``OpenIDError``.
    func tokens(for code: String, _ state: SignInState) async throws(OpenIDError) -> TokenResponse {
        let metadata = try await currentMetadata()
        var form = [
            ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", state.redirectURI),
            ("code_verifier", state.verifier),
        ]
        var authorization: String?
        switch (settings.clientSecret, metadata.tokenEndpointAuthMethods) {
        case (nil, _): form.append(("client_id", settings.clientID))
        case (let secret?, let methods) where methods.contains("client_secret_basic"):
            // Both are encoded like a form first (RFC 6749 §2.3.1).
            let pair = [settings.clientID, secret].map(FormEncoding.encode).joined(separator: ":")
            authorization = "Basic " + Base64.standard.encode(pair.utf8)
        case (let secret?, let methods) where methods.contains("client_secret_post"):
            form += [("client_id", settings.clientID), ("client_secret", secret)]
        default:
            throw OpenIDError(
                .unavailable, "the token endpoint supports neither client_secret_basic nor client_secret_post")
        }
        let response = try await Self.send(
            ProviderRequest(
                url: metadata.tokenEndpoint, authorization: authorization, form: Array(FormEncoding.encode(form).utf8)),
            fetching)
        return try TokenResponse(response)
    }

    /// Further claims about the person (Core §5.3).
    ///
    /// - Throws: ``OpenIDError``. There is no going on without them: an owner could be mistaken for a member.
    func userInfo(_ token: String, of subject: String) async throws(OpenIDError) -> JSONField? {
        guard let url = try await currentMetadata().userInfoEndpoint else { return nil }
        let response = try await Self.send(ProviderRequest(url: url, authorization: "Bearer \(token)"), fetching)
        guard response.status == 200 else {
            throw OpenIDError(.unavailable, "\(url) returned status \(response.status)")
        }
        // They may be those of somebody else (Core §5.3.2).
        guard let claims = try? JSONField(response.body), let named = try? claims.required("sub").text(),
            ExactText(named) == ExactText(subject)
        else { throw OpenIDError(.invalidResponse, "\(url) did not return claims of the person who signed in") }
        return claims
    }
}
