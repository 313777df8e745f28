import Images
import Logging
import Origins
import Testing

@testable import Loading

@Suite struct OriginalStoreTests {
    private func store(budget: Int64) throws -> OriginalStore {
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let folder = TestHouse.makeFolder()
        let database = try CacheDatabase(path: folder + "/renditions.sqlite", logger: logger)
        return try OriginalStore(
            folder: folder + "/originals", budget: budget, mostUnnoted: Self.mostUnnoted, database: database,
            logger: logger)
    }

    private static let mostUnnoted = 8

    private func keep(_ id: UInt64, in store: OriginalStore) throws -> KeptOriginal {
        let made = try store.makeIncoming()
        try made.descriptor.write([1, 2, 3, 4][...], at: 0)
        let kept = KeptOriginal(
            image: ImageID(rawValue: id), url: "http://origin/\(id)", version: ContentVersion(rawValue: id),
            validators: Validators(), length: 4, freshUntil: 0, mustRevalidate: false, isKept: true)
        store.keep(kept, incoming: try #require(made.path))
        return kept
    }

    @Test func `a use is not remembered for longer than its original`() throws {
        let store = try store(budget: 100)
        let kept = try keep(1, in: store)
        #expect(store.open(kept) != nil)
        #expect(store.unnoted == 1)
        store.forget(kept.image)
        #expect(store.unnoted == 0)
        #expect(store.open(kept) == nil)
        #expect(store.unnoted == 0)
    }

    @Test func `uses that nobody notes for long are noted together`() throws {
        let store = try store(budget: 1 << 20)
        let count = Self.mostUnnoted + 3
        let all = try (1...count).map { try keep(UInt64($0), in: store) }
        for kept in all { #expect(store.open(kept) != nil) }
        #expect(store.unnoted == 3)
    }

    @Test func `what was used is evicted after what was not, noted early or late`() throws {
        for isCrowded in [false, true] {
            let count = isCrowded ? Self.mostUnnoted + 1 : 3
            let store = try store(budget: Int64(4 * count))
            let all = try (1...count).map { try keep(UInt64($0), in: store) }
            // All but the second; the last row is the newcomer of its time.
            for kept in all where kept.image.rawValue != 2 { #expect(store.open(kept) != nil) }
            _ = try keep(UInt64(count + 1), in: store)
            #expect(store.find(all[1].image, url: all[1].url)?.isKept == false)
            #expect(all.count { store.find($0.image, url: $0.url)?.isKept == true } == count - 1)
        }
    }
}
