import Images
import Logging
import Origins
import Testing

@testable import Loading

@Suite struct OriginalCacheTests {
    private func store(budget: Int64) throws -> OriginalCache {
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let folder = LoaderFixture.makeFolder()
        let database = try CacheDatabase(path: folder + "/renditions.sqlite", logger: logger)
        return try OriginalCache(
            folder: folder + "/originals", budget: budget, maximumUnnoted: Self.maximumUnnoted, database: database,
            logger: logger)
    }

    private static let maximumUnnoted = 8

    private func keep(_ id: UInt64, in store: OriginalCache) throws -> CachedOriginal {
        let made = try store.makeIncoming()
        try made.descriptor.write([1, 2, 3, 4][...], at: 0)
        let kept = CachedOriginal(
            image: ImageID(rawValue: id), url: "http://origin/\(id)", version: ContentVersion(rawValue: id),
            validators: Validators(), length: 4, freshUntil: 0, mustRevalidate: false, isKept: true)
        store.keep(kept, incoming: try #require(made.path))
        return kept
    }

    @Test func `a pending use is discarded together with its original`() throws {
        let store = try store(budget: 100)
        let kept = try keep(1, in: store)
        #expect(store.open(kept) != nil)
        #expect(store.unnoted == 1)
        store.forget(kept.image)
        #expect(store.unnoted == 0)
        #expect(store.open(kept) == nil)
        #expect(store.unnoted == 0)
    }

    @Test func `pending uses are written in one batch once there are too many`() throws {
        let store = try store(budget: 1 << 20)
        let count = Self.maximumUnnoted + 3
        let all = try (1...count).map { try keep(UInt64($0), in: store) }
        for kept in all { #expect(store.open(kept) != nil) }
        #expect(store.unnoted == 3)
    }

    @Test func `an unused original is evicted first, whether or not the uses of others are written yet`() throws {
        for isCrowded in [false, true] {
            let count = isCrowded ? Self.maximumUnnoted + 1 : 3
            let store = try store(budget: Int64(4 * count))
            let all = try (1...count).map { try keep(UInt64($0), in: store) }
            // Use every original but the second, which must then be the one evicted.
            for kept in all where kept.image.rawValue != 2 { #expect(store.open(kept) != nil) }
            _ = try keep(UInt64(count + 1), in: store)
            #expect(store.find(all[1].image, url: all[1].url)?.isKept == false)
            #expect(all.count { store.find($0.image, url: $0.url)?.isKept == true } == count - 1)
        }
    }
}
