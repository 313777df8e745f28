import Encodings
import Locking

/// A browser that has just signed in: what its cookies get.
public struct SignedIn: Sendable {
    public let principal: Principal
    /// The secret of the session.
    public let session: Secret
    /// Shows at a later sign-in that this browser has been used with the account; see ``Accounts/signIn(name:password:browser:from:)``.
    public let browser: String
}

extension Accounts {
    /// The most sessions of an account; the one that was used least recently makes room.
    private static let maximumSessions = 100

    /// Signs in with a password. Takes as long if there is no such account.
    ///
    /// - Parameter browser: What this browser got at an earlier sign-in, if it still has it. Its attempts are counted apart
    ///   from those of its address and are checked first, so that strangers who guess passwords do not delay it.
    /// - Throws: ``AccountsError``: `wrongPassword`, `tooManyAttempts`, `unwritable`.
    public func signIn(
        name: String, password: String, browser: String?, from sender: Sender
    ) async throws(AccountsError) -> SignedIn {
        await catchUpIfShared()
        let folded = Account.folded(Account.normalized(name) ?? "")
        let account = book.withLock { $0.account(named: folded) }
        let isKnown = browser != nil && account.map { browser == self.browser(of: $0.id) } == true
        let attempt = AttemptLimiter.Attempt(
            attempter: isKnown ? .known : .address(sender.address), target: "account \(folded)")
        // An account without a password takes as long, too.
        let hash = account.flatMap { $0.passwordHash == Password.none ? nil : $0.passwordHash } ?? Password.unmatched
        guard try await matches(password, hash, attempt), let account else {
            try await change { [self] (_, change) throws(AccountsError) in
                change.entries.append(entry(.signInFailed, by: String(name.prefix(Account.longestName)), sender))
            }
            throw .wrongPassword
        }
        return try await begin(account.id, password: hash, from: sender)
    }

    /// Checks a password, unless whoever tries it has to wait.
    ///
    /// - Throws: ``AccountsError/tooManyAttempts(wait:)``.
    func matches(
        _ password: String, _ hash: String, _ attempt: AttemptLimiter.Attempt
    ) async throws(AccountsError) -> Bool {
        let hasFailed = try begin(attempt)
        let urgency: PasswordQueue.Urgency = attempt.attempter == .known ? .known : hasFailed ? .failed : .fresh
        let password = String(password.prefix(Password.longest + 1))
        let matches = try await passwordQueue.run(urgency) { Password.matches(password, hash) }
        if matches { limiter.withLock { $0.succeeded(attempt) } }
        return matches
    }

    /// Counts an attempt as failed before its check, so that attempts made at once are all counted.
    ///
    /// - Returns: Whether it has failed lately.
    /// - Throws: ``AccountsError/tooManyAttempts(wait:)``.
    @discardableResult func begin(_ attempt: AttemptLimiter.Attempt) throws(AccountsError) -> Bool {
        let (wait, hasFailed) = limiter.withLock { limiter in
            let answer = (limiter.wait(attempt, now: uptime), limiter.hasFailed(attempt, now: uptime))
            if answer.0 == 0 { limiter.failed(attempt, now: uptime) }
            return answer
        }
        guard wait == 0 else { throw .tooManyAttempts(wait: wait) }
        return hasFailed
    }

    /// Begins a session of an account.
    ///
    /// - Parameter hash: Of the password that was checked: it may have been changed since.
    func begin(_ id: AccountID, password hash: String, from sender: Sender) async throws(AccountsError) -> SignedIn {
        try await begin(id, from: sender) { (book, _) throws(AccountsError) in
            guard book.accounts[id]?.passwordHash == hash else { throw .wrongPassword }
        }
    }

    /// Begins a session of an account.
    ///
    /// - Parameters:
    ///   - means: What the person signed in with, for the audit log; nil for the password.
    ///   - confirm: Repeats earlier checks in the change that begins the session.
    func begin(
        _ id: AccountID, with means: String? = nil, from sender: Sender,
        _ confirm: @escaping @Sendable (AccountBook, inout LibraryChange) throws(AccountsError) -> Void
    ) async throws(AccountsError) -> SignedIn {
        let secret = Secret.random(32)
        return try await change { [self] (book, change) throws(AccountsError) in
            try confirm(book, &change)
            guard let account = book.accounts[id] else { throw .notFound }
            let session = Session(
                id: Self.newID(), account: id, digest: secret.digest, previous: nil, created: now, rotated: now,
                seen: now, agent: sender.agent, address: sender.address)
            let others = book.sessions.values.filter { $0.account == id }.sorted { $0.seen < $1.seen }
            change.records += others.dropLast(Self.maximumSessions - 1).map { LibraryRecord(.session, $0.id, nil) }
            change.records.append(session.record)
            change.entries.append(entry(.signedIn, by: account.name, sender, means))
            return SignedIn(
                principal: Principal(account, .session(session.id)), session: secret, browser: browser(of: id))
        }
    }

    /// What shows that a browser has been used with this account. It opens nothing.
    func browser(of account: AccountID) -> String { secret.text(for: "browser \(account)") }

    /// Notes that a session is used; at once in memory, and on the disk soon.
    public func noteUse(_ principal: Principal, from sender: @autoclosure () -> Sender) {
        guard case .session(let id) = principal.credential else { return }
        let isDue = book.withLock { $0.sessions[id].map { now >= $0.seen + Session.seenPrecision } } == true
        guard isDue else { return }
        let (address, seen) = (sender().address, now)
        let isNoted = book.withLock { book in
            guard var session = book.sessions[id], seen >= session.seen + Session.seenPrecision else { return false }
            session.seen = seen
            session.address = address
            // The record was made from a session, so it can be read.
            _ = try? book.apply(session.record)
            return true
        }
        if isNoted { save(session: id, seen: seen, address: address) }
    }

    /// Replaces the secret of a session once it is a day old.
    ///
    /// - Returns: The new secret, for the browser's cookie; nil if the present one stays.
    public func renew(_ principal: Principal) async throws(AccountsError) -> Secret? {
        guard case .session(let id) = principal.credential,
            book.withLock({ $0.sessions[id].map { now >= $0.rotated + Session.rotationTime } }) == true
        else { return nil }
        let secret = Secret.random(32)
        return try await change { [self] (book, change) throws(AccountsError) in
            guard var session = book.sessions[id], now >= session.rotated + Session.rotationTime else { return nil }
            session.previous = .init(digest: session.digest, until: now + Session.overlap)
            session.digest = secret.digest
            session.rotated = now
            change.records.append(session.record)
            return secret
        }
    }

    /// Ends a session of this account.
    ///
    /// - Parameter id: Of the session; that of the principal's own signs it out.
    /// - Throws: ``AccountsError/notFound`` for a session of somebody else.
    public func endSession(_ id: String, by principal: Principal, from sender: Sender) async throws(AccountsError) {
        try await change { [self] (book, change) throws(AccountsError) in
            var account = try book.require(principal, [], at: now)
            guard let session = book.sessions[id], session.account == principal.account else { throw .notFound }
            change.records.append(LibraryRecord(.session, id, nil))
            // Links that the session was told of end with it.
            account.epoch += 1
            change.records.append(account.record)
            let isOwn = principal.credential == .session(id)
            change.entries.append(
                entry(isOwn ? .signedOut : .sessionEnded, by: principal.name, sender, isOwn ? nil : session.agent))
        }
    }

    /// The account's sessions, the one used last first.
    public func sessions(of account: AccountID) -> [Session] {
        book.withLock { $0.sessions.values.filter { $0.account == account && $0.isAlive(at: now) } }
            .sorted { ($0.seen, $0.id) > ($1.seen, $1.id) }
    }

    // MARK: - Passwords

    /// Whether the account has a password: accounts created by an OpenID sign-in start without one.
    public func hasPassword(_ account: AccountID) -> Bool {
        book.withLock { $0.accounts[account].map { $0.passwordHash != Password.none } ?? false }
    }

    /// Changes the principal's password, and ends all of the account's other sessions.
    ///
    /// - Throws: ``AccountsError``: `wrongPassword` if `current` is not the present password.
    public func changePassword(
        from current: String, to new: String, by principal: Principal, from sender: Sender
    ) async throws(AccountsError) {
        try Password.check(new)
        guard let account = book.withLock({ $0.accounts[principal.account] }) else { throw .notFound }
        let hash = account.passwordHash
        let attempt = AttemptLimiter.Attempt(attempter: .known, target: "change \(principal.account)")
        guard try await matches(current, hash, attempt) else { throw .wrongPassword }
        let newHash = try await hashed(new, for: "change \(principal.account)")
        try await change { [self] (book, change) throws(AccountsError) in
            var account = try book.require(principal, [], at: now)
            guard account.passwordHash == hash else { throw .wrongPassword }
            account.passwordHash = newHash
            account.epoch += 1
            change.records.append(account.record)
            change.records += endings(of: account.id, in: book, except: principal.credential)
            change.records += book.passwordLinks(of: account.id)
            change.entries.append(entry(.passwordChanged, by: principal.name, sender))
        }
    }

    /// The hash of a new password.
    ///
    /// - Parameter purpose: Who makes it, and for what: one person cannot occupy the queue with new passwords.
    /// - Throws: ``AccountsError/tooManyAttempts(wait:)``.
    func hashed(_ password: String, for purpose: String) async throws(AccountsError) -> String {
        let attempt = AttemptLimiter.Attempt(attempter: .known, target: "new \(purpose)")
        try begin(attempt)
        guard let hash = try await passwordQueue.run(.fresh, { Password.hash(password) }) else {
            throw .unwritable(reason: "there is no memory for a password's hash")
        }
        return hash
    }

    /// The ends of an account's sessions.
    func endings(of account: AccountID, in book: AccountBook, except kept: Principal.Credential? = nil)
        -> [LibraryRecord]
    {
        book.sessions.values.filter { $0.account == account && .session($0.id) != kept }.map {
            LibraryRecord(.session, $0.id, nil)
        }
    }

    func entry(
        _ action: AuditEntry.Action, by actor: String?, _ sender: Sender, _ subject: String? = nil
    ) -> AuditEntry {
        AuditEntry(time: now, actor: actor, address: sender.address, action: action, subject: subject)
    }

    /// An id for a list: 64 random bits, which are not secret.
    static func newID() -> String { Base64.url.encode([UInt8].random(8)) }
}
