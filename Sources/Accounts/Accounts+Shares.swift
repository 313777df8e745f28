import Locking

/// Shares, and their visitors.
extension Accounts {
    private static let maximumShares = 1_000

    /// What a new share is like.
    public struct NewShare: Sendable {
        public var name: String
        /// The canonical text of the view; empty for the whole gallery, or for a selection.
        public var view: String
        /// The images of a selection, by the values of their ids; empty for a view.
        public var images: [UInt64]
        /// In seconds; nil for a share that does not expire.
        public var lifetime: Int64?
        public var password: String?
        public var contents: Share.Contents

        public init(
            name: String, view: String, images: [UInt64] = [], lifetime: Int64?, password: String?,
            contents: Share.Contents
        ) {
            self.name = name
            self.view = view
            self.images = images
            self.lifetime = lifetime
            self.password = password
            self.contents = contents
        }
    }

    /// The shares that an account has made and that have not ended, the newest first; an owner sees everybody's.
    public func shares(for principal: Principal) -> [Share] {
        book.withLock { book in
            book.shares.values.filter {
                $0.isAlive(at: now) && ($0.account == principal.account || principal.rights.contains(.manage))
            }
        }.map { share in
            var share = share
            share.visits += visits.withLock { $0[share.id] ?? 0 }
            return share
        }.sorted { ($0.created, $0.id) > ($1.created, $1.id) }
    }

    /// The name of an account; nil if it is gone.
    public func name(of account: AccountID) -> String? { book.withLock { $0.accounts[account]?.name } }

    /// Makes a share.
    ///
    /// - Throws: ``AccountsError``: `notFound` for what its maker lacks, `invalidName`, `tooMany`, `passwordTooLong`.
    public func share(_ new: NewShare, by principal: Principal, from sender: Sender) async throws(AccountsError)
        -> Share
    {
        guard principal.isPerson, principal.rights.contains(.share) else { throw .notFound }
        guard !new.contents.contains(.originals) || principal.rights.contains(.originals) else { throw .notFound }
        guard let name = Account.normalized(new.name) else { throw .invalidName }
        guard book.withLock({ $0.shareCount(of: principal.account) }) < Self.maximumShares else {
            throw .tooMany("shares")
        }
        var hash: String?
        if let password = new.password {
            guard password.utf8.count <= Password.longest else { throw .passwordTooLong }
            hash = try await hashed(password, for: "share \(principal.account)")
        }
        return try await change { [self, hash] (book, change) throws(AccountsError) in
            let needed: Rights = new.contents.contains(.originals) ? [.share, .originals] : .share
            _ = try book.require(principal, needed, at: now)
            guard book.shareCount(of: principal.account) < Self.maximumShares else { throw .tooMany("shares") }
            let share = Share(
                id: Self.newID(), account: principal.account, name: name, view: new.view,
                images: new.images, created: now, expires: new.lifetime.map { now + $0 }, passwordHash: hash,
                contents: new.contents, visits: 0)
            change.records.append(share.record)
            change.entries.append(entry(.shareMade, by: principal.name, sender, name))
            return share
        }
    }

    /// Ends a share.
    ///
    /// - Throws: ``AccountsError/notFound`` for a share of somebody else, unless the principal is an owner.
    public func endShare(_ id: String, by principal: Principal, from sender: Sender) async throws(AccountsError) {
        guard principal.isPerson else { throw .notFound }
        try await change { [self] (book, change) throws(AccountsError) in
            let account = try book.require(principal, [], at: now)
            guard let share = book.shares[id], share.account == account.id || account.role.rights.contains(.manage)
            else {
                throw .notFound
            }
            change.records.append(LibraryRecord(.share, id, nil))
            change.entries.append(entry(.shareEnded, by: principal.name, sender, share.name))
        }
    }

    // MARK: - Visitors

    /// A visit by the key in a link; nil if there is no such share, it has ended, or its maker may no longer share.
    ///
    /// - Parameter pass: What the visitor's browser got for the password, if it has it.
    public func visit(_ key: String, pass: String?) -> ShareVisit? {
        let found = book.withLock { book in
            book.sharesByKey[key].flatMap { book.shares[$0] }.flatMap { share in
                book.accounts[share.account].map { (share, $0) }
            }
        }
        guard let (share, maker) = found, share.isAlive(at: now), maker.role.rights.contains(.share) else { return nil }
        let isUnlocked = share.passwordHash == nil || pass == share.pass(secret)
        return ShareVisit(key: key, share: share, principal: isUnlocked ? principal(of: share, maker) : nil)
    }

    private func principal(of share: Share, _ maker: Account) -> Principal {
        var rights: Rights = .view
        if share.contents.contains(.originals) { rights.insert(.originals) }
        return Principal(
            account: share.account, name: share.name, role: .guest, rights: rights.intersection(maker.role.rights),
            credential: .share(share.id))
    }

    /// Checks the password of a share.
    ///
    /// - Returns: What the visitor's browser shows from now on.
    /// - Throws: ``AccountsError``: `wrongPassword`, `tooManyAttempts`.
    public func unlock(_ visit: ShareVisit, password: String, from sender: Sender) async throws(AccountsError) -> String
    {
        guard let hash = visit.share.passwordHash else { return visit.share.pass(secret) }
        let attempt = AttemptLimiter.Attempt(
            attempter: .address(sender.address), target: "share \(visit.share.id)")
        guard try await matches(password, hash, attempt) else { throw .wrongPassword }
        return visit.share.pass(secret)
    }

    /// Counts a visit: at once in memory, and on the disk with others.
    public func count(_ visit: ShareVisit) {
        let isFirst = visits.withLock { visits in
            let isFirst = visits.isEmpty
            visits[visit.share.id, default: 0] += 1
            return isFirst
        }
        if isFirst { saveLater { [weak self] in self?.saveVisits() } }
    }

    /// Adds the visits counted here to those in the library, to which other nodes add theirs. On the accounts' thread.
    func saveVisits() {
        let counted = visits.withLock { visits in
            defer { visits = [:] }
            return visits
        }
        guard !counted.isEmpty else { return }
        do {
            try makeChange { (book, change) throws(AccountsError) in
                change.records += counted.compactMap { id, count in
                    guard var share = book.shares[id] else { return nil }
                    share.visits += count
                    return share.record
                }
            }
        } catch {
            // The counts are kept, and written at the next attempt.
            visits.withLock { $0.merge(counted, uniquingKeysWith: +) }
            saveLater { [weak self] in self?.saveVisits() }
        }
    }
}
