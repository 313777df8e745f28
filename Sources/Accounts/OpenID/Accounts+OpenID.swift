/// People whom an OpenID provider signs in.
extension Accounts {
    /// The name of a new account for a person whom the provider does not name.
    private static let unnamed = "person"

    /// Begins a session of the person's account, which is created at the first visit, without a password. Accounts are found by
    /// identity, never by name. The provider's groups set the role.
    ///
    /// - Parameter provider: The provider's name, for the audit log.
    /// - Throws: ``AccountsError``: `lastOwner` if the gallery would lose its only owner, `tooMany`, `unwritable`.
    func signIn(
        _ person: OpenIDPerson, at provider: String, from sender: Sender
    ) async throws(AccountsError) -> SignedIn {
        let role: Role = person.isOwner == true ? .owner : .member
        let id = try await change { [self] (book, change) throws(AccountsError) in
            guard let account = book.account(with: person.identity) else {
                let name = Self.freeName(person.names.first ?? Self.unnamed, in: book)
                return try newAccount(
                    name, role, Password.none, identity: person.identity, in: book, from: sender, &change
                ).id
            }
            guard account.role.isOwner != person.isOwner, person.isOwner != nil else { return account.id }
            return try give(account, role, by: account.name, in: book, from: sender, &change).id
        }
        return try await begin(id, with: provider, from: sender) { (book, _) throws(AccountsError) in
            // Somebody may have removed the account meanwhile.
            guard book.accounts[id]?.identity == person.identity else { throw .notFound }
        }
    }

    /// Writes into the audit log that somebody was refused; not if the library cannot be written.
    func noteFailedSignIn(with provider: String, from sender: Sender) async {
        try? await change { [self] (_, change) throws(AccountsError) in
            change.entries.append(entry(.signInFailed, by: nil, sender, provider))
        }
    }

    /// The name, or if it is taken, the name with the lowest number from 2 that makes it unique.
    ///
    /// - Parameter name: Normalized.
    private static func freeName(_ name: String, in book: AccountBook) -> String {
        guard book.account(named: name) != nil else { return name }
        var number = 2
        while true {
            let ending = "-\(number)"
            var start = name
            while start.utf8.count + ending.utf8.count > Account.longestName { start.removeLast() }
            if book.account(named: start + ending) == nil { return start + ending }
            number += 1
        }
    }
}
