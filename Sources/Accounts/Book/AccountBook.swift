/// All accounts, sessions, passkeys, app tokens, invitations and shares, in memory. A value: records go in, answers come out.
struct AccountBook: Sendable {
    private(set) var accounts: [AccountID: Account] = [:]
    private(set) var sessions: [String: Session] = [:]
    private(set) var passkeys: [String: Passkey] = [:]
    private(set) var appTokens: [String: AppToken] = [:]
    private(set) var invitations: [String: Invitation] = [:]
    private(set) var shares: [String: Share] = [:]
    /// Ids of shares by the keys in their links.
    private(set) var sharesByKey: [String: String] = [:]
    private let secret: InstallationSecret
    private var accountsByName: [String: AccountID] = [:]
    private var sessionsByDigest: [String: String] = [:]
    private var passkeysByCredential: [[UInt8]: String] = [:]
    private var appTokensByDigest: [String: String] = [:]
    private var invitationsByDigest: [String: String] = [:]

    init(secret: InstallationSecret) { self.secret = secret }

    // MARK: - Answers

    func account(named name: String) -> Account? { accountsByName[Account.folded(name)].flatMap { accounts[$0] } }

    /// The live session whose cookie has this digest, and its account.
    func session(_ digest: String, at now: Int64) -> (Session, Account)? {
        guard let session = sessionsByDigest[digest].flatMap({ sessions[$0] }), session.isAlive(at: now),
            session.digest == digest || session.previous.map({ $0.digest == digest && now < $0.until }) == true,
            let account = accounts[session.account]
        else { return nil }
        return (session, account)
    }

    func passkey(_ credential: [UInt8]) -> Passkey? { passkeysByCredential[credential].flatMap { passkeys[$0] } }

    func appToken(_ digest: String, at now: Int64) -> (AppToken, Account)? {
        guard let token = appTokensByDigest[digest].flatMap({ appTokens[$0] }), token.isAlive(at: now),
            let account = accounts[token.account]
        else { return nil }
        return (token, account)
    }

    func invitation(_ digest: String, at now: Int64) -> Invitation? {
        invitationsByDigest[digest].flatMap { invitations[$0] }.flatMap { $0.isAlive(at: now) ? $0 : nil }
    }

    var owners: Int { accounts.values.count { $0.role == .owner } }

    /// The principal's account, if a person who is still signed in has these rights. The server identifies the sender when a
    /// request arrives, but its body may take a long time.
    ///
    /// - Throws: ``AccountsError/notFound``.
    func require(_ principal: Principal, _ rights: Rights, at now: Int64) throws(AccountsError) -> Account {
        let isSignedIn =
            switch principal.credential {
            case .session(let id): sessions[id]?.isAlive(at: now) == true
            case .proxy: true
            case .appToken, .share: false
            }
        guard isSignedIn, let account = accounts[principal.account], account.role.rights.isSuperset(of: rights)
        else { throw .notFound }
        return account
    }

    /// Ends the links that set this account's password.
    func passwordLinks(of account: AccountID) -> [LibraryRecord] {
        invitations.values.filter { $0.purpose == .password(of: account) }.map { .init(.invitation, $0.id, nil) }
    }

    /// Ends the links that an account has made for others.
    func links(by issuer: AccountID) -> [LibraryRecord] {
        invitations.values.filter { $0.issuer == issuer }.map { .init(.invitation, $0.id, nil) }
    }

    func shareCount(of account: AccountID) -> Int { shares.values.count { $0.account == account } }

    /// The removals of records that have expired or belong to removed accounts.
    func dead(at now: Int64) -> [LibraryRecord] {
        sessions.values.filter { !$0.isAlive(at: now) || accounts[$0.account] == nil }.map {
            .init(.session, $0.id, nil)
        }
            + passkeys.values.filter { accounts[$0.account] == nil }.map { .init(.passkey, $0.id, nil) }
            + appTokens.values.filter { !$0.isAlive(at: now) || accounts[$0.account] == nil }.map {
                .init(.appToken, $0.id, nil)
            }
            + invitations.values.filter { !$0.isAlive(at: now) }.map { .init(.invitation, $0.id, nil) }
            + shares.values.filter { !$0.isAlive(at: now) || accounts[$0.account] == nil }.map {
                .init(.share, $0.id, nil)
            }
    }

    // MARK: - Changes

    /// - Throws: `JSONFieldError` if the record's body is not what its kind requires.
    mutating func apply(_ record: LibraryRecord) throws {
        switch record.kind {
        case .secret: break
        case .account:
            guard let id = AccountID(record.id) else { return }
            if let former = accounts.removeValue(forKey: id) { accountsByName[Account.folded(former.name)] = nil }
            guard let account = try record.body.map({ try Account(id, $0) }) else { return }
            accounts[id] = account
            accountsByName[Account.folded(account.name)] = id
        case .session:
            if let former = sessions.removeValue(forKey: record.id) {
                for digest in [former.digest, former.previous?.digest ?? ""] { sessionsByDigest[digest] = nil }
            }
            guard let session = try record.body.map({ try Session(record.id, $0) }) else { return }
            sessions[record.id] = session
            for digest in [session.digest, session.previous?.digest].compactMap(\.self) {
                sessionsByDigest[digest] = record.id
            }
        case .passkey:
            if let former = passkeys.removeValue(forKey: record.id) { passkeysByCredential[former.credential] = nil }
            guard let passkey = try record.body.map({ try Passkey(record.id, $0) }) else { return }
            passkeys[record.id] = passkey
            passkeysByCredential[passkey.credential] = record.id
        case .appToken:
            if let former = appTokens.removeValue(forKey: record.id) { appTokensByDigest[former.digest] = nil }
            guard let token = try record.body.map({ try AppToken(record.id, $0) }) else { return }
            appTokens[record.id] = token
            appTokensByDigest[token.digest] = record.id
        case .invitation:
            if let former = invitations.removeValue(forKey: record.id) { invitationsByDigest[former.digest] = nil }
            guard let invitation = try record.body.map({ try Invitation(record.id, $0) }) else { return }
            invitations[record.id] = invitation
            invitationsByDigest[invitation.digest] = record.id
        case .share:
            if let former = shares.removeValue(forKey: record.id) { sharesByKey[former.key(secret)] = nil }
            guard let share = try record.body.map({ try Share(record.id, $0) }) else { return }
            shares[record.id] = share
            sharesByKey[share.key(secret)] = record.id
        }
    }
}
