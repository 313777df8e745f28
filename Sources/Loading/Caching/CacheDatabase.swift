import GRDB
import Glibc
import Locking
import Logging

/// The SQLite database of the caches. It holds nothing that could not be made again: what is broken in it is set aside
/// and begun anew, and what cannot be written is done without. Every call blocks.
final class CacheDatabase: Sendable {
    private struct State {
        var pool: DatabasePool?
        /// What was said in the log last, to be said once.
        var problem: String?
        /// How often in a row a new database could not be begun, and when the next attempt is due.
        var failures = 0
        var nextAttempt: ContinuousClock.Instant?
        var isClosed = false
    }

    private let path: String
    private let retryDelay: Duration
    private let logger: Logger
    private let state = Guarded(State())

    /// - Parameter retryDelay: after how long a new database is tried again when none could be begun in the place of a
    ///   broken one; twice as long after each failure, up to 64 times.
    /// - Throws: `LoadFailure` when the database can be neither opened nor made.
    init(path: String, retryDelay: Duration = .seconds(5), logger: Logger) throws(LoadFailure) {
        self.path = path
        self.retryDelay = retryDelay
        self.logger = logger
        do {
            let pool = try Self.open(path)
            state.withLock { $0.pool = pool }
        } catch {
            guard Self.isBroken(error) else { throw Self.failure(error) }
            do {
                let pool = try setAsideAndOpen()
                state.withLock { $0.pool = pool }
            } catch {
                throw Self.failure(error)
            }
        }
    }

    /// What keeps the cache from being written now, if anything does.
    var problem: String? { state.withLock { $0.problem } }

    /// Nil when the database cannot be read; the log says why.
    func read<Value>(_ body: (Database) throws -> Value) -> Value? {
        guard let pool = openPool() else { return nil }
        do {
            return try pool.read(body)
        } catch {
            trouble(error, with: pool)
            return nil
        }
    }

    /// Runs `body` in one transaction. Nil when nothing was written; the log says why.
    func write<Value>(_ body: (Database) throws -> Value) -> Value? {
        guard let pool = openPool() else { return nil }
        do {
            let value = try pool.write(body)
            let solved = state.withLock { state in
                defer { state.problem = nil }
                return state.problem
            }
            if let solved { logger.notice("The cache can be written again.", metadata: ["problem": "\(solved)"]) }
            return value
        } catch {
            trouble(error, with: pool)
            return nil
        }
    }

    func close() {
        let pool = state.withLock { state in
            defer { state.pool = nil }
            state.isClosed = true
            state.nextAttempt = nil
            return state.pool
        }
        try? pool?.close()
    }

    // MARK: - Trouble

    private func trouble(_ error: any Error, with pool: DatabasePool) {
        guard Self.isBroken(error) else { return say("\(error)") }
        // One thread replaces the pool; the others find it gone or new.
        let isMine = state.withLock { state in
            guard state.pool === pool else { return false }
            state.pool = nil
            return true
        }
        guard isMine else { return }
        try? pool.close()
        beginAnew()
    }

    /// The database, if there is one; one that could not be begun is tried again when its time has come.
    private func openPool() -> DatabasePool? {
        let (pool, isDue) = state.withLock { state in
            guard let next = state.nextAttempt, next <= .now else { return (state.pool, false) }
            state.nextAttempt = nil
            return (state.pool, true)
        }
        guard isDue else { return pool }
        beginAnew()
        return state.withLock { $0.pool }
    }

    private func beginAnew() {
        do {
            let fresh = try setAsideAndOpen()
            let isClosed = state.withLock { state in
                if !state.isClosed { state.pool = fresh }
                state.failures = 0
                return state.isClosed
            }
            if isClosed { try? fresh.close() }
        } catch {
            say("\(error)")
            state.withLock { state in
                guard !state.isClosed else { return }
                state.nextAttempt = .now + retryDelay * (1 << min(6, state.failures))
                state.failures += 1
            }
        }
    }

    private func say(_ problem: String) {
        let isNew = state.withLock { state in
            defer { state.problem = problem }
            return state.problem == nil
        }
        if isNew {
            logger.error("The cache cannot be used; pictures are served without it.", metadata: ["error": "\(problem)"])
        }
    }

    private func setAsideAndOpen() throws -> DatabasePool {
        let aside = path + ".broken"
        logger.error("The cache's database is broken. It is set aside and begun anew.", metadata: ["path": "\(aside)"])
        for suffix in ["", "-wal", "-shm"] {
            unlink(aside + suffix)
            // What cannot be kept for people to look into is no loss.
            let isAway = rename(path + suffix, aside + suffix) == 0 || unlink(path + suffix) == 0 || errno == ENOENT
            guard isAway else { throw DatabaseError(resultCode: .SQLITE_CANTOPEN, message: "it cannot be set aside") }
        }
        return try Self.open(path)
    }

    static func isBroken(_ error: any Error) -> Bool {
        guard let error = error as? DatabaseError else { return false }
        // That a statement met another form of the tables than it was made for (`SQLITE_SCHEMA`) is no damage.
        return [.SQLITE_CORRUPT, .SQLITE_NOTADB].contains(error.resultCode)
            || (error.resultCode == .SQLITE_ERROR && error.message?.contains("no such") == true)
    }

    private static func failure(_ error: any Error) -> LoadFailure {
        LoadFailure(status: 500, publicMessage: "The cache cannot be opened.", logDetail: "\(error)")
    }

    private static func open(_ path: String) throws -> DatabasePool {
        var configuration = GRDB.Configuration()
        configuration.maximumReaderCount = 3
        configuration.busyMode = .timeout(5)
        configuration.prepareDatabase { database in
            // What a loss of power may cost is the last few tiles, never the database.
            try database.execute(sql: "PRAGMA synchronous = NORMAL; PRAGMA journal_size_limit = 16777216")
        }
        let pool = try DatabasePool(path: path, configuration: configuration)
        try migrations.migrate(pool)
        return pool
    }

    private static var migrations: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("caches") { database in
            // The bytes are apart from what changes with use, so that noting a use does not write them again.
            try database.execute(
                sql: """
                    CREATE TABLE tile (
                        sequence INTEGER PRIMARY KEY AUTOINCREMENT,
                        image INTEGER NOT NULL,
                        kind INTEGER NOT NULL,
                        version INTEGER NOT NULL,
                        width INTEGER NOT NULL,
                        height INTEGER NOT NULL,
                        modified INTEGER,
                        size INTEGER NOT NULL,
                        used INTEGER NOT NULL DEFAULT 0,
                        UNIQUE (image, kind)
                    );
                    CREATE TABLE tile_content (sequence INTEGER PRIMARY KEY, mediaType TEXT NOT NULL, bytes BLOB NOT NULL);
                    CREATE TABLE original (
                        sequence INTEGER PRIMARY KEY AUTOINCREMENT,
                        image INTEGER NOT NULL UNIQUE,
                        url TEXT NOT NULL,
                        version INTEGER NOT NULL,
                        entityTag TEXT,
                        lastModified TEXT,
                        length INTEGER NOT NULL,
                        freshUntil INTEGER NOT NULL,
                        used INTEGER NOT NULL DEFAULT 0,
                        isKept INTEGER NOT NULL
                    );
                    CREATE INDEX originalKept ON original (sequence) WHERE isKept;
                    """)
        }
        migrator.registerMigration("mustRevalidate") { database in
            try database.execute(sql: "ALTER TABLE original ADD COLUMN mustRevalidate INTEGER NOT NULL DEFAULT 0")
        }
        migrator.registerMigration("isIncomplete") { database in
            try database.execute(sql: "ALTER TABLE tile ADD COLUMN isIncomplete INTEGER NOT NULL DEFAULT 0")
        }
        migrator.registerMigration("harmful") { database in
            try database.execute(
                sql: """
                    CREATE TABLE harmful (
                        image INTEGER PRIMARY KEY,
                        version INTEGER NOT NULL,
                        reason INTEGER NOT NULL,
                        strikes INTEGER NOT NULL
                    )
                    """)
        }
        return migrator
    }
}
