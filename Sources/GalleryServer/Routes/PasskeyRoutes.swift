import Accounts
import Encodings
import HTTPServer
import HTTPTypes

/// Passkeys: signing in with one, and those of a person's own account.
struct PasskeyRoutes {
    /// Nil in a gallery without accounts.
    let accounts: Accounts?
    let cookies: SessionCookies
    let crossOrigin: CrossOriginPolicy

    func add(to router: inout Router) {
        router.post("/api/v1/session/challenge", for: .entrance, challengeForSignIn)
        router.post("/api/v1/session/passkey", for: .entrance, signIn)
        router.get("/api/v1/passkeys", for: .account, passkeys)
        router.post("/api/v1/passkeys/challenge", for: .account, challengeForNewPasskey)
        router.post("/api/v1/passkeys", for: .account, addPasskey)
        router.delete("/api/v1/passkeys/{id}", for: .account, removePasskey)
    }

    // MARK: - Signing in

    @Sendable private func challengeForSignIn(_ request: Request) async throws -> Response {
        let accounts = try require()
        let party = try RelyingParty(request, crossOrigin)
        return try await unshared(
            request, SignInChallengeBody(challenge: accounts.challengeForSignIn(), party: party))
    }

    @Sendable private func signIn(_ request: Request) async throws -> Response {
        let accounts = try require()
        let party = try RelyingParty(request, crossOrigin)
        let body = try await read(PasskeySignInBody.self, from: request)
        return try await cookies.signedIn(request) { () async throws(AccountsError) in
            try await accounts.signIn(
                body.response, signature: body.signature, userHandle: body.userHandle, at: party, from: request.sender)
        }
    }

    // MARK: - The account's passkeys

    @Sendable private func passkeys(_ request: Request) async throws -> Response {
        let (accounts, principal) = try request.signedIn(accounts)
        return try await unshared(request, PasskeysBody(passkeys: accounts.passkeys(of: principal.account)))
    }

    @Sendable private func challengeForNewPasskey(_ request: Request) async throws -> Response {
        let (accounts, principal) = try request.signedIn(accounts)
        let party = try RelyingParty(request, crossOrigin)
        let body = try await read(CurrentPasswordBody.self, from: request)
        let challenge = try await problems { () async throws(AccountsError) in
            try await accounts.challengeForNewPasskey(password: body.password, by: principal)
        }
        return try await unshared(
            request,
            PasskeyChallengeBody(
                challenge: challenge, party: party, principal: principal,
                existing: accounts.passkeys(of: principal.account)))
    }

    @Sendable private func addPasskey(_ request: Request) async throws -> Response {
        let (accounts, principal) = try request.signedIn(accounts)
        let party = try RelyingParty(request, crossOrigin)
        let body = try await read(NewPasskeyBody.self, from: request)
        let passkey = try await problems { () async throws(AccountsError) in
            try await accounts.addPasskey(
                body.name, body.response, algorithm: body.algorithm, publicKey: body.publicKey, at: party,
                by: principal, from: request.sender)
        }
        return try await unshared(request, PasskeyBody(passkey: passkey), status: .created)
    }

    @Sendable private func removePasskey(_ request: Request) async throws -> Response {
        let (accounts, principal) = try request.signedIn(accounts)
        return try await done { () async throws(AccountsError) in
            try await accounts.removePasskey(request.parameters["id"] ?? "", by: principal, from: request.sender)
        }
    }

    private func require() throws(Problem) -> Accounts {
        guard let accounts else { throw .noAccounts }
        return accounts
    }
}
