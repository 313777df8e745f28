import Encodings
import Hashing
import Locking
import Logging
import Testing

@testable import Accounts

@Suite struct OpenIDSignInTests {
    private let world = MemoryLibrary()
    private let provider: StandInProvider
    private let accounts: Accounts
    private let sender = Sender(address: "192.0.2.1", agent: "test")
    private let redirect = "https://pictures.example.org/api/v1/session/oidc/callback"

    init() throws {
        provider = StandInProvider { [world] in world.now }
        accounts = try world.open()
    }

    private func openID(
        secret: String? = "s3 cret", groups: Set<String> = [], claim: String = "groups"
    ) throws -> OpenIDSignIn {
        OpenIDSignIn(
            try OpenIDSettings(
                issuer: StandInProvider.issuer, clientID: "gallery", clientSecret: secret, name: nil,
                groupsClaim: claim, admittedGroups: [], ownerGroups: groups),
            accounts: accounts, fetching: provider, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    /// The names and values of an address's query, or of a form.
    private func query(of address: String) -> [String: String] {
        let pairs = (address.split(separator: "?").last ?? "").split(separator: "&").map { $0.split(separator: "=") }
        return Dictionary(uniqueKeysWithValues: pairs.map { ("\($0[0])", PercentEncoding.decode($0[1].utf8) ?? "") })
    }

    /// What the provider sends the browser back with.
    private func answer(_ begun: OpenIDSignIn.AuthorizationRequest, _ change: [String: [String]] = [:]) -> OpenIDSignIn
        .AuthorizationResponse?
    {
        let query = query(of: begun.url)
        provider.state.withLock { $0.nonce = query["nonce"] ?? "" }
        let values = ["code": ["abc"], "state": [query["state"] ?? ""]].merging(change) { $1 }
        return OpenIDSignIn.AuthorizationResponse { values[$0] ?? [] }
    }

    private func signIn(
        _ openID: OpenIDSignIn, _ change: [String: [String]] = [:], from address: String = "192.0.2.1"
    ) async throws -> OpenIDSignIn.CompletedSignIn {
        let begun = try await openID.begin(redirectURI: redirect, returnTo: "?q=x")
        return try await openID.complete(
            answer(begun, change), cookies: [secure(begun.cookie)], from: Sender(address: address, agent: "test"))
    }

    /// A cookie as a page with TLS sets it, like that of ``redirect``.
    private func secure(_ text: String) -> OpenIDSignIn.Cookie { .init(text: text, isSecure: true) }

    private func reason(_ body: () async throws -> Any) async -> OpenIDError.Reason? {
        do {
            _ = try await body()
            return nil
        } catch {
            return (error as? OpenIDError)?.reason
        }
    }

    @Test(arguments: ["EC", "ED25519", "RSA"])
    func `a person signs in, with a key of each kind, and is the same at the next visit`(kind: String) async throws {
        provider.state.withLock { state in
            if kind == "ED25519" { state.signer = SoftwareAuthenticator(kind, -8) }
            if kind == "RSA" { state.signer = SoftwareAuthenticator(kind, -257, bits: 2_048) }
            state.published = [state.signer]
        }
        let openID = try openID()
        let first = try await signIn(openID)
        #expect(first.returnTo == "?q=x")
        let principal = first.signedIn.principal
        #expect(principal.name == "olga" && principal.role == .member)
        #expect(accounts.principal(session: first.signedIn.session.text) == principal)
        #expect(!accounts.hasPassword(principal.account))
        provider.state.withLock { $0.claims["preferred_username"] = #""another name""# }
        #expect(try await signIn(openID).signedIn.principal.account == principal.account)
        #expect(accounts.people.map(\.name) == ["olga"])
        let actions = try await accounts.audit(before: nil, limit: 9).map { "\($0.action) \($0.subject ?? "")" }
        #expect(actions == ["signedIn id.example.org", "signedIn id.example.org", "accountCreated member"])
        // The identity is in the library.
        let second = try world.open()
        #expect(second.people == accounts.people && second.people[0].identity?.subject == "1001")
    }

    @Test func `the request names everything that binds the answer, and the code is exchanged with its verifier`()
        async throws
    {
        provider.state.withLock { $0.metadata["scopes_supported"] = #"["openid","profile","groups"]"# }
        let openID = try openID()
        let begun = try await openID.begin(redirectURI: redirect, returnTo: "")
        #expect(begun.url.hasPrefix("\(StandInProvider.issuer)/authorize?"))
        let query = query(of: begun.url)
        #expect(
            query["response_type"] == "code" && query["client_id"] == "gallery" && query["redirect_uri"] == redirect)
        #expect(query["scope"] == "openid profile groups" && query["code_challenge_method"] == "S256")
        _ = try await openID.complete(answer(begun), cookies: [secure(begun.cookie)], from: sender)
        let request = try #require(provider.state.withLock { $0.requests.first { $0.url.hasSuffix("/token") } })
        #expect(request.authorization == "Basic " + Base64.standard.encode("gallery:s3%20cret".utf8))
        let form = self.query(of: String(decoding: request.form ?? [], as: UTF8.self))
        #expect(form["grant_type"] == "authorization_code" && form["code"] == "abc" && form["redirect_uri"] == redirect)
        let verifier = try #require(form["code_verifier"])
        #expect(verifier.utf8.count == 43)
        #expect(query["code_challenge"] == Base64.url.encode(SHA256.hash(Array(verifier.utf8))))
        #expect(!begun.cookie.contains(verifier) && form["client_secret"] == nil && form["client_id"] == nil)
    }

    @Test func `the secret is sent as the provider wants it, and a public client has none`() async throws {
        func form(_ openID: OpenIDSignIn) async throws -> ([String: String], String?) {
            _ = try await signIn(openID)
            let request = try #require(provider.state.withLock { $0.requests.last { $0.url.hasSuffix("/token") } })
            return (query(of: String(decoding: request.form ?? [], as: UTF8.self)), request.authorization)
        }
        provider.state.withLock { $0.metadata["token_endpoint_auth_methods_supported"] = #"["client_secret_post"]"# }
        let post = try await form(openID())
        #expect(post.0["client_secret"] == "s3 cret" && post.0["client_id"] == "gallery" && post.1 == nil)
        let none = try await form(openID(secret: nil))
        #expect(none.0["client_secret"] == nil && none.0["client_id"] == "gallery" && none.1 == nil)
        provider.state.withLock { $0.metadata["token_endpoint_auth_methods_supported"] = #"["private_key_jwt"]"# }
        let other = try openID()
        #expect(await reason { try await signIn(other) } == .unavailable)
    }

    /// Changes to the claims of a valid ID token, and whether the token is still accepted.
    private static let tokens: [(what: String, claims: [String: String?], isAccepted: Bool)] = [
        ("another issuer", ["iss": #""https://id.example.org""#], false),
        ("the issuer with a slash", ["iss": #""https://id.example.org/realm/""#], false),
        ("no issuer", ["iss": nil], false),
        ("another audience", ["aud": #""other""#], false),
        ("the audience in another case", ["aud": #""Gallery""#], false),
        ("no audience", ["aud": nil], false),
        ("an empty list of audiences", ["aud": "[]"], false),
        ("a list of one audience", ["aud": #"["gallery"]"#], true),
        ("several audiences", ["aud": #"["gallery","api"]"#], false),
        ("several audiences, for this client", ["aud": #"["api","gallery"]"#, "azp": #""gallery""#], true),
        ("several audiences, for another client", ["aud": #"["gallery","api"]"#, "azp": #""api""#], false),
        ("one audience, for another client", ["azp": #""api""#], false),
        ("expired", ["exp": "999939"], false),
        ("expired within the leeway", ["exp": "999950"], true),
        ("no end", ["exp": nil], false),
        ("an end that is no number", ["exp": #""2000000""#], false),
        ("from the future", ["iat": "1000100"], false),
        ("from the future within the leeway", ["iat": "1000050.5"], true),
        ("no beginning", ["iat": nil], false),
        ("not yet valid", ["nbf": "1000100"], false),
        ("another nonce", ["nonce": #""AAAAAAAAAAAAAAAAAAAAAA""#], false),
        ("no nonce", ["nonce": nil], false),
        ("an empty nonce", ["nonce": #""""#], false),
        ("no subject", ["sub": nil], false),
        ("an empty subject", ["sub": #""""#], false),
        ("a subject that is no text", ["sub": "1001"], false),
    ]

    @Test func `an ID token that breaks a rule begins no session and makes no account`() async throws {
        let openID = try openID()
        for (place, token) in Self.tokens.enumerated() {
            provider.state.withLock { $0.claims = token.claims }
            let before = accounts.people.count
            let reason = await reason { try await signIn(openID, from: "198.51.100.\(place)") }
            #expect(reason == (token.isAccepted ? nil : .invalidResponse), "\(token.what)")
            if !token.isAccepted { #expect(accounts.people.count == before, "\(token.what)") }
        }
        #expect(Self.tokens.count { !$0.isAccepted } == 22 && accounts.people.count == 1)
    }

    @Test func `only a key of the provider signs`() async throws {
        let openID = try openID()
        let headers: [[String: String]] = [
            ["alg": #""none""#], ["alg": #""HS256""#], ["alg": #""RS256""#], ["kid": #""unknown""#],
        ]
        for (place, header) in headers.enumerated() {
            provider.state.withLock { $0.header = header }
            #expect(
                await reason { try await signIn(openID, from: "198.51.100.\(place)") } == .invalidResponse, "\(header)")
        }
        provider.state.withLock { state in
            state.header = [:]
            let other = SoftwareAuthenticator()
            other.credential = state.signer.credential
            state.signer = other
        }
        #expect(await reason { try await signIn(openID) } == .invalidResponse)
        #expect(accounts.people.isEmpty)
    }

    @Test func `an unknown key causes another fetch, but not more often than once a minute`() async throws {
        let openID = try openID()
        _ = try await signIn(openID)
        _ = try await signIn(openID)
        #expect(provider.count("/keys") == 1 && provider.count("/openid-configuration") == 1)
        func rotate() {
            provider.state.withLock { state in
                state.signer = SoftwareAuthenticator()
                state.published = [state.signer]
            }
        }
        rotate()
        _ = try await signIn(openID)
        #expect(provider.count("/keys") == 2)
        rotate()
        for number in 0..<3 {
            #expect(await reason { try await signIn(openID, from: "198.51.100.\(number)") } == .invalidResponse)
        }
        #expect(provider.count("/keys") == 2)
        world.wait(60)
        _ = try await signIn(openID)
        #expect(provider.count("/keys") == 3)
        world.wait(3_600)
        _ = try await signIn(openID)
        #expect(provider.count("/keys") == 4 && provider.count("/openid-configuration") == 2)
    }

    @Test func `an answer without this browser's cookie is refused, and so is a late one`() async throws {
        let openID = try openID()
        let (mine, theirs) = (
            try await openID.begin(redirectURI: redirect, returnTo: ""),
            try await openID.begin(redirectURI: redirect, returnTo: "")
        )
        func complete(_ answer: OpenIDSignIn.AuthorizationResponse?, _ cookies: [String]) async -> OpenIDError.Reason? {
            await reason { try await openID.complete(answer, cookies: cookies.map(secure), from: sender) }
        }
        var spoilt = try #require(Base64.url.decode(mine.cookie))
        spoilt[8] ^= 1
        for cookies in [
            [], [theirs.cookie], [""], [Base64.url.encode(spoilt)], [mine.cookie + "A"], ["x", theirs.cookie],
        ] {
            #expect(await complete(answer(mine), cookies) == .unknownOrExpired)
        }
        for change in [["state": []], ["state": [""]], ["state": ["AAAAAAAAAAAAAAAAAAAAAA"]]] as [[String: [String]]] {
            #expect(await complete(answer(mine, change), [mine.cookie]) == .unknownOrExpired)
        }
        #expect(answer(mine, ["state": ["a", "b"]]) == nil && answer(mine, ["code": ["a", "b"]]) == nil)
        #expect(await complete(nil, [mine.cookie]) == .unknownOrExpired)
        #expect(provider.count("/token") == 0 && accounts.people.isEmpty)
        // Cookies of one host may come from several galleries.
        #expect(await complete(answer(mine), ["x", theirs.cookie, mine.cookie]) == nil)
        world.wait(599)
        #expect(await complete(answer(mine), [mine.cookie]) == nil)
        world.wait(1)
        #expect(await complete(answer(mine), [mine.cookie]) == .unknownOrExpired)
    }

    @Test func `a sign-in that began on one node is completed on another, and not in another gallery`() async throws {
        let begun = try await openID().begin(redirectURI: redirect, returnTo: "#at=7")
        func node(_ world: MemoryLibrary) throws -> OpenIDSignIn {
            OpenIDSignIn(
                try OpenIDSettings(
                    issuer: StandInProvider.issuer, clientID: "gallery", clientSecret: nil, name: nil,
                    groupsClaim: "groups", admittedGroups: [], ownerGroups: []),
                accounts: try world.open(), fetching: provider,
                logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        }
        let (stranger, other) = (try node(MemoryLibrary()), try node(world))
        #expect(
            await reason { try await stranger.complete(answer(begun), cookies: [secure(begun.cookie)], from: sender) }
                == .unknownOrExpired)
        #expect(
            try await other.complete(answer(begun), cookies: [secure(begun.cookie)], from: sender).returnTo == "#at=7")
    }

    @Test func `another provider's answer and the provider's errors begin no session`() async throws {
        let openID = try openID()
        let issuer = StandInProvider.issuer
        #expect(await reason { try await signIn(openID, ["iss": [issuer]]) } == nil)
        #expect(await reason { try await signIn(openID, ["iss": ["https://evil.example"]]) } == .invalidResponse)
        #expect(await reason { try await signIn(openID, ["iss": [""]]) } == .invalidResponse)
        #expect(await reason { try await signIn(openID, ["error": ["access_denied"]]) } == .denied)
        #expect(await reason { try await signIn(openID, ["error": ["server_error"], "code": []]) } == .unavailable)
        let exchanged = provider.count("/token")
        #expect(exchanged == 1)
        // A provider that says so always names itself.
        provider.state.withLock { $0.metadata["authorization_response_iss_parameter_supported"] = "true" }
        world.wait(3_600)
        #expect(await reason { try await signIn(openID) } == .invalidResponse)
        #expect(await reason { try await signIn(openID, ["iss": [issuer]]) } == nil)
    }

    @Test func `a provider that is down, or not the one that was configured, is unavailable`() async throws {
        for (number, change) in [
            ["issuer": #""https://id.example.org""#], ["issuer": nil], ["token_endpoint": nil],
            ["token_endpoint": #""http://id.example.org/token""#], ["jwks_uri": #""file:///etc/passwd""#],
            ["authorization_endpoint": #""javascript:alert(1)""#], ["userinfo_endpoint": #""http://localhost/""#],
            ["authorization_endpoint": #""https://u@id.example.org/""#],
        ].enumerated() as EnumeratedSequence<[[String: String?]]> {
            provider.state.withLock { $0.metadata = change }
            let openID = try openID()
            #expect(
                await reason { try await openID.begin(redirectURI: redirect, returnTo: "") } == .unavailable,
                "\(number)")
        }
        provider.state.withLock { $0.metadata = [:] }
        let openID = try openID()
        provider.state.withLock { $0.isDown = true }
        #expect(await reason { try await openID.begin(redirectURI: redirect, returnTo: "") } == .unavailable)
        provider.state.withLock { $0.isDown = false }
        world.wait(5)
        _ = try await signIn(openID)
        for (path, status, expected) in [
            ("token", 400, .unavailable), ("token", 401, .unavailable), ("token", 503, .unavailable),
            ("token", 302, .unavailable),
            ("keys", 404, .unavailable),
        ] as [(String, Int, OpenIDError.Reason)] {
            provider.state.withLock { $0.status = [path: status] }
            world.wait(3_600)
            #expect(await reason { try await signIn(openID) } == expected, "\(path) \(status)")
        }
    }

    @Test func `a cookie that a page without TLS has set completes no sign-in that began with TLS`() async throws {
        let openID = try openID()
        let begun = try await openID.begin(redirectURI: redirect, returnTo: "")
        let planted = OpenIDSignIn.Cookie(text: begun.cookie, isSecure: false)
        #expect(
            await reason { try await openID.complete(answer(begun), cookies: [planted], from: sender) }
                == .unknownOrExpired)
        #expect(provider.count("/token") == 0)
        _ = try await openID.complete(answer(begun), cookies: [planted, secure(begun.cookie)], from: sender)
        // Without TLS, there is no other.
        let plain = try await openID.begin(redirectURI: "http://localhost/callback", returnTo: "")
        _ = try await openID.complete(
            answer(plain), cookies: [.init(text: plain.cookie, isSecure: false)], from: sender)
    }

    @Test func `failures make nobody wait`() async throws {
        let openID = try openID()
        provider.state.withLock { $0.body["token"] = (400, #"{"error":"invalid_grant"}"#) }
        for _ in 0..<40 { #expect(await reason { try await signIn(openID) } == .invalidResponse) }
        provider.state.withLock { $0.body = [:] }
        _ = try await signIn(openID)
    }

    @Test func `a provider that is down is asked every five seconds, however many ask`() async throws {
        let openID = try openID()
        provider.state.withLock { $0.isDown = true }
        for _ in 0..<20 {
            #expect(await reason { try await openID.begin(redirectURI: redirect, returnTo: "") } == .unavailable)
        }
        #expect(provider.count("/openid-configuration") == 1)
        provider.state.withLock { $0.isDown = false }
        world.wait(5)
        _ = try await signIn(openID)
    }

    @Test func `keys that are known stay, if newer ones cannot be fetched`() async throws {
        let openID = try openID()
        _ = try await signIn(openID)
        let known = provider.state.withLock { state in
            let known = state.signer
            state.signer = SoftwareAuthenticator()
            state.status = ["keys": 500]
            return known
        }
        #expect(await reason { try await signIn(openID) } == .unavailable)
        provider.state.withLock { $0.signer = known }
        _ = try await signIn(openID)
    }
}
