import Locking

/// People, and the links by which they come in.
extension Accounts {
    /// The most accounts, and the most open invitations.
    private static let maximumAccounts = 1_000

    /// All accounts, in the sequence in which they were made.
    public var people: [Account] {
        book.withLock { Array($0.accounts.values) }.sorted { ($0.created, $0.id.number) < ($1.created, $1.id.number) }
    }

    /// The invitations that are open, the newest first.
    public var invitations: [Invitation] {
        book.withLock { $0.invitations.values.filter { $0.isAlive(at: now) } }
            .sorted { ($0.created, $0.id) > ($1.created, $1.id) }
    }

    /// Makes a link for the first owner. Links made earlier for the same purpose end; in a shared library, only once there
    /// is an owner, because each node makes one.
    public func inviteOwner() async throws(AccountsError) -> Secret {
        let code = Secret.random(16)
        return try await change { [self] (book, change) throws(AccountsError) in
            if !store.isShared { change.records += book.setUpLinkRemovals }
            change.records.append(
                Invitation(
                    id: Self.newID(), digest: code.digest, purpose: .newAccount(.owner), issuer: nil, created: now,
                    expires: now + Invitation.lifetime
                ).record)
            return code
        }
    }

    /// Makes a link with which somebody makes an account of this role.
    public func invite(_ role: Role, by principal: Principal, from sender: Sender) async throws(AccountsError) -> Secret
    {
        try await invite(.newAccount(role), (.invited, role.rawValue), by: principal, from: sender)
    }

    /// Makes a link that lets a person who has forgotten the password set a new one.
    public func invitePassword(
        of id: AccountID, by principal: Principal, from sender: Sender
    ) async throws(AccountsError) -> Secret {
        guard let account = book.withLock({ $0.accounts[id] }) else { throw .notFound }
        return try await invite(.password(of: id), (.passwordLinkIssued, account.name), by: principal, from: sender)
    }

    private func invite(
        _ purpose: Invitation.Purpose, _ words: (AuditEntry.Action, String), by principal: Principal,
        from sender: Sender
    ) async throws(AccountsError) -> Secret {
        let code = Secret.random(16)
        return try await change { [self] (book, change) throws(AccountsError) in
            _ = try book.require(principal, .manage, at: now)
            change.records += book.dead(at: now)
            guard book.invitations.values.count(where: { $0.isAlive(at: now) }) < Self.maximumAccounts else {
                throw .tooMany("open invitations")
            }
            change.records.append(
                Invitation(
                    id: Self.newID(), digest: code.digest, purpose: purpose, issuer: principal.account, created: now,
                    expires: now + Invitation.lifetime
                ).record)
            change.entries.append(entry(words.0, by: principal.name, sender, words.1))
            return code
        }
    }

    /// Withdraws an invitation.
    public func withdraw(_ id: String, by principal: Principal, from sender: Sender) async throws(AccountsError) {
        try await change { [self] (book, change) throws(AccountsError) in
            _ = try book.require(principal, .manage, at: now)
            guard book.invitations[id] != nil else { throw .notFound }
            change.records.append(LibraryRecord(.invitation, id, nil))
            change.entries.append(entry(.invitationWithdrawn, by: principal.name, sender))
        }
    }

    /// What a link is for, and the account's name if it sets a password; nil if it is not, or no longer, valid.
    public func purpose(of code: String) async -> (purpose: Invitation.Purpose, name: String?)? {
        await catchUpIfShared()
        guard let digest = Secret(code)?.digest else { return nil }
        return book.withLock { book in
            guard let invitation = book.invitation(digest, at: now) else { return nil }
            guard case .password(let id) = invitation.purpose else { return (invitation.purpose, nil) }
            return book.accounts[id].map { (invitation.purpose, $0.name) }
        }
    }

    /// Makes the account that a link is for, or sets its password; and signs in. The link does not work again.
    ///
    /// - Parameter name: For a new account.
    /// - Throws: ``AccountsError``: `noSuchInvitation`, `nameTaken`, `invalidName`, `passwordTooShort`,
    ///   `passwordTooLong`.
    public func accept(
        _ code: String, name: String?, password: String, from sender: Sender
    ) async throws(AccountsError) -> SignedIn {
        guard let purpose = await purpose(of: code)?.purpose, let digest = Secret(code)?.digest else {
            throw .noSuchInvitation
        }
        var newName: String?
        if case .newAccount = purpose {
            guard let name = Account.normalized(name ?? "") else { throw .invalidName }
            guard book.withLock({ $0.account(named: name) }) == nil else { throw .nameTaken }
            newName = name
        }
        try Password.check(password)
        let hash = try await hashed(password, for: "address \(sender.address)")
        let id = try await change { [self, newName] (book, change) throws(AccountsError) in
            guard let invitation = book.invitation(digest, at: now) else { throw .noSuchInvitation }
            change.records.append(LibraryRecord(.invitation, invitation.id, nil))
            switch invitation.purpose {
            case .newAccount(let role):
                if invitation.issuer == nil {
                    guard book.owners == 0 else { throw .noSuchInvitation }
                    change.records += book.setUpLinkRemovals
                }
                guard let newName, book.account(named: newName) == nil else { throw .nameTaken }
                return try newAccount(newName, role, hash, in: book, from: sender, &change).id
            case .password(let id):
                guard var account = book.accounts[id] else { throw .noSuchInvitation }
                account.passwordHash = hash
                account.epoch += 1
                change.records.append(account.record)
                change.records += endings(of: id, in: book)
                change.records += book.passwordLinks(of: id)
                // Whoever had taken over the account may have added one.
                for passkey in book.passkeys.values where passkey.account == id {
                    change.records.append(LibraryRecord(.passkey, passkey.id, nil))
                    change.entries.append(entry(.passkeyRemoved, by: account.name, sender, passkey.name))
                }
                change.entries.append(entry(.passwordChanged, by: account.name, sender))
                return id
            }
        }
        return try await begin(id, password: hash, from: sender)
    }

    /// Adds an account to a change.
    ///
    /// - Parameters:
    ///   - name: A normalized name that no account has.
    ///   - identity: One that no account has.
    func newAccount(
        _ name: String, _ role: Role, _ hash: String, identity: OpenIDIdentity? = nil, in book: AccountBook,
        from sender: Sender, _ change: inout LibraryChange
    ) throws(AccountsError) -> Account {
        guard book.accounts.count < Self.maximumAccounts else { throw .tooMany("accounts") }
        let account = Account(
            id: Self.newAccountID(book), name: name, role: role, passwordHash: hash, identity: identity, created: now)
        change.records.append(account.record)
        change.entries.append(entry(.accountCreated, by: name, sender, role.rawValue))
        return account
    }

    private static func newAccountID(_ book: AccountBook) -> AccountID {
        while true {
            let id = AccountID(number: .random(in: 1 ... .max))
            if book.accounts[id] == nil { return id }
        }
    }

    // MARK: - Roles

    /// - Throws: ``AccountsError``: `notFound`, `lastOwner`.
    public func change(
        _ id: AccountID, to role: Role, by principal: Principal, from sender: Sender
    ) async throws(AccountsError) {
        try await change { [self] (book, change) throws(AccountsError) in
            _ = try book.require(principal, .manage, at: now)
            guard let account = book.accounts[id] else { throw .notFound }
            guard account.role != role else { return }
            _ = try give(account, role, by: principal.name, in: book, from: sender, &change)
        }
    }

    /// Adds another role of an account to a change.
    func give(
        _ account: Account, _ role: Role, by actor: String, in book: AccountBook, from sender: Sender,
        _ change: inout LibraryChange
    ) throws(AccountsError) -> Account {
        guard account.role != .owner || book.owners > 1 else { throw .lastOwner }
        var account = account
        account.role = role
        account.epoch += 1
        change.records.append(account.record)
        change.records += book.links(by: account.id)
        change.entries.append(entry(.roleChanged, by: actor, sender, "\(account.name): \(role.rawValue)"))
        return account
    }

    /// Removes an account with its sessions, passkeys, app tokens and links.
    ///
    /// - Throws: ``AccountsError``: `notFound`, `lastOwner`.
    public func remove(_ id: AccountID, by principal: Principal, from sender: Sender) async throws(AccountsError) {
        try await change { [self] (book, change) throws(AccountsError) in
            _ = try book.require(principal, .manage, at: now)
            guard let account = book.accounts[id] else { throw .notFound }
            guard account.role != .owner || book.owners > 1 else { throw .lastOwner }
            change.records.append(LibraryRecord(.account, id.description, nil))
            change.records += endings(of: id, in: book)
            change.records += book.appTokens.values.filter { $0.account == id }.map { .init(.appToken, $0.id, nil) }
            change.records += book.passkeys.values.filter { $0.account == id }.map { .init(.passkey, $0.id, nil) }
            change.records += book.shares.values.filter { $0.account == id }.map { .init(.share, $0.id, nil) }
            change.records += book.passwordLinks(of: id) + book.links(by: id)
            change.entries.append(entry(.accountRemoved, by: principal.name, sender, account.name))
        }
    }
}
