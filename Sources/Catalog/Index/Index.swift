import Dispatch
import GRDB
import GRDBSQLite
import Locking
import Synchronization

/// Stores the catalog: rows of images, the listing of each source, and metadata. A SQLite database in the data folder,
/// in write-ahead mode so that readers and the single writer do not block each other; or in memory if the disk fails.
final class Index: Sendable {
    /// For writing; ``read(_:)`` reads.
    let database: any DatabaseWriter
    private let gate = DispatchQueue(label: "tessera.catalog.index", attributes: .concurrent)
    private let isClosed = Atomic(false)
    /// Set permanently when damage is found. From then on the index is read as far as possible, and no longer written.
    let isDamaged = Atomic(false)
    let columns = ColumnStore()
    /// Tracks which of its rows are indexed; nil until first needed.
    let indexing = Guarded<IndexedRows?>(nil)
    /// Whether new metadata is recorded for the other nodes.
    let isShared = Atomic(false)

    /// The schema version. An older index is migrated; any other is set aside.
    private static let form = 3

    /// Opens the index in a file; creates it if there is none.
    ///
    /// - Throws: `DatabaseError`; one with `isDamage` if the file is not an intact index.
    init(path: String, maximumPages: Int?) throws {
        var configuration = Index.configuration
        configuration.maximumReaderCount = 2
        configuration.prepareDatabase { db in
            try db.execute(sql: "PRAGMA cache_size = -4096; PRAGMA synchronous = NORMAL")
            try db.execute(sql: "PRAGMA journal_size_limit = 4194304")
            Index.keepLog(db)
            if let maximumPages { try db.execute(sql: "PRAGMA max_page_count = \(maximumPages)") }
        }
        database = try DatabasePool(path: path, configuration: configuration)
        try prepare()
    }

    /// An index in memory, which ends with the process.
    init() throws {
        database = try DatabaseQueue(configuration: Index.configuration)
        try prepare()
    }

    /// Opens an index that was set aside, to read from it what is still readable.
    ///
    /// - Throws: `DatabaseError` if it cannot be opened.
    init(damaged path: String) throws {
        var configuration = Index.configuration
        configuration.readonly = true
        configuration.prepareDatabase { Index.keepLog($0) }
        database = try DatabaseQueue(path: path, configuration: configuration)
        isDamaged.store(true, ordering: .relaxed)
    }

    /// Reads from one consistent snapshot. Blocking.
    ///
    /// GRDB (7.10) crashes if the pool is closed while a read waits for one of its connections. So reads pass a gate,
    /// which closing waits for.
    ///
    /// - Throws: `DatabaseError`, with the code `SQLITE_MISUSE` if the index is closed; errors of `body`.
    func read<Value>(_ body: (Database) throws -> Value) throws -> Value {
        try gate.sync {
            guard !isClosed.load(ordering: .relaxed) else {
                throw DatabaseError(resultCode: .SQLITE_MISUSE, message: "the index is closed")
            }
            return try database.read(body)
        }
    }

    /// Blocking: reads that have begun end first, later ones throw. Writes the write-ahead log back, so that the file
    /// alone is the complete index. Nothing may be written any more.
    func close() throws {
        if !isDamaged.load(ordering: .relaxed) { _ = try? columns.save(to: database, isLast: true) }
        try? database.writeWithoutTransaction { db in try db.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)") }
        try gate.sync(flags: .barrier) {
            isClosed.store(true, ordering: .relaxed)
            try database.close()
        }
    }

    /// Makes SQLite keep the write-ahead log when the last connection closes. SQLite would delete the log by name, and
    /// after this index has been set aside that name belongs to its successor's log.
    private static func keepLog(_ db: Database) {
        var isKept: CInt = 1
        sqlite3_file_control(db.sqliteConnection, "main", SQLITE_FCNTL_PERSIST_WAL, &isKept)
    }

    private static var configuration: GRDB.Configuration {
        var configuration = GRDB.Configuration()
        configuration.busyMode = .timeout(10)
        // SQL arguments are paths of private pictures, which must not appear in logs.
        configuration.publicStatementArguments = false
        return configuration
    }

    private func prepare() throws {
        try database.writeWithoutTransaction { db in
            let form = try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0
            guard (0...Index.form).contains(form) else {
                throw DatabaseError(resultCode: .SQLITE_NOTADB, message: "an index of another version of Tessera")
            }
            if form == 0 {
                try db.inTransaction(.immediate) {
                    try Index.createTables(db); return .commit
                }
            }
            // Small databases are checked completely, so that damage is found now and not by a reader's page.
            let pages = try Int.fetchOne(db, sql: "PRAGMA page_count") ?? 0
            if form != 0, pages <= 8192, try String.fetchOne(db, sql: "PRAGMA quick_check(1)") != "ok" {
                throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "the index is damaged")
            }
            // Tables that can be rebuilt at any time, or that older programs may ignore, do not raise the schema
            // version.
            try db.execute(
                sql: """
                    CREATE TABLE IF NOT EXISTS columns (block INTEGER PRIMARY KEY, data BLOB NOT NULL);
                    CREATE TABLE IF NOT EXISTS folder (
                        source INTEGER NOT NULL, path BLOB NOT NULL, print BLOB, PRIMARY KEY (source, path)
                        ) WITHOUT ROWID;
                    CREATE TABLE IF NOT EXISTS untold (
                        mark INTEGER PRIMARY KEY AUTOINCREMENT, id INTEGER NOT NULL UNIQUE);
                    CREATE TABLE IF NOT EXISTS heard (
                        log TEXT PRIMARY KEY NOT NULL, position INTEGER NOT NULL, backlog INTEGER) WITHOUT ROWID
                    """)
            if (1..<Index.form).contains(form) {
                try db.inTransaction(.immediate) {
                    if form < 2 { try Index.addIncompleteness(db) }
                    try Index.addIndexing(db)
                    return .commit
                }
            }
            // Programs that do not know these columns can still use the index, so the schema version stays.
            let later =
                ["inode", "objectVersion", "sidecars"].map { ("image", $0) }
                + MetadataColumns.later.map { ("facts", $0) }
            for (table, name) in later
            where try !db.columns(in: table).contains(where: { $0.name == name }) {
                try db.execute(sql: "ALTER TABLE \(table) ADD COLUMN \(name)")
            }
        }
    }

    /// Migrates from version 1 to 2: stores whether a file ends before its image does.
    private static func addIncompleteness(_ db: Database) throws {
        try db.execute(sql: "ALTER TABLE facts ADD COLUMN isIncomplete; PRAGMA user_version = 2")
    }

    /// Migrates from version 2 to 3: stores what people write into images, and which files are indexed.
    private static func addIndexing(_ db: Database) throws {
        for name in MetadataColumns.third { try db.execute(sql: "ALTER TABLE facts ADD COLUMN \(name)") }
        try db.execute(
            sql: """
                ALTER TABLE source ADD COLUMN examinedRow INTEGER;
                CREATE TABLE unexamined (row INTEGER PRIMARY KEY);
                PRAGMA user_version = 3
                """)
    }

    private static func createTables(_ db: Database) throws {
        try db.execute(
            sql: """
                CREATE TABLE counter (name TEXT PRIMARY KEY NOT NULL, value INTEGER NOT NULL) WITHOUT ROWID;
                CREATE TABLE source (
                    id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, size INTEGER, seconds INTEGER,
                    nanoseconds INTEGER, problems TEXT, examinedRow INTEGER);
                CREATE TABLE listing (
                    source INTEGER NOT NULL, block INTEGER NOT NULL, ids BLOB NOT NULL, rows BLOB NOT NULL,
                    PRIMARY KEY (source, block));
                CREATE TABLE image (
                    row INTEGER PRIMARY KEY, id INTEGER NOT NULL, location TEXT NOT NULL,
                    size INTEGER, seconds INTEGER, nanoseconds INTEGER,
                    name TEXT, width INTEGER, height INTEGER, takenAt TEXT, inode INTEGER,
                    objectVersion INTEGER, sidecars INTEGER);
                CREATE TABLE facts (
                    id INTEGER PRIMARY KEY, version INTEGER, \(MetadataColumns.names.joined(separator: ", ")));
                CREATE TABLE unexamined (row INTEGER PRIMARY KEY);
                PRAGMA user_version = \(form);
                """)
    }
}

extension DatabaseError {
    /// SQLite's message without the statement, fit for the operator.
    var reason: String { message ?? "\(resultCode)" }

    /// Whether the file is damaged or not an index at all, so that it must be set aside. `SQLITE_SCHEMA`, a statement
    /// prepared for other tables, is no damage.
    var isDamage: Bool {
        [.SQLITE_CORRUPT, .SQLITE_NOTADB, .SQLITE_FORMAT].contains(resultCode)
            || resultCode == .SQLITE_ERROR && message?.hasPrefix("no such ") == true
    }

    /// A listing names rows that do not exist.
    static var missingRows: DatabaseError {
        DatabaseError(resultCode: .SQLITE_CORRUPT, message: "rows are missing")
    }
}
