import Encodings
import Hashing
import Locking
public import Logging

/// Signs people in with an OpenID provider: the authorization code flow (OpenID Connect Core 1.0 §3.1) with PKCE (RFC 7636).
public struct OpenIDSignIn: Sendable {
    private let settings: OpenIDSettings
    private let accounts: Accounts
    private let provider: OpenIDProvider
    private let states: SignInStates
    private let logger: Logger
    /// How many sign-ins are being completed.
    private let inProgress = Guarded(0)

    private static let maximumAtOnce = 32

    public init(
        _ settings: OpenIDSettings, accounts: Accounts, fetching: any ProviderFetching, logger: Logger
    ) {
        self.settings = settings
        self.accounts = accounts
        self.logger = logger
        provider = OpenIDProvider(settings, fetching) { accounts.uptime }
        states = SignInStates(secret: accounts.secret)
    }

    /// What the sign-in page calls the provider.
    public var name: String { settings.name }

    /// How long the cookie of a sign-in is of use, in seconds.
    public static let cookieLifetime = Int(SignInStates.lifetime)

    /// A sign-in that has begun (Core §3.1.2.1).
    public struct AuthorizationRequest: Sendable {
        /// Where the browser goes now.
        public let url: String
        /// For the browser to keep until it comes back.
        public let cookie: String
    }

    /// Begins a sign-in.
    ///
    /// - Parameters:
    ///   - redirectURI: Where the provider sends the browser back to.
    ///   - returnTo: Where the person then wants to go: a query or a fragment of the gallery's page. Anything else is left out.
    /// - Throws: ``OpenIDError`` with the reason `.unavailable`.
    public func begin(redirectURI: String, returnTo: String) async throws(OpenIDError) -> AuthorizationRequest {
        do throws(OpenIDError) {
            let metadata = try await provider.currentMetadata()
            let state = states.begin(redirectURI: redirectURI, returnTo: returnTo, now: accounts.now)
            let challenge = Base64.url.encode(SHA256.hash(Array(state.verifier.utf8)))
            let query = FormEncoding.encode([
                ("response_type", "code"), ("client_id", settings.clientID), ("redirect_uri", redirectURI),
                ("scope", metadata.requestedScopes), ("state", state.state), ("nonce", state.nonce),
                ("code_challenge", challenge), ("code_challenge_method", "S256"),
            ])
            let endpoint = metadata.authorizationEndpoint
            return AuthorizationRequest(
                url: endpoint + (endpoint.contains("?") ? "&" : "?") + query, cookie: state.cookie)
        } catch {
            throw logged(error)
        }
    }

    /// The provider's response, as the browser brings it (RFC 6749 §4.1.2, RFC 9207 §2).
    public struct AuthorizationResponse: Sendable {
        let code: String?
        let state: String?
        let issuer: String?
        let error: String?

        /// Nil if a parameter occurs more than once (RFC 6749 §3.1).
        public init?(_ values: (String) -> [String]) {
            func value(_ name: String) -> String?? {
                let all = values(name)
                return all.count > 1 ? nil : .some(all.first)
            }
            guard let code = value("code"), let state = value("state"), let issuer = value("iss"),
                let error = value("error")
            else { return nil }
            (self.code, self.state, self.issuer, self.error) = (code, state, issuer, error)
        }
    }

    /// Somebody who has just signed in.
    public struct CompletedSignIn: Sendable {
        public let signedIn: SignedIn
        /// Where the person wants to go: empty, a query, or a fragment.
        public let returnTo: String
    }

    /// A cookie that may be that of a sign-in.
    public struct Cookie: Sendable {
        let text: String
        /// Whether only a page with TLS can have set it.
        let isSecure: Bool

        public init(text: String, isSecure: Bool) {
            self.text = text
            self.isSecure = isSecure
        }
    }

    /// Completes a sign-in: an account belongs to a subject of the issuer, and is created at the first visit.
    ///
    /// - Parameters:
    ///   - response: Nil for one that is malformed.
    ///   - cookies: All sign-in cookies of the request: other galleries on this host may have set some.
    /// - Throws: ``OpenIDError``.
    public func complete(
        _ response: AuthorizationResponse?, cookies: [Cookie], from sender: Sender
    ) async throws(OpenIDError) -> CompletedSignIn {
        // Without this check, an attacker could sign a victim in to the attacker's account (login CSRF, RFC 9700 §4.7).
        guard let response, let named = response.state, let state = state(named, in: cookies) else {
            throw OpenIDError(.unknownOrExpired)
        }
        do throws(OpenIDError) {
            // Codes cannot be guessed, so nobody has to wait for failing. But each makes the server send requests.
            guard admit() else { throw OpenIDError(.unavailable, "\(Self.maximumAtOnce) sign-ins are in progress") }
            defer { inProgress.withLock { $0 -= 1 } }
            let person = try await self.person(response, state)
            return CompletedSignIn(
                signedIn: try await account(of: person, from: sender), returnTo: state.returnTo)
        } catch {
            // Only for a person whom the provider knows: strangers could fill the audit log with everything else.
            if error.reason == .notAdmitted { await accounts.noteFailedSignIn(with: name, from: sender) }
            throw logged(error)
        }
    }

    /// The sign-in with this `state`. One that began with TLS counts only with a cookie that was set with TLS: a page without
    /// could have planted any other.
    private func state(_ named: String, in cookies: [Cookie]) -> SignInState? {
        for cookie in cookies {
            if let state = states.read(cookie.text, now: accounts.now), ExactText(state.state) == ExactText(named),
                state.redirectURI.hasPrefix("https:") == cookie.isSecure
            {
                return state
            }
        }
        return nil
    }

    private func admit() -> Bool {
        inProgress.withLock { count in
            guard count < Self.maximumAtOnce else { return false }
            count += 1
            return true
        }
    }

    /// Who the person is, by the provider's response.
    private func person(_ response: AuthorizationResponse, _ state: SignInState) async throws(OpenIDError)
        -> OpenIDPerson
    {
        let metadata = try await provider.currentMetadata()
        // A response of another provider (RFC 9207 §2.4).
        guard response.issuer.map({ ExactText($0) == ExactText(settings.issuer) }) ?? !metadata.sendsIssuer else {
            throw OpenIDError(.invalidResponse, "the authorization response has a wrong iss, or none")
        }
        if let error = response.error {
            guard error != "access_denied" else { throw OpenIDError(.denied) }
            // Anybody can forge this parameter.
            let isName = error.utf8.allSatisfy {
                UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 || $0 == UInt8(ascii: "_")
            }
            throw OpenIDError(
                .unavailable, "the provider returned the error \(isName ? String(error.prefix(64)) : "?")")
        }
        guard let code = response.code, !code.isEmpty else {
            throw OpenIDError(.invalidResponse, "the authorization response has no code")
        }
        let tokens = try await provider.tokens(for: code, state)
        guard let token = JSONWebSignature(tokens.idToken) else {
            throw OpenIDError(
                .invalidResponse,
                "the ID token is malformed, or signed with an algorithm other than RS256, ES256, and EdDSA")
        }
        guard try await provider.hasSigned(token) else {
            throw OpenIDError(.invalidResponse, "the ID token is not signed with a key of the provider")
        }
        let checked: IDToken
        do throws(IDToken.Fault) {
            checked = try IDToken(
                token.payload, issuer: settings.issuer, clientID: settings.clientID, nonce: state.nonce,
                now: accounts.now)
        } catch {
            throw OpenIDError(.invalidResponse, "the ID token is invalid: \(error.rawValue)")
        }
        var claims = [checked.claims]
        if !OpenIDPerson.isComplete(checked.claims, settings), let accessToken = tokens.accessToken {
            claims += try await provider.userInfo(accessToken, of: checked.subject).map { [$0] } ?? []
        }
        return try OpenIDPerson(
            OpenIDIdentity(issuer: settings.issuer, subject: checked.subject), claims, settings)
    }

    private func account(of person: OpenIDPerson, from sender: Sender) async throws(OpenIDError) -> SignedIn {
        do throws(AccountsError) {
            return try await accounts.signIn(person, at: settings.name, from: sender)
        } catch {
            throw OpenIDError(.account(error), error == .lastOwner ? nil : "no account: \(error)")
        }
    }

    private func logged(_ error: OpenIDError) -> OpenIDError {
        if let detail = error.logDetail {
            logger.warning("Sign-in with \(settings.issuer) failed: \(detail).")
        }
        return error
    }
}
