import Encodings

/// The provider's configuration and keys, which are fetched when they are needed first and kept for an hour.
actor OpenIDProvider {
    /// In seconds.
    private static let lifetime = 3_600.0
    /// A token may be signed with a new key, so one that is not known causes another fetch (OpenID Connect Core 1.0
    /// §10.1.1), but at most one in this time, in seconds.
    private static let coolDown = 60.0

    private let settings: OpenIDSettings
    private let fetching: any ProviderFetching
    /// In seconds.
    private let uptime: @Sendable () -> Double

    private struct Cached<Value: Sendable> {
        let value: Value
        let until: Double
    }

    private typealias Fetch<Value: Sendable> = Task<Result<Value, OpenIDError>, Never>

    private var metadata: Cached<ProviderMetadata>?
    private var keys: Cached<[JSONWebKey]>?
    /// When keys were last fetched because of an unknown one.
    private var refreshed = -Double.infinity
    /// Fetches in progress, which all callers share.
    private var metadataFetch: Fetch<ProviderMetadata>?
    private var keysFetch: Fetch<[JSONWebKey]>?

    init(_ settings: OpenIDSettings, _ fetching: any ProviderFetching, uptime: @escaping @Sendable () -> Double) {
        self.settings = settings
        self.fetching = fetching
        self.uptime = uptime
    }

    /// - Throws: ``OpenIDError`` with the reason `.unavailable`.
    func currentMetadata() async throws(OpenIDError) -> ProviderMetadata {
        if let metadata, uptime() < metadata.until { return metadata.value }
        let fetch = metadataFetch ?? Task { await fetchMetadata() }
        metadataFetch = fetch
        return try await fetch.value.get()
    }

    private func fetchMetadata() async -> Result<ProviderMetadata, OpenIDError> {
        defer { metadataFetch = nil }
        do throws(OpenIDError) {
            let body = try await get(ProviderMetadata.address(of: settings.issuer))
            let value = try ProviderMetadata(body, of: settings.issuer)
            metadata = Cached(value: value, until: uptime() + Self.lifetime)
            return .success(value)
        } catch {
            return .failure(error)
        }
    }

    /// Whether one of the provider's keys has signed it.
    ///
    /// - Throws: ``OpenIDError`` with the reason `.unavailable`.
    func hasSigned(_ token: JSONWebSignature) async throws(OpenIDError) -> Bool {
        var keys = try await currentKeys()
        if !keys.contains(where: token.refers(to:)), uptime() >= refreshed + Self.coolDown {
            refreshed = uptime()
            self.keys = nil
            keys = try await currentKeys()
        }
        return keys.contains { token.refers(to: $0) && token.isSigned(by: $0.key) }
    }

    private func currentKeys() async throws(OpenIDError) -> [JSONWebKey] {
        if let keys, uptime() < keys.until { return keys.value }
        let address = try await currentMetadata().keysAddress
        let fetch = keysFetch ?? Task { await fetchKeys(address) }
        keysFetch = fetch
        return try await fetch.value.get()
    }

    private func fetchKeys(_ address: String) async -> Result<[JSONWebKey], OpenIDError> {
        defer { keysFetch = nil }
        do throws(OpenIDError) {
            let value: [JSONWebKey]
            let body = try await get(address)
            do throws(JSONFieldError) { value = try JSONWebKey.set(body) } catch {
                throw OpenIDError(.unavailable, "the provider's keys cannot be used: \(error)")
            }
            keys = Cached(value: value, until: uptime() + Self.lifetime)
            return .success(value)
        } catch {
            return .failure(error)
        }
    }

    // MARK: - Requests

    /// The body of a document of the provider.
    private func get(_ url: String) async throws(OpenIDError) -> [UInt8] {
        let response = try await send(ProviderRequest(url: url))
        guard response.status == 200 else {
            throw OpenIDError(.unavailable, "\(url) answers with status \(response.status)")
        }
        return response.body
    }

    private func send(_ request: ProviderRequest) async throws(OpenIDError) -> ProviderResponse {
        do throws(ProviderUnreachable) { return try await fetching.send(request) } catch {
            throw OpenIDError(.unavailable, "\(request.url) cannot be reached: \(error.reason)")
        }
    }

    /// Exchanges a code for tokens (RFC 6749 §4.1.3).
    ///
    /// - Throws: ``OpenIDError``.
    func tokens(for code: String, _ state: SignInState) async throws(OpenIDError) -> TokenResponse {
        let metadata = try await currentMetadata()
        var form = [
            ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", state.redirect),
            ("code_verifier", state.verifier),
        ]
        var authorization: String?
        switch (settings.clientSecret, metadata.clientAuthentication) {
        case (nil, _): form.append(("client_id", settings.clientID))
        case (let secret?, let methods) where methods.contains("client_secret_basic"):
            // Both are encoded like a form first (RFC 6749 §2.3.1).
            let pair = [settings.clientID, secret].map(FormEncoding.encode).joined(separator: ":")
            authorization = "Basic " + Base64.standard.encode(pair.utf8)
        case (let secret?, let methods) where methods.contains("client_secret_post"):
            form += [("client_id", settings.clientID), ("client_secret", secret)]
        default:
            throw OpenIDError(
                .unavailable, "the provider takes a client's secret neither by client_secret_basic nor _post")
        }
        let response = try await send(
            ProviderRequest(
                url: metadata.tokenEndpoint, authorization: authorization, form: Array(FormEncoding.encode(form).utf8)))
        return try TokenResponse(response)
    }

    /// Further claims about the person (Core §5.3).
    ///
    /// - Throws: ``OpenIDError``. Without them, an owner could be taken for somebody who is none.
    func userInfo(_ token: String, of subject: String) async throws(OpenIDError) -> JSONField? {
        guard let url = try await currentMetadata().userInfoEndpoint else { return nil }
        let response = try await send(ProviderRequest(url: url, authorization: "Bearer \(token)"))
        guard response.status == 200 else {
            throw OpenIDError(.unavailable, "\(url) answers with status \(response.status)")
        }
        // They may be those of somebody else (Core §5.3.2).
        guard let claims = try? JSONField(response.body), let named = try? claims.required("sub").text(),
            ExactText(named) == ExactText(subject)
        else { throw OpenIDError(.refused, "\(url) answers about somebody else") }
        return claims
    }
}
