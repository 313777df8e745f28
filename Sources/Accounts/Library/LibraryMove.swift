/// Everything that a library contains, to be written to another one: accounts with all that belongs to them, shares, the
/// installation's secret, and the audit log. Passwords, links, sessions, and ids of images are valid there as before.
public struct LibraryMove: Sendable {
    private let records: [LibraryRecord]
    /// Oldest first.
    private let entries: [AuditEntry]
    public let accountCount: Int
    public let shareCount: Int
    /// Entries of the audit log.
    public var entryCount: Int { entries.count }

    /// Why a library was not moved. Nothing has been changed, except perhaps with ``unconfirmed(place:reason:)``.
    public enum Refusal: Error, Hashable, Sendable, CustomStringConvertible {
        case noFile(path: String)
        /// A server is running with this file.
        case inUse(path: String)
        /// The file is not a library, or one that this program cannot read completely.
        case unusable(path: String, reason: String)
        /// The target is in use as a library.
        case hasAccounts(place: String)
        case unreachable(place: String, reason: String)
        /// The connection broke while the change was being written: it has been made completely or not at all.
        case unconfirmed(place: String, reason: String)

        public var description: String {
            switch self {
            case .noFile(let path): "There is no file \(path)."
            case .inUse(let path): "The library \(path) is in use. Stop the server that uses it first."
            case .unusable(let path, let reason): "The library \(path) cannot be moved: \(reason)."
            case .hasAccounts(let place):
                """
                The library in \(place) has accounts already, so nothing was moved. To discard them, drop the schema \
                tessera_library and try again. This deletes the accounts of every gallery in this database.
                """
            case .unreachable(let place, let reason):
                "The database \(place) cannot be used, so nothing was moved: \(reason)"
            case .unconfirmed(let place, let reason):
                """
                The database \(place) did not confirm the move: \(reason) Try again. If the second attempt reports \
                existing accounts, the first one succeeded.
                """
            }
        }
    }

    /// The number of entries of the audit log that are read at a time.
    private static let entriesPerPage = 1_000

    /// Reads the whole library. Blocking.
    ///
    /// - Parameter store: Has not been read yet.
    /// - Throws: ``Refusal/unusable(path:reason:)``; what the store throws.
    init(of store: any LibraryStore) throws {
        func unusable(_ reason: String) -> Refusal { .unusable(path: store.place, reason: reason) }
        var records: [LibraryRecord] = []
        try store.read { records = $0.records }
        guard let secret = try? records.lazy.compactMap({ try InstallationSecret($0) }).first else {
            throw unusable("it has no installation secret, so it is not a Tessera library")
        }
        var book = AccountBook(secret: secret)
        for record in records {
            do {
                try book.apply(record)
            } catch {
                // A server ignores other records that it cannot read, but does not start without an account.
                guard record.kind != .account else {
                    throw unusable("the account \(record.id) is unreadable (\(error))")
                }
            }
        }
        var newestFirst: [AuditEntry] = []
        while true {
            let page = try store.audit(before: newestFirst.last?.number, limit: Self.entriesPerPage)
            guard !page.isEmpty else { break }
            newestFirst += page
        }
        self.records = records
        entries = newestFirst.reversed()
        accountCount = book.accounts.count
        shareCount = book.shares.count
    }

    /// Makes this the library of another store, in one change. Blocking.
    ///
    /// A store without accounts is overwritten: a server may have created a secret in it, which would invalidate the moved
    /// links and ids. Entries of its audit log remain, before the moved ones.
    ///
    /// - Parameter store: Has not been read yet.
    /// - Throws: ``Refusal``; what the store throws.
    public func write(to store: any LibraryStore) throws {
        var isComputed = false
        do {
            try store.change { news in
                precondition(news.isWhole, "The accounts that are there would be overlooked.")
                guard !news.records.contains(where: { $0.kind == .account && $0.body != nil }) else {
                    throw Refusal.hasAccounts(place: store.place)
                }
                let moved = Set(records.map(\.key))
                let replaced = news.records.filter { !moved.contains($0.key) }
                isComputed = true
                return LibraryChange(
                    records: replaced.map { LibraryRecord($0.kind, $0.id, nil) } + records, entries: entries)
            }
        } catch let error as LibraryUnavailable {
            throw isComputed
                ? Refusal.unconfirmed(place: store.place, reason: "\(error)")
                : Refusal.unreachable(place: store.place, reason: "\(error)")
        }
    }
}
