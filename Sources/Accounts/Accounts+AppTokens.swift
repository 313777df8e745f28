import Locking

/// Tokens for programs.
extension Accounts {
    private static let maximumTokens = 100

    /// The account's tokens that are valid, the newest first.
    public func appTokens(of account: AccountID) -> [AppToken] {
        book.withLock { $0.appTokens.values.filter { $0.account == account && $0.isAlive(at: now) } }
            .sorted { ($0.created, $0.id) > ($1.created, $1.id) }
    }

    /// Issues a token for the principal's account.
    ///
    /// - Parameters:
    ///   - scopes: What the token is for. Beyond the account's own rights they have no effect, now or later.
    ///   - lifetime: In seconds; nil for a token that does not expire.
    /// - Returns: The token, and its secret, which cannot be had again.
    /// - Throws: ``AccountsError``: `notFound` unless a person is signed in, `invalidName`, `tooMany`.
    public func issueToken(
        _ name: String, scopes: Rights, lifetime: Int64?, by principal: Principal, from sender: Sender
    ) async throws(AccountsError) -> (AppToken, Secret) {
        guard principal.isPerson else { throw .notFound }
        guard let name = Account.normalized(name) else { throw .invalidName }
        let secret = Secret.random(32, prefix: AppToken.prefix)
        return try await change { [self] (book, change) throws(AccountsError) in
            _ = try book.require(principal, [], at: now)
            change.records += book.dead(at: now)
            guard book.appTokens.values.count(where: { $0.account == principal.account }) < Self.maximumTokens else {
                throw .tooMany("app tokens")
            }
            let token = AppToken(
                id: Self.newID(), account: principal.account, name: name, digest: secret.digest, scopes: scopes,
                created: now, expires: lifetime.map { now + $0 })
            change.records.append(token.record)
            change.entries.append(
                entry(.appTokenIssued, by: principal.name, sender, "\(name): \(scopes.names.joined(separator: ", "))"))
            return (token, secret)
        }
    }

    /// - Throws: ``AccountsError/notFound`` for a token of somebody else.
    public func revokeToken(_ id: String, by principal: Principal, from sender: Sender) async throws(AccountsError) {
        guard principal.isPerson else { throw .notFound }
        try await change { [self] (book, change) throws(AccountsError) in
            _ = try book.require(principal, [], at: now)
            guard let token = book.appTokens[id], token.account == principal.account else { throw .notFound }
            change.records.append(LibraryRecord(.appToken, id, nil))
            change.entries.append(entry(.appTokenRevoked, by: principal.name, sender, token.name))
        }
    }
}
