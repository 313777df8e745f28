import GRDB
import Glibc
import Locking
import Logging
import Renditions

/// The SQLite database of the caches. Everything in it can be rebuilt, so a damaged database is set aside and replaced
/// by an empty one, and a failed write is skipped. Every call blocks.
final class CacheDatabase: Sendable {
    private struct State {
        var pool: DatabasePool?
        /// The problem that was logged last, so that each problem is logged once.
        var problem: String?
        /// How many attempts in a row to create a new database have failed, and when the next attempt is due.
        var failures = 0
        var nextAttempt: ContinuousClock.Instant?
        var isClosed = false
    }

    private let path: String
    private let retryDelay: Duration
    private let logger: Logger
    private let state = Guarded(State())

    /// - Parameter retryDelay: How long to wait before trying again when a broken database could not be replaced. The
    ///   delay doubles after each failure, up to 64 times its first value.
    /// - Throws: `LoadFailure` when the database can be neither opened nor created.
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

    /// Why the cache cannot be written now; nil if it can.
    var problem: String? { state.withLock { $0.problem } }

    /// Nil when the database cannot be read; the log says why.
    func read<Value>(_ body: (Database) throws -> Value) -> Value? {
        guard let pool = openPool() else { return nil }
        do {
            return try pool.read(body)
        } catch {
            recover(error, with: pool)
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
            recover(error, with: pool)
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

    // MARK: - Failures

    private func recover(_ error: any Error, with pool: DatabasePool) {
        guard Self.isBroken(error) else { return report("\(error)") }
        // One thread replaces the pool; the others find no pool, or the new one.
        let isMine = state.withLock { state in
            guard state.pool === pool else { return false }
            state.pool = nil
            return true
        }
        guard isMine else { return }
        try? pool.close()
        recreate()
    }

    /// The open database, if there is one. Tries again to create a missing database once the retry is due.
    private func openPool() -> DatabasePool? {
        let (pool, isDue) = state.withLock { state in
            guard let next = state.nextAttempt, next <= .now else { return (state.pool, false) }
            state.nextAttempt = nil
            return (state.pool, true)
        }
        guard isDue else { return pool }
        recreate()
        return state.withLock { $0.pool }
    }

    private func recreate() {
        do {
            let fresh = try setAsideAndOpen()
            let isClosed = state.withLock { state in
                if !state.isClosed { state.pool = fresh }
                state.failures = 0
                return state.isClosed
            }
            if isClosed { try? fresh.close() }
        } catch {
            report("\(error)")
            state.withLock { state in
                guard !state.isClosed else { return }
                state.nextAttempt = .now + retryDelay * (1 << min(6, state.failures))
                state.failures += 1
            }
        }
    }

    private func report(_ problem: String) {
        let isNew = state.withLock { state in
            defer { state.problem = problem }
            return state.problem == nil
        }
        if isNew {
            logger.error("The cache is unusable; images are served without it.", metadata: ["error": "\(problem)"])
        }
    }

    private func setAsideAndOpen() throws -> DatabasePool {
        let aside = path + ".broken"
        logger.error("The cache database is damaged. It is set aside and recreated.", metadata: ["path": "\(aside)"])
        for suffix in ["", "-wal", "-shm"] {
            unlink(aside + suffix)
            // A damaged database that cannot be set aside for inspection may be deleted.
            let isAway = rename(path + suffix, aside + suffix) == 0 || unlink(path + suffix) == 0 || errno == ENOENT
            guard isAway else { throw DatabaseError(resultCode: .SQLITE_CANTOPEN, message: "it cannot be set aside") }
        }
        return try Self.open(path)
    }

    static func isBroken(_ error: any Error) -> Bool {
        guard let error = error as? DatabaseError else { return false }
        // `SQLITE_SCHEMA` is not damage: the tables changed after the statement was compiled.
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
            // A power failure may cost the last few tiles but never the database.
            try database.execute(sql: "PRAGMA synchronous = NORMAL; PRAGMA journal_size_limit = 16777216")
        }
        let pool = try DatabasePool(path: path, configuration: configuration)
        try migrations.migrate(pool)
        return pool
    }

    private static var migrations: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("caches") { database in
            // The bytes have a table of their own, so that recording a use does not rewrite them.
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
        // What earlier programs made, or could not make, is made again.
        migrator.registerMigration("recipe \(RenditionRecipe.current)") { database in
            for table in ["tile", "tile_content", "harmful"] { try database.execute(sql: "DELETE FROM \(table)") }
        }
        return migrator
    }
}
