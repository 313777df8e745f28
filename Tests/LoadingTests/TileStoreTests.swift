import Dispatch
import GRDB
import Images
import Logging
import Renditions
import Testing

@testable import Loading

@Suite struct TileStoreTests {
    private let folder = TestHouse.makeFolder()
    private let lane = BlockingLane(label: "test", threads: 1)

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

    @Test func `a tile is found before it is written, after, and in the next run`() throws {
        let before = try database()
        let store = TileStore(database: before, budget: 1 << 20, lane: lane)
        store.insert(tile(500), for: key(1))
        #expect(store.rendition(key(1), version: ContentVersion(rawValue: 1)) == tile(500))
        store.flush()
        #expect(store.rendition(key(1), version: ContentVersion(rawValue: 1)) == tile(500))
        before.close()
        let after = try database()
        let again = TileStore(database: after, budget: 1 << 20, lane: lane)
        #expect(again.rendition(key(1), version: ContentVersion(rawValue: 1)) == tile(500))
        #expect(again.rendition(key(1), version: ContentVersion(rawValue: 2)) == nil)
        after.close()
    }

    @Test func `a tile of an incomplete picture is known as one in the next run`() throws {
        let before = try database()
        let store = TileStore(database: before, budget: 1 << 20, lane: lane)
        store.insert(tile(500, isIncomplete: true), for: key(1))
        store.insert(tile(500), for: key(2))
        store.flush()
        before.close()
        let after = try database()
        let again = TileStore(database: after, budget: 1 << 20, lane: lane)
        #expect(again.rendition(key(1), version: ContentVersion(rawValue: 1))?.isIncomplete == true)
        #expect(again.rendition(key(2), version: ContentVersion(rawValue: 1))?.isIncomplete == false)
        // The whole file came later, and with it a tile that shows all of the picture.
        again.insert(tile(600, version: 2), for: key(1))
        again.flush()
        #expect(again.rendition(key(1), version: ContentVersion(rawValue: 2))?.isIncomplete == false)
        after.close()
    }

    @Test func `tiles of a cache from before incompleteness was kept are found`() throws {
        let old = try database()
        let store = TileStore(database: old, budget: 1 << 20, lane: lane)
        store.insert(tile(500), for: key(1))
        store.flush()
        // As an older version of this program left it.
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
        let again = TileStore(database: new, budget: 1 << 20, lane: lane)
        #expect(again.rendition(key(1), version: ContentVersion(rawValue: 1)) == tile(500))
        new.close()
    }

    @Test func `a newer content replaces the older one`() throws {
        let database = try database()
        let store = TileStore(database: database, budget: 1 << 20, lane: lane)
        store.insert(tile(500, version: 1), for: key(1))
        store.flush()
        store.insert(tile(600, version: 2), for: key(1))
        store.flush()
        #expect(store.rendition(key(1), version: ContentVersion(rawValue: 1)) == nil)
        #expect(store.rendition(key(1), version: ContentVersion(rawValue: 2)) == tile(600, version: 2))
        #expect(store.storedBytes() < 1_000)
        database.close()
    }

    @Test func `a scan pushes out its own tiles and not those that are used again`() throws {
        let database = try database()
        // Written when the test says so, that the batches are what they are.
        let store = TileStore(
            database: database, budget: 60_000, lane: lane, batchDelay: .seconds(600))
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

    @Test func `where everything is looked at again, a newcomer still finds a place`() throws {
        let database = try database()
        let store = TileStore(database: database, budget: 24_000, lane: lane)
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
        // A batch that is more than the whole budget keeps to it all the same.
        for image in 200..<240 as Range<UInt64> { store.insert(tile(1_000), for: key(image)) }
        store.flush()
        #expect(store.storedBytes() <= 24_000 && store.storedBytes() > 20_000)
        database.close()
    }

    @Test func `a full disk is said once and costs the tile alone`() throws {
        let database = try database()
        let store = TileStore(database: database, budget: 1 << 24, lane: lane)
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

    @Test func `a database that breaks while it is used is begun anew`() throws {
        let database = try database()
        let store = TileStore(database: database, budget: 1 << 24, lane: lane)
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
