import Foundation
import GRDB
import Glibc
import Locking

/// Stores the library in a file of its own. Unlike the index, this file cannot be rebuilt.
///
/// A commit is on the disk when it returns (`synchronous = FULL`). One process at a time has the file open.
final class SQLiteLibrary: LibraryStore {
    let place: String
    let isShared = false
    private let database: DatabaseQueue
    /// Whether the records have been handed over.
    private let isRead = Guarded(false)

    /// The schema version.
    private static let form = 1
    /// The most entries of the audit log; the oldest make room.
    private static let maximumEntries = 100_000

    /// Opens the file, or creates it, readable by its owner only. Blocking.
    ///
    /// - Throws: ``AccountsError/library(path:reason:)``.
    init(path: String) throws(AccountsError) {
        place = path
        let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw .library(path: path, reason: String(cString: strerror(errno))) }
        Glibc.close(file)
        var configuration = GRDB.Configuration()
        configuration.prepareDatabase { db in
            // An exclusive lock for as long as the file is open: another process would not hear of changes.
            try db.execute(sql: "PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL")
            try db.execute(sql: "PRAGMA secure_delete = ON")
        }
        do {
            database = try DatabaseQueue(path: path, configuration: configuration)
            try database.write(Self.prepare)
        } catch {
            let isInUse = (error as? DatabaseError)?.resultCode == .SQLITE_BUSY
            throw .library(
                path: path,
                reason: isInUse ? "another process is using it" : (error as? DatabaseError)?.message ?? "\(error)")
        }
    }

    private static func prepare(_ db: Database) throws {
        let form = try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0
        guard (0...Self.form).contains(form) else {
            throw DatabaseError(resultCode: .SQLITE_NOTADB, message: "it belongs to a newer version of Tessera")
        }
        guard try form == 0 || String.fetchOne(db, sql: "PRAGMA quick_check(1)") == "ok" else {
            throw DatabaseError(
                resultCode: .SQLITE_CORRUPT, message: "it is damaged: restore it from a backup, or move it away")
        }
        // Opening an existing library writes nothing, so it works with a full disk.
        guard form == 0 else { return }
        try db.execute(
            sql: """
                CREATE TABLE IF NOT EXISTS record (
                    kind TEXT NOT NULL, id TEXT NOT NULL, body BLOB NOT NULL, PRIMARY KEY (kind, id)) WITHOUT ROWID;
                CREATE TABLE IF NOT EXISTS audit (
                    number INTEGER PRIMARY KEY AUTOINCREMENT, time INTEGER NOT NULL, actor TEXT, address TEXT,
                    action TEXT NOT NULL, subject TEXT);
                PRAGMA user_version = \(Self.form)
                """)
    }

    func read(_ body: (LibraryNews) throws -> Void) throws {
        try body(news())
        isRead.withLock { $0 = true }
    }

    func change(_ body: (LibraryNews) throws -> LibraryChange) throws {
        let change = try body(news())
        isRead.withLock { $0 = true }
        if !change.isEmpty { try write(change.records, change.entries) }
    }

    private func news() throws -> LibraryNews {
        let isFirst = !isRead.withLock(\.self)
        return LibraryNews(records: isFirst ? try records() : [], isWhole: isFirst)
    }

    /// Nobody else changes the library.
    func follow(_ body: @escaping @Sendable () -> Void) {}

    private func records() throws -> [LibraryRecord] {
        try database.read { db in
            try Row.fetchAll(db, sql: "SELECT kind, id, body FROM record").compactMap { row in
                LibraryRecord.Kind(rawValue: row["kind"]).map { kind in
                    LibraryRecord(kind, row["id"], Array(row["body"] as Data))
                }
            }
        }
    }

    /// Whether there are records or entries of kinds that this program does not know, and that the other calls leave out.
    var hasUnknownContent: Bool {
        get throws {
            let kinds = LibraryRecord.Kind.allCases.map(\.rawValue)
            let actions = AuditEntry.Action.allCases.map(\.rawValue)
            return try database.read { db in
                let areKnown =
                    try Set(String.fetchAll(db, sql: "SELECT DISTINCT kind FROM record")).isSubset(of: kinds)
                    && Set(String.fetchAll(db, sql: "SELECT DISTINCT action FROM audit")).isSubset(of: actions)
                return !areKnown
            }
        }
    }

    private func write(_ changes: [LibraryRecord], _ entries: [AuditEntry]) throws {
        try database.write { db in
            for change in changes {
                if let body = change.body {
                    try db.execute(
                        sql: "INSERT OR REPLACE INTO record (kind, id, body) VALUES (?, ?, ?)",
                        arguments: [change.kind.rawValue, change.id, Data(body)])
                } else {
                    try db.execute(
                        sql: "DELETE FROM record WHERE kind = ? AND id = ?",
                        arguments: [change.kind.rawValue, change.id])
                }
            }
            for entry in entries {
                try db.execute(
                    sql: "INSERT INTO audit (time, actor, address, action, subject) VALUES (?, ?, ?, ?, ?)",
                    arguments: [entry.time, entry.actor, entry.address, entry.action.rawValue, entry.subject])
                try db.execute(
                    sql: "DELETE FROM audit WHERE number <= ?",
                    arguments: [db.lastInsertedRowID - Int64(Self.maximumEntries)])
            }
        }
    }

    func audit(before number: Int64?, limit: Int) throws -> [AuditEntry] {
        try database.read { db in
            try Row.fetchAll(
                db, sql: "SELECT * FROM audit WHERE number < ? ORDER BY number DESC LIMIT ?",
                arguments: [number ?? .max, limit]
            ).compactMap { row in
                AuditEntry.Action(rawValue: row["action"]).map { action in
                    AuditEntry(
                        number: row["number"], time: row["time"], actor: row["actor"], address: row["address"],
                        action: action, subject: row["subject"])
                }
            }
        }
    }

    func close() { try? database.close() }
}
