import GRDB
import Glibc
import Logging
import Testing

@testable import Loading

/// The caches' database when its disk fails.
@Suite struct CacheDatabaseTests {
    private let folder = TestHouse.makeFolder()
    private var path: String { folder + "/renditions.sqlite" }

    private func database() throws -> CacheDatabase {
        try CacheDatabase(
            path: path, retryDelay: .milliseconds(1),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    private func count(_ database: CacheDatabase) -> Int? {
        database.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM tile") } ?? nil
    }

    @Test func `that a statement met another form of the tables is no damage, nor is a disk that fails or is full`() {
        for code in [ResultCode.SQLITE_SCHEMA, .SQLITE_FULL, .SQLITE_IOERR, .SQLITE_BUSY, .SQLITE_CANTOPEN] {
            #expect(!CacheDatabase.isBroken(DatabaseError(resultCode: code)))
        }
        for code in [ResultCode.SQLITE_CORRUPT, .SQLITE_NOTADB] {
            #expect(CacheDatabase.isBroken(DatabaseError(resultCode: code)))
        }
    }

    @Test func `a broken database in whose place none can be begun is tried again, and well when one can`() throws {
        let database = try database()
        #expect(count(database) == 0)
        // Where the database was, and where it would be set aside, are folders that cannot be moved.
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
