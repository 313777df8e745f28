import Accounts
import HTTPServer
import HTTPTypes

/// What owners do: invite people, change their roles, remove them, and read the audit log.
struct PeopleRoutes {
    /// Nil in a gallery without accounts.
    let accounts: Accounts?

    private static let standardLimit = 100
    private static let maximumLimit = 500

    func add(to router: inout Router) {
        router.get("/api/v1/people", for: .manage, people)
        router.post("/api/v1/people", for: .manage, invite)
        router.post("/api/v1/people/{id}", for: .manage, change)
        router.delete("/api/v1/people/{id}", for: .manage, remove)
        router.post("/api/v1/people/{id}/password-link", for: .manage, passwordLink)
        router.delete("/api/v1/invitations/{id}", for: .manage, withdraw)
        router.get("/api/v1/audit", for: .operate, audit)
    }

    @Sendable private func people(_ request: Request) async throws -> Response {
        let (accounts, principal) = try request.signedIn(accounts)
        return try await unshared(
            request, PeopleBody(people: accounts.people, invitations: accounts.invitations, own: principal.account))
    }

    @Sendable private func invite(_ request: Request) async throws -> Response {
        let (accounts, principal) = try request.signedIn(accounts)
        let body = try await read(RoleBody.self, from: request)
        let code = try await problems { () async throws(AccountsError) in
            try await accounts.invite(body.role, by: principal, from: request.sender)
        }
        return try await unshared(request, InvitationLinkBody(code: code.text), status: .created)
    }

    @Sendable private func change(_ request: Request) async throws -> Response {
        let (accounts, principal) = try request.signedIn(accounts)
        let body = try await read(RoleBody.self, from: request)
        let id = try id(in: request)
        return try await done { () async throws(AccountsError) in
            try await accounts.change(id, to: body.role, by: principal, from: request.sender)
        }
    }

    @Sendable private func remove(_ request: Request) async throws -> Response {
        let (accounts, principal) = try request.signedIn(accounts)
        let id = try id(in: request)
        return try await done { () async throws(AccountsError) in
            try await accounts.remove(id, by: principal, from: request.sender)
        }
    }

    @Sendable private func passwordLink(_ request: Request) async throws -> Response {
        let (accounts, principal) = try request.signedIn(accounts)
        let id = try id(in: request)
        let code = try await problems { () async throws(AccountsError) in
            try await accounts.invitePassword(of: id, by: principal, from: request.sender)
        }
        return try await unshared(request, InvitationLinkBody(code: code.text), status: .created)
    }

    @Sendable private func withdraw(_ request: Request) async throws -> Response {
        let (accounts, principal) = try request.signedIn(accounts)
        return try await done { () async throws(AccountsError) in
            try await accounts.withdraw(request.parameters["id"] ?? "", by: principal, from: request.sender)
        }
    }

    @Sendable private func audit(_ request: Request) async throws -> Response {
        guard let accounts else { throw Problem.noAccounts }
        let query = QueryReader(request)
        let before = try query.integer("before", in: 1...largestSafeInteger)
        let limit = try query.integer("limit", in: 1...Self.maximumLimit) ?? Self.standardLimit
        let entries = try await problems { () async throws(AccountsError) in
            try await accounts.audit(before: before.map { Int64($0) }, limit: limit)
        }
        return try await unshared(request, AuditBody(entries: entries, isFull: entries.count == limit))
    }

    private func id(in request: Request) throws(Problem) -> AccountID {
        guard let id = request.parameters["id"].flatMap({ AccountID($0) }) else { throw Problem(.notFound) }
        return id
    }
}
