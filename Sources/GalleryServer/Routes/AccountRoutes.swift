import Accounts
import Encodings
import HTTPServer
import HTTPTypes

/// A person's own account: signing in and out, sessions, the password, and app tokens.
struct AccountRoutes {
    /// Nil in a gallery without accounts.
    let accounts: Accounts?
    let cookies: SessionCookies
    let access: AccessControl
    /// Nil if no OpenID provider signs people in.
    let openID: OpenIDSignIn?

    func add(to router: inout Router) {
        router.get("/api/v1/session", for: .everyone, present)
        router.post("/api/v1/session", for: .entrance, signIn)
        router.delete("/api/v1/session", for: .account, signOut)
        router.post("/api/v1/invitation", for: .entrance, invitation)
        router.post("/api/v1/invitation/accept", for: .entrance, accept)
        router.get("/api/v1/sessions", for: .account, sessions)
        router.delete("/api/v1/sessions/{id}", for: .account, endSession)
        router.post("/api/v1/password", for: .account, changePassword)
        router.get("/api/v1/app-tokens", for: .account, appTokens)
        router.post("/api/v1/app-tokens", for: .account, issueToken)
        router.delete("/api/v1/app-tokens/{id}", for: .account, revokeToken)
    }

    // MARK: - Signing in and out

    /// Who is signed in. Replaces the session's secret from time to time.
    @Sendable private func present(_ request: Request) async throws -> Response {
        if let requester = request.requester as? Requester, requester.shareKey != nil {
            guard let visit = request.visit else { throw Problem.noSuchShare }
            return try await unshared(request, VisitBody(visit: visit))
        }
        // Otherwise the page would show the sign-in form to somebody who is signed in.
        if accounts?.isUpToDate == false { throw Problem.accountsUnavailable }
        var principal = request.principal
        if principal == nil { principal = try await access.signInByProxy(request) }
        guard let accounts, let principal else {
            return try await unshared(
                request,
                SessionBody(
                    hasAccounts: accounts != nil, isSetUp: accounts?.hasOwner ?? true, principal: nil,
                    provider: openID?.name))
        }
        var response = try await unshared(
            request,
            SessionBody(
                hasAccounts: true, isSetUp: true, principal: principal,
                hasPassword: accounts.hasPassword(principal.account)))
        // If it cannot be renewed now, it will be next time.
        if let secret = try? await accounts.renew(principal) {
            response.headers.append(contentsOf: cookies.fields(session: secret, browser: nil, for: request))
        }
        return response
    }

    @Sendable private func signIn(_ request: Request) async throws -> Response {
        let accounts = try require()
        let body = try await read(SignInBody.self, from: request)
        return try await cookies.signedIn(request) { () async throws(AccountsError) in
            try await accounts.signIn(
                name: body.name, password: body.password, browser: cookies.browser(in: request), from: request.sender)
        }
    }

    /// Also removes what the browser has stored of the gallery.
    @Sendable private func signOut(_ request: Request) async throws -> Response {
        let (accounts, principal) = try request.signedIn(accounts)
        guard case .session(let id) = principal.credential else { throw Problem.notAllowed }
        try await problems { () async throws(AccountsError) in
            try await accounts.endSession(id, by: principal, from: request.sender)
        }
        var headers = cookies.clearing(for: request)
        headers[.cacheControl] = "no-store"
        // The storage is that of the whole origin, which a gallery under a path shares with others.
        headers[.clearSiteData] = cookies.hasOriginToItself ? #""cache", "storage""# : #""cache""#
        return Response(status: .noContent, headers: headers)
    }

    // MARK: - Invitations

    /// What a link is for.
    @Sendable private func invitation(_ request: Request) async throws -> Response {
        let accounts = try require()
        let body = try await read(CodeBody.self, from: request)
        guard let (purpose, name) = await accounts.purpose(of: body.code) else { throw Problem(.noSuchInvitation) }
        return try await unshared(request, PurposeBody(purpose: purpose, name: name))
    }

    @Sendable private func accept(_ request: Request) async throws -> Response {
        let accounts = try require()
        let body = try await read(AcceptanceBody.self, from: request)
        return try await cookies.signedIn(request) { () async throws(AccountsError) in
            try await accounts.accept(body.code, name: body.name, password: body.password, from: request.sender)
        }
    }

    // MARK: - Sessions and the password

    @Sendable private func sessions(_ request: Request) async throws -> Response {
        let (accounts, principal) = try request.signedIn(accounts)
        return try await unshared(
            request, SessionsBody(sessions: accounts.sessions(of: principal.account), own: principal.credential))
    }

    @Sendable private func endSession(_ request: Request) async throws -> Response {
        let (accounts, principal) = try request.signedIn(accounts)
        return try await done { () async throws(AccountsError) in
            try await accounts.endSession(request.parameters["id"] ?? "", by: principal, from: request.sender)
        }
    }

    @Sendable private func changePassword(_ request: Request) async throws -> Response {
        let (accounts, principal) = try request.signedIn(accounts)
        let body = try await read(NewPasswordBody.self, from: request)
        return try await done { () async throws(AccountsError) in
            try await accounts.changePassword(
                from: body.current, to: body.new, by: principal, from: request.sender)
        }
    }

    // MARK: - App tokens

    @Sendable private func appTokens(_ request: Request) async throws -> Response {
        let (accounts, principal) = try request.signedIn(accounts)
        return try await unshared(request, AppTokensBody(tokens: accounts.appTokens(of: principal.account)))
    }

    @Sendable private func issueToken(_ request: Request) async throws -> Response {
        let (accounts, principal) = try request.signedIn(accounts)
        let body = try await read(NewTokenBody.self, from: request)
        let (token, secret) = try await problems { () async throws(AccountsError) in
            try await accounts.issueToken(
                body.name, scopes: body.scopes, lifetime: body.days.map { Int64($0) * 86_400 }, by: principal,
                from: request.sender)
        }
        return try await unshared(request, IssuedTokenBody(token: token, secret: secret.text), status: .created)
    }

    @Sendable private func revokeToken(_ request: Request) async throws -> Response {
        let (accounts, principal) = try request.signedIn(accounts)
        return try await done { () async throws(AccountsError) in
            try await accounts.revokeToken(request.parameters["id"] ?? "", by: principal, from: request.sender)
        }
    }

    private func require() throws(Problem) -> Accounts {
        guard let accounts else { throw .noAccounts }
        return accounts
    }
}

extension SessionCookies {
    /// Carries out a sign-in, and answers with the cookies of its session.
    func signedIn(
        _ request: Request, _ signIn: () async throws(AccountsError) -> SignedIn
    ) async throws -> Response {
        let signedIn = try await problems(signIn)
        var response = try await unshared(
            request, SessionBody(hasAccounts: true, isSetUp: true, principal: signedIn.principal), status: .created)
        response.headers.append(
            contentsOf: fields(session: signedIn.session, browser: signedIn.browser, for: request))
        return response
    }
}

/// The most bytes of a body about accounts: those with passkeys are the longest.
private let maximumAccountBody = 16 << 10

/// Reads a body about accounts.
func read<Body: JSONReadable & Sendable>(
    _ type: Body.Type, from request: Request, upTo limit: Int = maximumAccountBody
) async throws -> Body {
    try request.requireMediaType("application/json")
    return try await JSONBody.decode(type, from: try await request.body.collect(upTo: limit))
}

/// A response about accounts, which no cache may keep.
func unshared(
    _ request: Request, _ body: some JSONWritable, status: HTTPResponse.Status = .ok
) async throws -> Response {
    var response = try await JSONBody.response(to: request, body, status: status)
    response.headers[.cacheControl] = "no-store"
    return response
}

/// Carries out a change without an answer of its own.
func done(_ change: () async throws(AccountsError) -> Void) async throws -> Response {
    try await problems(change)
    return Response(status: .noContent, headers: [.cacheControl: "no-store"])
}

/// Turns errors of accounts into problems.
func problems<Value>(_ body: () async throws(AccountsError) -> Value) async throws(Problem) -> Value {
    do throws(AccountsError) { return try await body() } catch { throw Problem(error) }
}

extension Problem {
    init(_ error: AccountsError) {
        let text = error.description
        self =
            switch error {
            case .wrongPassword: Problem(.forbidden, title: "Wrong name or password", detail: text)
            case .tooManyAttempts(let wait):
                Problem(
                    .tooManyRequests, title: "Too many attempts", detail: text, headers: [.retryAfter: String(wait)])
            case .noSuchInvitation: Problem(.notFound, title: "This link is not valid", detail: text)
            case .nameTaken:
                Problem(.conflict, title: "The name is taken", detail: text, members: ["field": "name"])
            case .invalidName:
                Problem(.badRequest, title: "A field is invalid", detail: text, members: ["field": "name"])
            case .passwordTooShort, .passwordTooLong:
                Problem(.badRequest, title: "A field is invalid", detail: text, members: ["field": "password"])
            case .passkeyRefused: Problem(.forbidden, title: "The passkey was refused", detail: text)
            case .challengeExpired: Problem(.forbidden, title: "The challenge is not valid", detail: text)
            case .passkeyExists: Problem(.conflict, title: "Passkey already added", detail: text)
            case .lastOwner: Problem(.conflict, title: "The gallery needs an owner", detail: text)
            case .notFound: Problem(.notFound, title: "No such entry", detail: text)
            case .tooMany: Problem(.conflict, title: "Limit reached", detail: text)
            case .unavailable: .accountsUnavailable
            // The text may name a file of the server.
            case .library, .unwritable:
                Problem(
                    .serviceUnavailable, title: "Nothing was changed",
                    detail: "The library cannot be written. The server's log says why.", headers: [.retryAfter: "5"])
            }
    }
}

extension HTTPField.Name {
    static let clearSiteData = Self("Clear-Site-Data")!
}
