import Dispatch
import Glibc
import Locking
public import Logging

/// The accounts of a gallery, with their rights, sessions, passkeys, app tokens, invitations, and shares.
///
/// All answers come from memory, at once and from any thread. Changes are made one after another, on a queue of their own,
/// and are on the disk before their caller hears of them.
public final class Accounts: Sendable {
    public let secret: InstallationSecret
    let store: any LibraryStore
    let book: Guarded<AccountBook>
    let limiter = Guarded(AttemptLimiter())
    let passwordQueue = PasswordQueue()
    let challenges = Guarded(PasskeyChallenges())
    /// Visits of shares that are not written yet, by share.
    let visits = Guarded<[String: Int]>([:])
    private let time: @Sendable () -> (seconds: Int64, uptime: Double)
    private let queue = DispatchQueue(label: "tessera.accounts")
    private let observers = Guarded<[@Sendable (AccountID) -> Void]>([])
    private let accountObservers = Guarded<[@Sendable () -> Void]>([])
    private let logger: Logger

    /// Opens the library, and creates it if there is none. Blocking.
    ///
    /// - Throws: ``AccountsError/library(path:reason:)``.
    public convenience init(path: String, logger: Logger) throws(AccountsError) {
        try self.init(store: try SQLiteLibrary(path: path), path: path, logger: logger)
    }

    init(
        store: any LibraryStore, path: String, logger: Logger,
        time: @escaping @Sendable () -> (seconds: Int64, uptime: Double) = {
            (Int64(Glibc.time(nil)), Double(DispatchTime.now().uptimeNanoseconds) / 1e9)
        }
    ) throws(AccountsError) {
        self.store = store
        self.logger = logger
        self.time = time
        do {
            let records = try store.records()
            let known = try records.lazy.compactMap { try InstallationSecret($0) }.first
            let secret = known ?? .random()
            self.secret = secret
            if known == nil { try store.write([secret.record], []) }
            var book = AccountBook(secret: secret)
            for record in records {
                do {
                    try book.apply(record)
                } catch {
                    // Without an account, whatever belongs to it would be removed.
                    guard record.kind != .account else { throw error }
                    logger.error("A record of the library is unreadable and is ignored: \(record.kind) \(record.id)")
                }
            }
            let dead = book.dead(at: time().seconds)
            // If the disk is full, next time.
            if !dead.isEmpty { try? store.write(dead, []) }
            for record in dead { try book.apply(record) }
            self.book = Guarded(book)
        } catch {
            throw .library(path: path, reason: "\(error)")
        }
        _ = Password.unmatched
    }

    /// Waits for changes in progress, and closes the library. Blocking.
    public func close() {
        queue.sync {
            saveVisits()
            store.close()
        }
    }

    /// Whether somebody can sign in. Until then, only the set-up link works.
    public var hasOwner: Bool { book.withLock { $0.owners > 0 } }

    // MARK: - Who sends a request

    /// - Parameter cookie: The text of the session's secret.
    public func principal(session cookie: String) -> Principal? {
        guard let digest = Secret(cookie)?.digest else { return nil }
        return book.withLock { $0.session(digest, at: now) }.map { session, account in
            Principal(
                account: account.id, name: account.name, role: account.role, rights: account.role.rights,
                credential: .session(session.id))
        }
    }

    public func principal(appToken text: String) -> Principal? {
        guard let digest = Secret(text, prefix: AppToken.prefix)?.digest else { return nil }
        return book.withLock { $0.appToken(digest, at: now) }.map { token, account in
            Principal(
                account: account.id, name: account.name, role: account.role,
                rights: account.role.rights.intersection(token.scopes), credential: .appToken(token.id))
        }
    }

    /// Whether the principal's credential is still valid, with the rights that it had.
    public func isCurrent(_ principal: Principal) -> Bool {
        book.withLock { book in
            guard let account = book.accounts[principal.account] else { return false }
            if principal.isPerson || principal.isProgram, account.role != principal.role { return false }
            switch principal.credential {
            case .session(let id): return book.sessions[id]?.isAlive(at: now) == true
            case .proxy: return true
            case .appToken(let id): return book.appTokens[id]?.isAlive(at: now) == true
            case .share(let id):
                return book.shares[id]?.isAlive(at: now) == true && account.role.rights.contains(.share)
            }
        }
    }

    /// What the links of each account depend on.
    public var linkPrincipals: [(account: AccountID, epoch: UInt32, rights: Rights)] {
        book.withLock { book in book.accounts.values.map { ($0.id, $0.epoch, $0.role.rights) } }
    }

    /// Calls `body` after each change to accounts: on the accounts' queue, so it must be brief.
    public func onChange(_ body: @escaping @Sendable () -> Void) { accountObservers.withLock { $0.append(body) } }

    /// Calls `body` after each change that takes something from an account: on the accounts' queue, so it must be brief.
    public func onRevocation(_ body: @escaping @Sendable (AccountID) -> Void) { observers.withLock { $0.append(body) } }

    // MARK: - Changes

    var now: Int64 { time().seconds }
    var uptime: Double { time().uptime }

    /// What a change writes.
    struct Change {
        var records: [LibraryRecord] = []
        var entries: [AuditEntry] = []
        /// Accounts whose sessions, tokens or rights have become fewer.
        var revocations: Set<AccountID> = []
    }

    /// Makes one change after all earlier ones: computes it from the book, writes it, and puts it into the book.
    ///
    /// - Throws: ``AccountsError``.
    func change<Value: Sendable>(
        _ body: @escaping @Sendable (AccountBook, inout Change) throws(AccountsError) -> Value
    ) async throws(AccountsError) -> Value {
        let result: Result<Value, AccountsError> = await withCheckedContinuation { continuation in
            queue.async { [self] in
                continuation.resume(returning: Result { () throws(AccountsError) in try makeChange(body) })
            }
        }
        return try result.get()
    }

    private func makeChange<Value>(
        _ body: (AccountBook, inout Change) throws(AccountsError) -> Value
    ) throws(AccountsError) -> Value {
        var change = Change()
        let value = try body(book.withLock(\.self), &change)
        do {
            try store.write(change.records, change.entries)
            try book.withLock { book in for record in change.records { try book.apply(record) } }
        } catch {
            logger.error("The library cannot be written: \(error)")
            throw .unwritable(reason: "\(error)")
        }
        if change.records.contains(where: { $0.kind == .account }) {
            for observer in accountObservers.withLock(\.self) { observer() }
        }
        let observers = observers.withLock(\.self)
        for account in change.revocations { for observer in observers { observer(account) } }
        return value
    }

    /// How long visits are collected before they are written.
    private static let visitDelay = DispatchTimeInterval.seconds(30)

    /// Calls `body` on the accounts' queue after a while.
    func saveLater(_ body: @escaping @Sendable () -> Void) {
        queue.asyncAfter(deadline: .now() + Self.visitDelay, execute: body)
    }

    /// Writes a session as it is in the book, unless it has ended meanwhile.
    func save(session id: String) {
        queue.async { [weak self] in
            guard let self, let session = book.withLock({ $0.sessions[id] }) else { return }
            writeNow([session.record])
        }
    }

    /// On the accounts' queue.
    func writeNow(_ records: [LibraryRecord]) {
        guard !records.isEmpty else { return }
        do {
            try store.write(records, [])
        } catch {
            logger.error("The library cannot be written: \(error)")
        }
    }

    /// Entries of the audit log, newest first.
    ///
    /// - Parameter number: Only entries with a smaller number; nil for the newest.
    public func audit(before number: Int64?, limit: Int) async throws(AccountsError) -> [AuditEntry] {
        let result: Result<[AuditEntry], AccountsError> = await withCheckedContinuation { continuation in
            queue.async { [store] in
                do {
                    continuation.resume(returning: .success(try store.audit(before: number, limit: limit)))
                } catch {
                    continuation.resume(returning: .failure(.unwritable(reason: "\(error)")))
                }
            }
        }
        return try result.get()
    }
}

/// Where a request came from, for the audit log and the list of sessions.
public struct Sender: Sendable {
    /// The client's address.
    public var address: String
    /// The browser, as it describes itself (`User-Agent`).
    public var agent: String

    public init(address: String, agent: String) {
        self.address = address
        self.agent = String(agent.prefix(Session.longestAgent))
    }
}
