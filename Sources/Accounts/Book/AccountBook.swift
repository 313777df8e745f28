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
    private var accountsByIdentity: [OpenIDIdentity: AccountID] = [:]
    private var sessionsByDigest: [String: String] = [:]
    private var passkeysByCredential: [[UInt8]: String] = [:]
    private var appTokensByDigest: [String: String] = [:]
    private var invitationsByDigest: [String: String] = [:]

    init(secret: InstallationSecret) { self.secret = secret }

    // MARK: - Answers

    func account(named name: String) -> Account? { accountsByName[Account.folded(name)].flatMap { accounts[$0] } }

    func account(with identity: OpenIDIdentity) -> Account? { accountsByIdentity[identity].flatMap { accounts[$0] } }

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

    /// Ends the links with which the first owner's account is made.
    var setUpLinkRemovals: [LibraryRecord] {
        invitations.values.filter { $0.issuer == nil && $0.purpose == .newAccount(.owner) }.map {
            .init(.invitation, $0.id, nil)
        }
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

    /// The removals of records that are here and not among these.
    func removals(ofRecordsMissingFrom records: [LibraryRecord]) -> [LibraryRecord] {
        let kept = Set(records.map(\.key))
        let keys =
            accounts.keys.map { LibraryRecord.Key(kind: .account, id: $0.description) }
            + sessions.keys.map { .init(kind: .session, id: $0) }
            + passkeys.keys.map { .init(kind: .passkey, id: $0) }
            + appTokens.keys.map { .init(kind: .appToken, id: $0) }
            + invitations.keys.map { .init(kind: .invitation, id: $0) }
            + shares.keys.map { .init(kind: .share, id: $0) }
        return keys.filter { !kept.contains($0) }.map { LibraryRecord($0.kind, $0.id, nil) }
    }

    /// - Returns: The account that has lost something by it: a session, a token, a share, rights, or links.
    /// - Throws: `JSONFieldError` if the record's body is not what its kind requires; then the book stays as it is.
    @discardableResult
    mutating func apply(_ record: LibraryRecord) throws -> AccountID? {
        switch record.kind {
        case .secret: return nil
        case .account:
            guard let id = AccountID(record.id) else { return nil }
            let account = try record.body.map { try Account(id, $0) }
            let former = accounts.removeValue(forKey: id)
            if let former { accountsByName[Account.folded(former.name)] = nil }
            if let identity = former?.identity { accountsByIdentity[identity] = nil }
            if let account {
                accounts[id] = account
                accountsByName[Account.folded(account.name)] = id
                if let identity = account.identity { accountsByIdentity[identity] = id }
            }
            return former.flatMap { $0.epoch == account?.epoch && $0.role == account?.role ? nil : id }
        case .session:
            let session = try record.body.map { try Session(record.id, $0) }
            let former = sessions.removeValue(forKey: record.id)
            for digest in [former?.digest, former?.previous?.digest].compactMap(\.self) {
                sessionsByDigest[digest] = nil
            }
            if let session {
                sessions[record.id] = session
                for digest in [session.digest, session.previous?.digest].compactMap(\.self) {
                    sessionsByDigest[digest] = record.id
                }
            }
            return session == nil ? former?.account : nil
        case .passkey:
            let passkey = try record.body.map { try Passkey(record.id, $0) }
            if let former = passkeys.removeValue(forKey: record.id) { passkeysByCredential[former.credential] = nil }
            if let passkey {
                passkeys[record.id] = passkey
                passkeysByCredential[passkey.credential] = record.id
            }
            return nil
        case .appToken:
            let token = try record.body.map { try AppToken(record.id, $0) }
            let former = appTokens.removeValue(forKey: record.id)
            if let former { appTokensByDigest[former.digest] = nil }
            if let token {
                appTokens[record.id] = token
                appTokensByDigest[token.digest] = record.id
            }
            return token == nil ? former?.account : nil
        case .invitation:
            let invitation = try record.body.map { try Invitation(record.id, $0) }
            if let former = invitations.removeValue(forKey: record.id) { invitationsByDigest[former.digest] = nil }
            if let invitation {
                invitations[record.id] = invitation
                invitationsByDigest[invitation.digest] = record.id
            }
            return nil
        case .share:
            let share = try record.body.map { try Share(record.id, $0) }
            let former = shares.removeValue(forKey: record.id)
            if let former { sharesByKey[former.key(secret)] = nil }
            if let share {
                shares[record.id] = share
                sharesByKey[share.key(secret)] = record.id
            }
            return share == nil ? former?.account : nil
        }
    }
}
