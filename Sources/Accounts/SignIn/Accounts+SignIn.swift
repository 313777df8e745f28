import Encodings
import Locking

/// A browser that has just signed in: what its cookies get.
public struct SignedIn: Sendable {
    public let reader: Reader
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
        let folded = Account.folded(Account.normalized(name) ?? "")
        let account = book.withLock { $0.account(named: folded) }
        let isKnown = browser != nil && account.map { browser == self.browser(of: $0.id) } == true
        let attempter = isKnown ? AttemptLimiter.Attempter.browser(folded) : .address(sender.address)
        let (wait, failures) = limiter.withLock { limiter in
            (limiter.wait(attempter, account: folded, now: uptime), limiter.failures(of: attempter, now: uptime))
        }
        guard wait == 0 else { throw .tooManyAttempts(wait: wait) }
        let urgency: PasswordLane.Urgency = isKnown ? .known : failures == 0 ? .fresh : .failed
        // Counted before the check, so that attempts made at once are all counted.
        limiter.withLock { $0.failed(attempter, account: folded, now: uptime) }
        let hash = account?.passwordHash ?? Password.unmatched
        let password = String(password.prefix(Password.longest + 1))
        let matches = try await lane.run(urgency) { Password.matches(password, hash) }
        guard matches, let account else {
            try await change { [self] (_, change) throws(AccountsError) in
                change.entries.append(entry(.signInFailed, by: String(name.prefix(Account.longestName)), sender))
            }
            throw .wrongPassword
        }
        limiter.withLock { $0.succeeded(attempter) }
        return try await begin(account.id, .signedIn, from: sender)
    }

    /// Begins a session of an account.
    func begin(
        _ id: AccountID, _ action: AuditEntry.Action, from sender: Sender
    ) async throws(AccountsError) -> SignedIn {
        let secret = Secret.random(32)
        return try await change { [self] (book, change) throws(AccountsError) in
            guard let account = book.accounts[id] else { throw .notFound }
            let session = Session(
                id: Self.newID(), account: id, digest: secret.digest, previous: nil, created: now, rotated: now,
                seen: now, agent: sender.agent, address: sender.address)
            let others = book.sessions.values.filter { $0.account == id }.sorted { $0.seen < $1.seen }
            change.records += others.dropLast(Self.maximumSessions - 1).map { LibraryRecord(.session, $0.id, nil) }
            change.records.append(session.record)
            change.entries.append(entry(action, by: account.name, sender))
            let reader = Reader(
                account: id, name: account.name, role: account.role, rights: account.role.rights,
                credential: .session(session.id))
            return SignedIn(reader: reader, session: secret, browser: browser(of: id))
        }
    }

    /// What shows that a browser has been used with this account. It opens nothing.
    func browser(of account: AccountID) -> String {
        let (first, second) = secret.key(for: "browser \(account)")
        var bytes: [UInt8] = []
        for word in [first, second] {
            for shift in 0..<8 { bytes.append(UInt8(truncatingIfNeeded: word >> (8 * shift))) }
        }
        return Base64.url.encode(bytes)
    }

    /// Notes that a session is used, and replaces its secret once it is a day old.
    ///
    /// - Returns: The new secret, for the browser's cookie; nil if the present one stays.
    public func refresh(_ reader: Reader, from sender: Sender) async throws(AccountsError) -> Secret? {
        guard case .session(let id) = reader.credential else { return nil }
        guard let session = book.withLock({ $0.sessions[id] }) else { return nil }
        let isOld = now >= session.rotated + Session.rotationTime
        guard isOld || now >= session.seen + Session.seenPrecision else { return nil }
        let secret = Secret.random(32)
        return try await change { [self] (book, change) throws(AccountsError) in
            guard var session = book.sessions[id] else { return nil }
            let isOld = now >= session.rotated + Session.rotationTime
            if isOld {
                session.previous = .init(digest: session.digest, until: now + Session.overlap)
                session.digest = secret.digest
                session.rotated = now
            }
            session.seen = now
            session.address = sender.address
            change.records.append(session.record)
            return isOld ? secret : nil
        }
    }

    /// Ends a session of this account.
    ///
    /// - Parameter id: Of the session; that of the reader's own signs it out.
    /// - Throws: ``AccountsError/notFound`` for a session of somebody else.
    public func endSession(_ id: String, by reader: Reader, from sender: Sender) async throws(AccountsError) {
        try await change { [self] (book, change) throws(AccountsError) in
            guard let session = book.sessions[id], session.account == reader.account else { throw .notFound }
            change.records.append(LibraryRecord(.session, id, nil))
            let isOwn = reader.credential == .session(id)
            change.entries.append(
                entry(isOwn ? .signedOut : .sessionEnded, by: reader.name, sender, isOwn ? nil : session.agent))
            change.losses.insert(reader.account)
        }
    }

    /// The account's sessions, the one used last first.
    public func sessions(of account: AccountID) -> [Session] {
        book.withLock { $0.sessions.values.filter { $0.account == account && $0.isAlive(at: now) } }
            .sorted { ($0.seen, $0.id) > ($1.seen, $1.id) }
    }

    // MARK: - Passwords

    /// Changes the reader's password, and ends all of the account's other sessions.
    ///
    /// - Throws: ``AccountsError``: `wrongPassword` if `current` is not the present password.
    public func changePassword(
        from current: String, to new: String, by reader: Reader, from sender: Sender
    ) async throws(AccountsError) {
        try Password.check(new)
        let attempter = AttemptLimiter.Attempter.browser("change \(reader.account)")
        let wait = limiter.withLock { $0.wait(attempter, account: "", now: uptime) }
        guard wait == 0 else { throw .tooManyAttempts(wait: wait) }
        guard let account = book.withLock({ $0.accounts[reader.account] }) else { throw .notFound }
        let hash = account.passwordHash
        let current = String(current.prefix(Password.longest + 1))
        guard try await lane.run(.known, { Password.matches(current, hash) }) else {
            limiter.withLock { $0.failed(attempter, account: "", now: uptime) }
            throw .wrongPassword
        }
        limiter.withLock { $0.succeeded(attempter) }
        let newHash = try await hashed(new)
        try await change { [self] (book, change) throws(AccountsError) in
            guard var account = book.accounts[reader.account], account.passwordHash == hash else {
                throw .wrongPassword
            }
            account.passwordHash = newHash
            account.epoch += 1
            change.records.append(account.record)
            change.records += endings(of: account.id, in: book, except: reader.credential)
            change.entries.append(entry(.passwordChanged, by: reader.name, sender))
            change.losses.insert(account.id)
        }
    }

    func hashed(_ password: String) async throws(AccountsError) -> String {
        guard let hash = try await lane.run(.known, { Password.hash(password) }) else {
            throw .unwritable(reason: "there is no memory for a password's hash")
        }
        return hash
    }

    /// The ends of an account's sessions.
    func endings(of account: AccountID, in book: AccountBook, except kept: Reader.Credential? = nil) -> [LibraryRecord]
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
    static func newID() -> String {
        let bits = UInt64.random(in: .min ... .max)
        return Base64.url.encode((0..<8).map { UInt8(truncatingIfNeeded: bits >> (8 * $0)) })
    }
}
