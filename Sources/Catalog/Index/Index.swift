import GRDB
import GRDBSQLite
import Locking
import Synchronization

/// The catalog's memory: rows of images, the order of each source, and what was learnt. SQLite in the data folder, in
/// write-ahead mode, so that readers and the one writer do not wait for each other; or, when the disk fails, in memory.
final class Index: Sendable {
    let database: any DatabaseWriter
    /// Set for good once damage was met: it is read as far as that goes, and not written any more.
    let isDamaged = Atomic(false)
    let columns = ColumnKeeper()
    /// Which of its rows stand for files that have been looked into; nil before that was asked for.
    let examinations = Guarded<Examinations?>(nil)
    /// Whether what is learnt is kept for others.
    let isShared = Atomic(false)

    /// Raised when the tables change; an index of an older form is brought to this one, any other is set aside.
    private static let form = 3

    /// Opens the index in a file, and makes it when there is none.
    ///
    /// - Throws: `DatabaseError`; of the kinds `isDamage` when the file is not a whole index.
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

    /// An index in memory, gone with the process.
    init() throws {
        database = try DatabaseQueue(configuration: Index.configuration)
        try prepare()
    }

    /// One that was set aside, to read in it what can be read.
    ///
    /// - Throws: `DatabaseError` when that is nothing.
    init(wreck path: String) throws {
        var configuration = Index.configuration
        configuration.readonly = true
        configuration.prepareDatabase { Index.keepLog($0) }
        database = try DatabaseQueue(path: path, configuration: configuration)
        isDamaged.store(true, ordering: .relaxed)
    }

    /// Blocking. The log is written back first, so that the file alone is the whole index.
    func close() throws {
        if !isDamaged.load(ordering: .relaxed) { _ = try? columns.save(to: database, isLast: true) }
        try? database.writeWithoutTransaction { db in try db.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)") }
        try database.close()
    }

    /// Has SQLite leave the log where it is when the last connection closes. It deletes it by its name, and when this
    /// index was set aside meanwhile the name is that of its successor's log.
    private static func keepLog(_ db: Database) {
        var isKept: CInt = 1
        sqlite3_file_control(db.sqliteConnection, "main", SQLITE_FCNTL_PERSIST_WAL, &isKept)
    }

    private static var configuration: GRDB.Configuration {
        var configuration = GRDB.Configuration()
        configuration.busyMode = .timeout(10)
        // Where this program's log is public, SQL arguments are paths of private pictures.
        configuration.publicStatementArguments = false
        return configuration
    }

    private func prepare() throws {
        try database.writeWithoutTransaction { db in
            let form = try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0
            guard (0...Index.form).contains(form) else {
                throw DatabaseError(resultCode: .SQLITE_NOTADB, message: "an index of another version of this program")
            }
            if form == 0 {
                try db.inTransaction(.immediate) {
                    try Index.createTables(db); return .commit
                }
            }
            // Small enough to read whole, and what is damaged is found now and not at some reader's page.
            let pages = try Int.fetchOne(db, sql: "PRAGMA page_count") ?? 0
            if form != 0, pages <= 8192, try String.fetchOne(db, sql: "PRAGMA quick_check(1)") != "ok" {
                throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "the index is damaged")
            }
            // What can be made again at any time has no form of its own; nor has what other programs need not know.
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
                    try Index.addExaminations(db)
                    return .commit
                }
            }
            // Programs that do not know these can go on with the index, so this is no other form.
            let later = ["inode", "objectVersion"].map { ("image", $0) } + FactsColumns.later.map { ("facts", $0) }
            for (table, name) in later
            where try !db.columns(in: table).contains(where: { $0.name == name }) {
                try db.execute(sql: "ALTER TABLE \(table) ADD COLUMN \(name)")
            }
        }
    }

    /// From form 1 to form 2: whether a file ends before its picture does is a fact, too.
    private static func addIncompleteness(_ db: Database) throws {
        try db.execute(sql: "ALTER TABLE facts ADD COLUMN isIncomplete; PRAGMA user_version = 2")
    }

    /// From form 2 to form 3: what people write into pictures, and which files have been looked into.
    private static func addExaminations(_ db: Database) throws {
        for name in FactsColumns.third { try db.execute(sql: "ALTER TABLE facts ADD COLUMN \(name)") }
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
                    objectVersion INTEGER);
                CREATE TABLE facts (
                    id INTEGER PRIMARY KEY, version INTEGER, \(FactsColumns.names.joined(separator: ", ")));
                CREATE TABLE unexamined (row INTEGER PRIMARY KEY);
                PRAGMA user_version = \(form);
                """)
    }
}

extension DatabaseError {
    /// What SQLite says, without the statement: fit for the person at the command line.
    var reason: String { message ?? "\(resultCode)" }

    /// Whether the file is damaged, or no index at all: to be set aside. (That a statement met another form of the tables
    /// than it was made for, `SQLITE_SCHEMA`, is none.)
    var isDamage: Bool {
        [.SQLITE_CORRUPT, .SQLITE_NOTADB, .SQLITE_FORMAT].contains(resultCode)
            || resultCode == .SQLITE_ERROR && message?.hasPrefix("no such ") == true
    }

    /// A listing names rows that are not there.
    static var missingRows: DatabaseError {
        DatabaseError(resultCode: .SQLITE_CORRUPT, message: "rows are missing")
    }
}
