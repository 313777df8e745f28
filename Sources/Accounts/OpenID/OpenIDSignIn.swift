import Encodings
import Hashing
import Locking
public import Logging

/// Signs people in at an OpenID provider: the authorization code flow (OpenID Connect Core 1.0 §3.1) with PKCE (RFC 7636).
public struct OpenIDSignIn: Sendable {
    private let settings: OpenIDSettings
    private let accounts: Accounts
    private let provider: OpenIDProvider
    private let states: SignInStates
    private let logger: Logger

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

    /// A sign-in that has begun.
    public struct Begun: Sendable {
        /// Where the browser goes now.
        public let address: String
        public let cookie: String
    }

    /// Begins a sign-in (Core §3.1.2.1).
    ///
    /// - Parameters:
    ///   - redirect: The gallery's address for the provider's answer.
    ///   - place: Where the person then wants to go: a query or a fragment of the gallery's page. Anything else is left out.
    /// - Throws: ``OpenIDError`` with the reason `.unavailable`.
    public func begin(redirect: String, place: String) async throws(OpenIDError) -> Begun {
        do throws(OpenIDError) {
            let metadata = try await provider.currentMetadata()
            let state = states.begin(redirect: redirect, place: place, now: accounts.now)
            let challenge = Base64.url.encode(SHA256.hash(Array(state.verifier.utf8)))
            let query = FormEncoding.encode([
                ("response_type", "code"), ("client_id", settings.clientID), ("redirect_uri", redirect),
                ("scope", metadata.requestedScopes), ("state", state.state), ("nonce", state.nonce),
                ("code_challenge", challenge), ("code_challenge_method", "S256"),
            ])
            let endpoint = metadata.authorizationEndpoint
            return Begun(address: endpoint + (endpoint.contains("?") ? "&" : "?") + query, cookie: state.cookie)
        } catch {
            throw logged(error)
        }
    }

    /// The provider's answer, as the browser brings it (RFC 6749 §4.1.2, RFC 9207 §2).
    public struct Answer: Sendable {
        var code: String?
        var state: String?
        var issuer: String?
        var error: String?

        /// Nil if a member is there more than once (RFC 6749 §3.1).
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
    public struct Completed: Sendable {
        public let signedIn: SignedIn
        /// Where the person wants to go: empty, a query, or a fragment.
        public let place: String
        /// The gallery's address that the browser was sent back to.
        public let redirect: String
    }

    /// Completes a sign-in: an account belongs to a subject of the issuer, and is created at the first visit.
    ///
    /// - Parameters:
    ///   - answer: Nil for one that is malformed.
    ///   - cookies: What the browser has sent as the cookie of the sign-in, also if it is another's.
    /// - Throws: ``OpenIDError``.
    public func complete(
        _ answer: Answer?, cookies: [String], from sender: Sender
    ) async throws(OpenIDError) -> Completed {
        // Without it, somebody could sign others in, or link them, as a person of their choice (RFC 9700 §4.7).
        guard let answer, let named = answer.state,
            let state = cookies.lazy.compactMap({ states.read($0, now: accounts.now) })
                .first(where: { ExactText($0.state) == ExactText(named) })
        else { throw OpenIDError(.notBegun) }
        let attempt = AttemptLimiter.Attempt(attempter: .address(sender.address), target: "OpenID")
        do throws(AccountsError) { try accounts.begin(attempt) } catch { throw OpenIDError(.account(error)) }
        do throws(OpenIDError) {
            let person = try await self.person(answer, state)
            let signedIn = try await account(of: person, from: sender)
            accounts.limiter.withLock { $0.succeeded(attempt) }
            return Completed(signedIn: signedIn, place: state.place, redirect: state.redirect)
        } catch {
            // If the provider or this server has failed, the person has not.
            if error.reason != .refused, answer.error == nil { accounts.limiter.withLock { $0.succeeded(attempt) } }
            throw logged(error)
        }
    }

    /// Who the person is, by the provider's answer.
    private func person(_ answer: Answer, _ state: SignInState) async throws(OpenIDError) -> OpenIDPerson {
        let metadata = try await provider.currentMetadata()
        // An answer of another provider (RFC 9207 §2.4).
        guard answer.issuer.map({ ExactText($0) == ExactText(settings.issuer) }) ?? !metadata.namesItself else {
            throw OpenIDError(.refused, "the answer names another issuer, or none")
        }
        if let error = answer.error {
            guard error != "access_denied" else { throw OpenIDError(.denied) }
            // Anybody could write anything there.
            let isName = error.utf8.allSatisfy {
                UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 || $0 == UInt8(ascii: "_")
            }
            throw OpenIDError(
                .unavailable, "the provider answers with an error: \(isName ? String(error.prefix(64)) : "?")")
        }
        guard let code = answer.code, !code.isEmpty else { throw OpenIDError(.refused, "the answer has no code") }
        let tokens = try await provider.tokens(for: code, state)
        guard let token = JSONWebSignature(tokens.idToken) else {
            throw OpenIDError(
                .refused, "the ID token is malformed, or its algorithm is none of RS256, ES256, and EdDSA")
        }
        guard try await provider.hasSigned(token) else {
            throw OpenIDError(.refused, "the ID token is not signed with a key of the provider")
        }
        let checked: IDToken
        do throws(IDToken.Fault) {
            checked = try IDToken(
                token.payload, issuer: settings.issuer, clientID: settings.clientID, nonce: state.nonce,
                now: accounts.now)
        } catch {
            throw OpenIDError(.refused, "the ID token breaks a rule: \(error)")
        }
        var claims = [checked.claims]
        if !OpenIDPerson.isComplete(checked.claims, settings), let accessToken = tokens.accessToken {
            claims += try await provider.userInfo(accessToken, of: checked.subject).map { [$0] } ?? []
        }
        return OpenIDPerson(
            OpenIDIdentity(issuer: settings.issuer, subject: checked.subject), claims, settings)
    }

    private func account(of person: OpenIDPerson, from sender: Sender) async throws(OpenIDError) -> SignedIn {
        do throws(AccountsError) {
            return try await accounts.signIn(person, at: settings.name, from: sender)
        } catch {
            throw OpenIDError(.account(error))
        }
    }

    private func logged(_ error: OpenIDError) -> OpenIDError {
        if let detail = error.logDetail {
            logger.warning("Somebody could not sign in by \(settings.issuer): \(detail).")
        }
        return error
    }
}
