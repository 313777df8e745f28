import Images
import Origins
import Renditions
import Testing

@testable import Loading

/// The preview of a remote picture is there when its beginning is, where a camera put one there.
@Suite(.timeLimit(.minutes(1))) struct BeginningPromiseTests {
    private let content = picture(1_000_000)

    /// A house with a fetch of which so many bytes have come.
    private func house(
        wanting renditions: [Rendition], bytes: Int = 70_000, tag: String? = "\"1\"", hasThumbnails: Bool = true,
        into results: Recorder<TestHouse.Outcome>
    ) async throws -> (TestHouse, MockFetch) {
        let house = try TestHouse()
        house.renderer.hasThumbnails = hasThumbnails
        for rendition in renditions { house.load(house.remote(1), rendition, into: results) }
        let fetch = await house.origins.fetches.element(0)
        fetch.send(.started(.of(content.count, tag: tag)))
        fetch.send(.bytes(Array(content[..<bytes])))
        return (house, fetch)
    }

    @Test func `a preview is answered while the rest is on its way, and a tile waits for it`() async throws {
        let results = Recorder<TestHouse.Outcome>()
        let (house, fetch) = try await house(wanting: [.preview, .tile], into: results)
        let preview = try #require(await results.element(0).bytes)
        #expect(preview.bytes.starts(with: Array("preview".utf8)))
        #expect(!fetch.steering.all.contains(.cancel), "the tile is still wanted")
        fetch.send(.bytes(Array(content[70_000...])))
        fetch.send(.finished)
        let tile = try #require(await results.element(1).bytes)
        #expect(tile.bytes.starts(with: Array("tile".utf8)) && tile.version == preview.version)
        #expect(house.origins.fetches.count == 1)
        await house.reached { $0.jobs == 0 }
        #expect(await house.loader.coordinator.isEmpty())
        await house.close()
    }

    @Test func `a tile that is asked for when its preview was seen goes on with the same fetch`() async throws {
        let results = Recorder<TestHouse.Outcome>()
        let (house, fetch) = try await house(wanting: [.preview], into: results)
        #expect(await results.element(0).bytes != nil)
        house.load(house.remote(1), .tile, into: results)
        await house.reached { $0.waiting >= 1 }
        fetch.send(.bytes(Array(content[70_000...])))
        fetch.send(.finished)
        #expect(await results.element(1).bytes != nil)
        #expect(house.origins.fetches.count == 1 && !fetch.steering.all.contains(.cancel))
        await house.close()
    }

    @Test func `where nothing else is wanted in a while the rest is not fetched, and the preview is kept`()
        async throws
    {
        let results = Recorder<TestHouse.Outcome>()
        let (house, fetch) = try await house(wanting: [.preview], into: results)
        #expect(await results.element(0).bytes != nil)
        while await !fetch.steering.first(fetch.steering.count + 1).contains(.cancel) {}
        #expect(await house.load(house.remote(1), .preview).bytes != nil)
        #expect(house.origins.fetches.count == 1, "it is fresh, and in memory")
        #expect(house.learned.count == 0, "what a picture is, only the whole tells")
        #expect(await house.loader.coordinator.isEmpty())
        await house.close()
    }

    @Test func `who comes when the beginning is there looks at it, too`() async throws {
        let results = Recorder<TestHouse.Outcome>()
        let (house, _) = try await house(wanting: [.tile], into: results)
        await house.reached { $0.fetches == 1 }
        #expect(house.renderer.glimpses.count == 0, "for a tile there is nothing to see in it")
        #expect(await house.load(house.remote(1), .preview).bytes != nil)
        #expect(results.count == 0 && house.origins.fetches.count == 1)
        await house.close()
    }

    @Test func `a beginning that shows nothing is looked at once more when there is more, and then the whole is`()
        async throws
    {
        let results = Recorder<TestHouse.Outcome>()
        let (house, fetch) = try await house(wanting: [.preview], hasThumbnails: false, into: results)
        _ = await house.renderer.glimpses.element(0)
        fetch.send(.bytes(Array(content[70_000..<300_000])))
        _ = await house.renderer.glimpses.element(1)
        fetch.send(.bytes(Array(content[300_000...])))
        fetch.send(.finished)
        #expect(await results.element(0).bytes != nil)
        #expect(house.renderer.glimpses.count == 2 && house.renderer.renders.count == 1)
        #expect(await house.loader.coordinator.isEmpty())
        await house.close()
    }

    @Test(arguments: [(nil, 1_000_000), ("\"1\"", 100_000)] as [(String?, Int)])
    func `what has no version yet, or is nearly whole, is waited for`(tag: String?, length: Int) async throws {
        let house = try TestHouse()
        house.renderer.hasThumbnails = true
        let results = Recorder<TestHouse.Outcome>()
        house.load(house.remote(1), .preview, into: results)
        let fetch = await house.origins.fetches.element(0)
        fetch.send(.started(.of(length, tag: tag)))
        fetch.send(.bytes(Array(content[..<length])))
        fetch.send(.finished)
        #expect(await results.element(0).bytes != nil)
        #expect(house.renderer.glimpses.count == 0)
        await house.close()
    }

    @Test func `whoever leaves while a beginning is looked at leaves nothing behind`() async throws {
        let house = try TestHouse()
        house.renderer.hasThumbnails = true
        house.renderer.isHeld = true
        let results = Recorder<TestHouse.Outcome>()
        let handle = house.load(house.remote(1), .preview, into: results)
        let fetch = await house.origins.fetches.element(0)
        fetch.send(.started(.of(content.count)))
        fetch.send(.bytes(Array(content[..<70_000])))
        _ = await house.renderer.glimpses.element(0)
        handle.cancel()
        #expect(await fetch.steering.first(1) == [.cancel])
        #expect(await house.loader.coordinator.isEmpty())
        house.renderer.isHeld = false
        #expect(results.count == 0)
        await house.close()
    }
}
