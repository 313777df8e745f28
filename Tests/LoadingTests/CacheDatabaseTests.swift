import GRDB
import Glibc
import Logging
import Testing

@testable import Loading

/// The cache database when its disk fails.
@Suite struct CacheDatabaseTests {
    private let folder = LoaderFixture.makeFolder()
    private var path: String { folder + "/renditions.sqlite" }

    private func database() throws -> CacheDatabase {
        try CacheDatabase(
            path: path, retryDelay: .milliseconds(1),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    private func count(_ database: CacheDatabase) -> Int? {
        database.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM tile") } ?? nil
    }

    @Test func `only corruption counts as a broken database, not a schema change or a failing or full disk`() {
        for code in [ResultCode.SQLITE_SCHEMA, .SQLITE_FULL, .SQLITE_IOERR, .SQLITE_BUSY, .SQLITE_CANTOPEN] {
            #expect(!CacheDatabase.isBroken(DatabaseError(resultCode: code)))
        }
        for code in [ResultCode.SQLITE_CORRUPT, .SQLITE_NOTADB] {
            #expect(CacheDatabase.isBroken(DatabaseError(resultCode: code)))
        }
    }

    @Test func `replacing a broken database is retried until it succeeds`() throws {
        let database = try database()
        #expect(count(database) == 0)
        // Folders that cannot be moved occupy the paths of the database and of its replacement.
        let folders = [path, path + "/x", path + ".broken", path + ".broken/x"]
        #expect(unlink(path) == 0)
        for folder in folders { #expect(mkdir(folder, 0o700) == 0) }
        _ = database.write { try $0.execute(sql: "DROP TABLE tile") }
        #expect(count(database) == nil)
        for _ in 0..<5 {
            #expect(count(database) == nil)
            usleep(2_000)
        }
        for folder in folders.reversed() { #expect(rmdir(folder) == 0) }
        var found: Int?
        for _ in 0..<1_000 where found == nil {
            found = count(database)
            usleep(2_000)
        }
        #expect(found == 0)
        #expect(database.write { try $0.execute(sql: "DELETE FROM tile") } != nil)
        #expect(database.problem == nil)
        database.close()
    }
}
