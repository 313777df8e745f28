import BlockingIO
import Dispatch
import GRDB
import Images
import Logging
import Renditions
import Testing

@testable import Loading

@Suite struct TileCacheTests {
    private let folder = LoaderFixture.makeFolder()
    private let pool = BlockingPool(label: "test", threads: 1)

    private func database() throws -> CacheDatabase {
        try CacheDatabase(
            path: folder + "/renditions.sqlite", logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    private func key(_ image: UInt64) -> TileKey {
        TileKey(image: ImageID(rawValue: image), rendition: .tile, format: .webp)
    }

    private func tile(_ count: Int, version: UInt64 = 1, isIncomplete: Bool = false) -> RenditionBytes {
        RenditionBytes(
            bytes: picture(count), mediaType: "image/webp", version: ContentVersion(rawValue: version), width: 3,
            height: 2, isIncomplete: isIncomplete)
    }

    @Test func `a tile is found before and after it is written, and after a restart`() throws {
        let before = try database()
        let store = TileCache(database: before, budget: 1 << 20, pool: pool)
        store.insert(tile(500), for: key(1))
        #expect(store.rendition(key(1), version: ContentVersion(rawValue: 1)) == tile(500))
        store.flush()
        #expect(store.rendition(key(1), version: ContentVersion(rawValue: 1)) == tile(500))
        before.close()
        let after = try database()
        let again = TileCache(database: after, budget: 1 << 20, pool: pool)
        #expect(again.rendition(key(1), version: ContentVersion(rawValue: 1)) == tile(500))
        #expect(again.rendition(key(1), version: ContentVersion(rawValue: 2)) == nil)
        after.close()
    }

    @Test func `the tiles of an earlier recipe are made again`() throws {
        let before = try database()
        let store = TileCache(database: before, budget: 1 << 20, pool: pool)
        store.insert(tile(500), for: key(1))
        store.flush()
        let applied = before.write { database in
            try database.execute(
                sql: "UPDATE grdb_migrations SET identifier = 'recipe 0' WHERE identifier LIKE 'recipe %'")
            return database.changesCount
        }
        #expect(applied == 1)
        before.close()
        let after = try database()
        let again = TileCache(database: after, budget: 1 << 20, pool: pool)
        #expect(again.rendition(key(1), version: ContentVersion(rawValue: 1)) == nil)
        #expect(after.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM tile_content") } == .some(.some(0)))
        after.close()
    }

    @Test func `a tile of an incomplete image is still marked as such after a restart`() throws {
        let before = try database()
        let store = TileCache(database: before, budget: 1 << 20, pool: pool)
        store.insert(tile(500, isIncomplete: true), for: key(1))
        store.insert(tile(500), for: key(2))
        store.flush()
        before.close()
        let after = try database()
        let again = TileCache(database: after, budget: 1 << 20, pool: pool)
        #expect(again.rendition(key(1), version: ContentVersion(rawValue: 1))?.isIncomplete == true)
        #expect(again.rendition(key(2), version: ContentVersion(rawValue: 1))?.isIncomplete == false)
        // The complete file arrived later, and with it a tile that shows the whole image.
        again.insert(tile(600, version: 2), for: key(1))
        again.flush()
        #expect(again.rendition(key(1), version: ContentVersion(rawValue: 2))?.isIncomplete == false)
        after.close()
    }

    @Test func `tiles in an older schema without the incomplete flag are found`() throws {
        let old = try database()
        let store = TileCache(database: old, budget: 1 << 20, pool: pool)
        store.insert(tile(500), for: key(1))
        store.flush()
        // The schema of an older version of this program.
        let isOld = old.write { database in
            try database.execute(
                sql: """
                    ALTER TABLE tile DROP COLUMN isIncomplete;
                    DELETE FROM grdb_migrations WHERE identifier = 'isIncomplete'
                    """)
            return true
        }
        #expect(isOld == true)
        old.close()
        let new = try database()
        let again = TileCache(database: new, budget: 1 << 20, pool: pool)
        #expect(again.rendition(key(1), version: ContentVersion(rawValue: 1)) == tile(500))
        new.close()
    }

    @Test func `newer content replaces older content`() throws {
        let database = try database()
        let store = TileCache(database: database, budget: 1 << 20, pool: pool)
        store.insert(tile(500, version: 1), for: key(1))
        store.flush()
        store.insert(tile(600, version: 2), for: key(1))
        store.flush()
        #expect(store.rendition(key(1), version: ContentVersion(rawValue: 1)) == nil)
        #expect(store.rendition(key(1), version: ContentVersion(rawValue: 2)) == tile(600, version: 2))
        #expect(store.storedBytes() < 1_000)
        database.close()
    }

    @Test func `a scan evicts its own tiles and not those that are used again`() throws {
        let database = try database()
        // Written only when the test says so, so that the batches are known.
        let store = TileCache(
            database: database, budget: 60_000, pool: pool, batchDelay: .seconds(600))
        for image in 0..<20 as Range<UInt64> { store.insert(tile(1_000), for: key(image)) }
        store.flush()
        for image in 0..<20 as Range<UInt64> {
            #expect(store.rendition(key(image), version: ContentVersion(rawValue: 1)) != nil)
        }
        store.flush()
        for batch in 0..<20 as Range<UInt64> {
            for image in 0..<20 as Range<UInt64> { store.insert(tile(1_000), for: key(1_000 + batch * 20 + image)) }
            store.flush()
            #expect(store.storedBytes() <= 60_000)
        }
        let kept = (0..<20 as Range<UInt64>).count {
            store.rendition(key($0), version: ContentVersion(rawValue: 1)) != nil
        }
        #expect(kept == 20)
        database.close()
    }

    @Test func `a new tile is stored even if all others are in repeated use`() throws {
        let database = try database()
        let store = TileCache(database: database, budget: 24_000, pool: pool)
        for image in 0..<20 as Range<UInt64> { store.insert(tile(1_000), for: key(image)) }
        store.flush()
        for image in 0..<20 as Range<UInt64> {
            #expect(store.rendition(key(image), version: ContentVersion(rawValue: 1)) != nil)
        }
        store.flush()
        for image in 100..<105 as Range<UInt64> {
            store.insert(tile(1_000), for: key(image))
            store.flush()
            #expect(store.rendition(key(image), version: ContentVersion(rawValue: 1)) != nil)
            #expect(store.storedBytes() <= 24_000)
        }
        // A batch larger than the whole budget stays within it as well.
        for image in 200..<240 as Range<UInt64> { store.insert(tile(1_000), for: key(image)) }
        store.flush()
        #expect(store.storedBytes() <= 24_000 && store.storedBytes() > 20_000)
        database.close()
    }

    @Test func `a full disk is reported and costs only the tile that did not fit`() throws {
        let database = try database()
        let store = TileCache(database: database, budget: 1 << 24, pool: pool)
        _ = database.write { try $0.execute(sql: "PRAGMA max_page_count = 30") }
        store.insert(tile(1 << 20), for: key(1))
        store.flush()
        #expect(database.problem != nil)
        #expect(store.rendition(key(1), version: ContentVersion(rawValue: 1)) == nil)
        store.insert(tile(500), for: key(2))
        store.flush()
        #expect(store.rendition(key(2), version: ContentVersion(rawValue: 1)) == tile(500))
        #expect(database.problem == nil, "there is room again")
        database.close()
    }

    @Test func `a database that breaks during use is replaced`() throws {
        let database = try database()
        let store = TileCache(database: database, budget: 1 << 24, pool: pool)
        store.insert(tile(500), for: key(1))
        store.flush()
        _ = database.write { try $0.execute(sql: "DROP TABLE tile") }
        #expect(store.rendition(key(1), version: ContentVersion(rawValue: 1)) == nil)
        store.insert(tile(500), for: key(2))
        store.flush()
        #expect(store.rendition(key(2), version: ContentVersion(rawValue: 1)) == tile(500))
        database.close()
    }
}
