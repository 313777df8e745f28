import BlockingIO
import Dispatch
import Glibc
import Locking
public import Logging
import Synchronization

/// The accounts of a gallery, with their rights, sessions, passkeys, app tokens, invitations, and shares.
///
/// All answers come from memory, at once and from any thread. Changes are made one after another, on a thread of their own,
/// and are on the disk before their caller hears of them. If the library is shared, changes of other nodes are followed.
public final class Accounts: Sendable {
    public let secret: InstallationSecret
    let store: any LibraryStore
    let book: Guarded<AccountBook>
    let limiter = Guarded(AttemptLimiter())
    let passwordQueue = PasswordQueue()
    let challenges: PasskeyChallenges
    /// Visits of shares that are not written yet, by share.
    let visits = Guarded<[String: Int]>([:])
    private let time: @Sendable () -> (seconds: Int64, uptime: Double)
    /// One thread, on which everything that uses the store runs, one after another: a store may block for as long as its
    /// server takes to respond.
    let thread: BlockingPool
    /// Until when the book may be used, as the bits of a `Double` on the clock of ``uptime``.
    let validUntil = Atomic(Double.infinity.bitPattern)
    let following = Guarded(Following())
    private let observers = Guarded<[@Sendable (AccountID) -> Void]>([])
    private let accountObservers = Guarded<[@Sendable () -> Void]>([])
    let logger: Logger

    /// Opens the library in a file, and creates it if there is none.
    ///
    /// - Throws: ``AccountsError/library(path:reason:)``.
    public static func open(path: String, logger: Logger) async throws(AccountsError) -> Accounts {
        try await open(logger: logger) { () throws(AccountsError) in try SQLiteLibrary(path: path) }
    }

    /// Opens a library.
    ///
    /// - Parameter store: Opens the store, which these accounts close. It may block.
    /// - Throws: ``AccountsError/library(path:reason:)``.
    public static func open(
        logger: Logger, _ store: @escaping @Sendable () throws(AccountsError) -> any LibraryStore
    ) async throws(AccountsError) -> Accounts {
        try await open(logger: logger, time: systemTime, store)
    }

    static func open(
        logger: Logger, time: @escaping @Sendable () -> (seconds: Int64, uptime: Double),
        _ store: @escaping @Sendable () throws(AccountsError) -> any LibraryStore
    ) async throws(AccountsError) -> Accounts {
        let thread = BlockingPool(label: "accounts", threads: 1)
        let result: Result<Accounts, AccountsError> = await withCheckedContinuation { continuation in
            thread.submit {
                continuation.resume(
                    returning: Result { () throws(AccountsError) in
                        try Accounts(store: try store(), thread: thread, logger: logger, time: time)
                    })
            }
        }
        return try result.get()
    }

    /// The uptime also counts while the machine sleeps.
    private static let systemTime: @Sendable () -> (seconds: Int64, uptime: Double) = {
        var uptime = timespec()
        clock_gettime(CLOCK_BOOTTIME, &uptime)
        return (Int64(Glibc.time(nil)), Double(uptime.tv_sec) + Double(uptime.tv_nsec) / 1e9)
    }

    /// Blocking.
    init(
        store: any LibraryStore, thread: BlockingPool = BlockingPool(label: "accounts", threads: 1), logger: Logger,
        time: @escaping @Sendable () -> (seconds: Int64, uptime: Double)
    ) throws(AccountsError) {
        self.thread = thread
        self.store = store
        self.logger = logger
        self.time = time
        do {
            let began = time().uptime
            var opened: (secret: InstallationSecret, news: LibraryNews)?
            try store.change { news in
                let known = try news.records.lazy.compactMap { try InstallationSecret($0) }.first
                let secret = known ?? .random()
                let new = known == nil ? [secret.record] : []
                opened = (secret, LibraryNews(records: news.records + new, isWhole: true, validity: news.validity))
                return LibraryChange(records: new)
            }
            guard let opened else { throw LibraryUnavailable("it has not been read") }
            secret = opened.secret
            challenges = PasskeyChallenges(secret: opened.secret)
            book = Guarded(AccountBook(secret: opened.secret))
            try take(opened.news, since: began)
            // If the disk is full, next time.
            if book.withLock({ !$0.dead(at: now).isEmpty }) {
                _ = try? makeChange { [self] (book, change) throws(AccountsError) in
                    change.records += book.dead(at: now)
                }
            }
        } catch {
            store.close()
            throw .library(path: store.place, reason: "\(error)")
        }
        store.follow { [weak self] in self?.enqueueCatchUp() }
        _ = Password.unmatched
    }

    /// Waits for changes in progress, and closes the library.
    public func close() async {
        await withCheckedContinuation { continuation in
            thread.submit { [self] in
                saveVisits()
                store.close()
                continuation.resume()
            }
        }
    }

    /// Whether somebody can sign in. Until then, only the set-up link works.
    public var hasOwner: Bool { book.withLock { $0.owners > 0 } }

    // MARK: - Who sends a request

    /// - Parameter cookie: The text of the session's secret.
    public func principal(session cookie: String) -> Principal? {
        guard let digest = Secret(cookie)?.digest else { return nil }
        return book.withLock { $0.session(digest, at: now) }.map { session, account in
            Principal(account, .session(session.id))
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

    /// Calls `body` after each change to accounts: on the accounts' thread, so it must be brief.
    public func onChange(_ body: @escaping @Sendable () -> Void) { accountObservers.withLock { $0.append(body) } }

    /// Calls `body` after each change that takes something from an account: on the accounts' thread, so it must be brief.
    public func onRevocation(_ body: @escaping @Sendable (AccountID) -> Void) { observers.withLock { $0.append(body) } }

    // MARK: - Changes

    var now: Int64 { time().seconds }
    var uptime: Double { time().uptime }

    /// Makes one change after all earlier ones: computes it from the book, writes it, and puts it into the book.
    ///
    /// - Throws: ``AccountsError``.
    func change<Value: Sendable>(
        _ body: @escaping @Sendable (AccountBook, inout LibraryChange) throws(AccountsError) -> Value
    ) async throws(AccountsError) -> Value {
        let result: Result<Value, AccountsError> = await withCheckedContinuation { continuation in
            thread.submit { [self] in
                continuation.resume(returning: Result { () throws(AccountsError) in try makeChange(body) })
            }
        }
        return try result.get()
    }

    /// The same on the accounts' thread.
    func makeChange<Value>(
        _ body: (AccountBook, inout LibraryChange) throws(AccountsError) -> Value
    ) throws(AccountsError) -> Value {
        var outcome: Result<Value, AccountsError>?
        do {
            let began = uptime
            var written: [LibraryRecord] = []
            try store.change { news in
                try take(news, since: began)
                let now = book.withLock(\.self)
                var change = LibraryChange()
                let result = Result { () throws(AccountsError) in try body(now, &change) }
                outcome = result
                _ = try result.get()
                written = change.records
                return change
            }
            try apply(written)
        } catch {
            if case .failure(let refusal)? = outcome { throw refusal }
            // The store logs that it cannot be reached.
            if error is LibraryUnavailable { throw .unavailable(reason: "\(error)") }
            logger.error("The library cannot be written: \(error)")
            throw .unwritable(reason: "\(error)")
        }
        guard let outcome else { throw .unwritable(reason: "it has not been read") }
        return try outcome.get()
    }

    /// Puts records into the book, and tells the observers. On the accounts' thread.
    ///
    /// - Throws: `JSONFieldError` for an account that cannot be read: without it, whatever belongs to it would be removed.
    func apply(_ records: [LibraryRecord]) throws {
        var revoked: Set<AccountID> = []
        var failure: (any Error)?
        book.withLock { book in
            for record in records {
                do {
                    if let account = try book.apply(record) { revoked.insert(account) }
                } catch {
                    guard record.kind != .account else {
                        failure = error
                        continue
                    }
                    logger.error("A record of the library is unreadable and is ignored: \(record.kind) \(record.id)")
                    // A removal can be read.
                    if let account = try? book.apply(LibraryRecord(record.kind, record.id, nil)) {
                        revoked.insert(account)
                    }
                }
            }
        }
        if records.contains(where: { $0.kind == .account }) {
            for observer in accountObservers.withLock(\.self) { observer() }
        }
        for account in revoked { tellRevocation(of: account) }
        if let failure { throw failure }
    }

    /// Makes streams of the account check whether they may go on. On the accounts' thread.
    func tellRevocation(of account: AccountID) {
        for observer in observers.withLock(\.self) { observer(account) }
    }

    /// How long visits are collected before they are written.
    private static let visitDelay = DispatchTimeInterval.seconds(30)

    /// Calls `body` on the accounts' thread after a while.
    func saveLater(_ body: @escaping @Sendable () -> Void) {
        DispatchQueue.global().asyncAfter(deadline: .now() + Self.visitDelay) { [thread] in thread.submit(body) }
    }

    /// Writes when and from where a session was last used, unless it has ended meanwhile.
    func save(session id: String, seen: Int64, address: String) {
        thread.submit { [weak self] in
            _ = try? self?.makeChange { (book, change) throws(AccountsError) in
                guard var session = book.sessions[id] else { return }
                // Another node may have noted a later use.
                session.seen = max(session.seen, seen)
                session.address = address
                change.records.append(session.record)
            }
        }
    }

    /// Entries of the audit log, newest first.
    ///
    /// - Parameter number: Only entries with a smaller number; nil for the newest.
    public func audit(before number: Int64?, limit: Int) async throws(AccountsError) -> [AuditEntry] {
        let result: Result<[AuditEntry], AccountsError> = await withCheckedContinuation { continuation in
            thread.submit { [store] in
                do {
                    continuation.resume(returning: .success(try store.audit(before: number, limit: limit)))
                } catch let error as LibraryUnavailable {
                    continuation.resume(returning: .failure(.unavailable(reason: "\(error)")))
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
