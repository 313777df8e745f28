import Locking

/// Tokens for programs.
extension Accounts {
    private static let maximumTokens = 100

    /// The account's tokens that are valid, the newest first.
    public func appTokens(of account: AccountID) -> [AppToken] {
        book.withLock { $0.appTokens.values.filter { $0.account == account && $0.isAlive(at: now) } }
            .sorted { ($0.created, $0.id) > ($1.created, $1.id) }
    }

    /// Issues a token for the reader's account.
    ///
    /// - Parameters:
    ///   - scopes: What the token is for. Beyond the account's own rights they have no effect, now or later.
    ///   - lifetime: In seconds; nil for a token that does not expire.
    /// - Returns: The token, and its secret, which cannot be had again.
    /// - Throws: ``AccountsError``: `notFound` unless a person is signed in, `invalidName`, `tooMany`.
    public func issueToken(
        _ name: String, scopes: Rights, lifetime: Int64?, by reader: Reader, from sender: Sender
    ) async throws(AccountsError) -> (AppToken, Secret) {
        guard reader.isPerson else { throw .notFound }
        guard let name = Account.normalized(name) else { throw .invalidName }
        let secret = Secret.random(32, prefix: AppToken.prefix)
        return try await change { [self] (book, change) throws(AccountsError) in
            _ = try book.require(reader, [], at: now)
            change.records += book.dead(at: now)
            guard book.appTokens.values.count(where: { $0.account == reader.account }) < Self.maximumTokens else {
                throw .tooMany("app tokens")
            }
            let token = AppToken(
                id: Self.newID(), account: reader.account, name: name, digest: secret.digest, scopes: scopes,
                created: now, expires: lifetime.map { now + $0 })
            change.records.append(token.record)
            change.entries.append(
                entry(.appTokenIssued, by: reader.name, sender, "\(name): \(scopes.scopes.joined(separator: ", "))"))
            return (token, secret)
        }
    }

    /// - Throws: ``AccountsError/notFound`` for a token of somebody else.
    public func revokeToken(_ id: String, by reader: Reader, from sender: Sender) async throws(AccountsError) {
        guard reader.isPerson else { throw .notFound }
        try await change { [self] (book, change) throws(AccountsError) in
            _ = try book.require(reader, [], at: now)
            guard let token = book.appTokens[id], token.account == reader.account else { throw .notFound }
            change.records.append(LibraryRecord(.appToken, id, nil))
            change.entries.append(entry(.appTokenRevoked, by: reader.name, sender, token.name))
            change.losses.insert(reader.account)
        }
    }
}
