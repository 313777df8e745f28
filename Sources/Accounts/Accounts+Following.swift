import BlockingIO
import Locking
import Logging
import Synchronization

/// Following what other nodes write to a shared library.
extension Accounts {
    /// The state of reading what other nodes write.
    struct Following: Sendable {
        /// Whether a reading is queued and has not begun.
        var isQueued = false
        /// Callers that wait for the reading that is queued.
        var waiters: [CheckedContinuation<Void, Never>] = []
        /// Whether the log says that the accounts are up to date.
        var isUpToDate = true
        /// Why the news could not be used; logged once.
        var failure: String?
    }

    /// Whether answers may be given. If the library is shared, and has not been read for a while, another node may have
    /// ended what this one still knows. Callable from any thread; never waits.
    public var isUpToDate: Bool {
        let limit = Double(bitPattern: validUntil.load(ordering: .acquiring))
        return limit == .infinity || uptime < limit
    }

    /// Whether other nodes change the accounts, too.
    public var isShared: Bool { store.isShared }

    /// Reads what other nodes have written up to now, as far as the library can be read.
    public func catchUp() async {
        await withCheckedContinuation { continuation in
            following.withLock { $0.waiters.append(continuation) }
            enqueueCatchUp()
        }
    }

    /// The same before something is refused that another node may just have made known. Does nothing on a single node.
    func catchUpIfShared() async {
        if isShared { await catchUp() }
    }

    /// Reads the news soon. Callable from any thread.
    func enqueueCatchUp() {
        let isFirst = following.withLock { following in
            defer { following.isQueued = true }
            return !following.isQueued
        }
        guard isFirst else { return }
        thread.submit { [weak self] in
            guard let self else { return }
            let waiters = following.withLock { following in
                defer { (following.isQueued, following.waiters) = (false, []) }
                return following.waiters
            }
            readNews()
            for waiter in waiters { waiter.resume() }
        }
    }

    /// On the accounts' thread.
    private func readNews() {
        var failure: String?
        do {
            let began = uptime
            try store.read { try take($0, since: began) }
        } catch is LibraryUnavailable {
            // The store logs it.
        } catch {
            failure = "\(error)"
        }
        let isUpToDate = isUpToDate
        let former = following.withLock { following in
            defer { (following.isUpToDate, following.failure) = (isUpToDate, failure) }
            return following
        }
        if let failure, failure != former.failure { logger.error("The library cannot be used: \(failure)") }
        guard isUpToDate != former.isUpToDate else { return }
        if isUpToDate {
            logger.notice("The accounts are up to date again.")
        } else {
            logger.error("The library cannot be read. Requests get a 503 until it can.")
            for account in book.withLock({ Array($0.accounts.keys) }) { tellRevocation(of: account) }
        }
    }

    /// Puts news into the book. On the accounts' thread.
    ///
    /// - Parameter began: When the reading of the news began, on the clock of ``uptime``.
    /// - Throws: ``LibraryReplaced``, `JSONFieldError`. Then the accounts stay out of date.
    func take(_ news: LibraryNews, since began: Double) throws {
        var records = news.records
        let found = try records.lazy.compactMap { try InstallationSecret($0) }.first
        // Another secret is news if a library has been moved to where this node has begun a new one.
        guard found?.bytes == secret.bytes || found == nil && !news.isWhole else { throw LibraryReplaced() }
        if news.isWhole {
            records = book.withLock { $0.removals(ofRecordsMissingFrom: records) } + records
        }
        if !records.isEmpty { try apply(records) }
        let limit = news.validity.map { began + $0 / .seconds(1) } ?? .infinity
        validUntil.store(limit.bitPattern, ordering: .releasing)
    }
}

/// The library has become another one, with another secret, while it was in use.
struct LibraryReplaced: Error, CustomStringConvertible {
    let description = "it is no longer the library that this node has opened. Restart the node."
}
