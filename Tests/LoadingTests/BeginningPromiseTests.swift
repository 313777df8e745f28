import Images
import Origins
import Renditions
import Testing

@testable import Loading

/// The preview of a remote image is available as soon as its first bytes are, if the camera embedded a preview there.
@Suite(.timeLimit(.minutes(1))) struct BeginningPromiseTests {
    private let content = picture(1_000_000)

    /// A fixture with a fetch of which this many bytes have arrived.
    private func fixture(
        wanting renditions: [Rendition], bytes: Int = 70_000, tag: String? = "\"1\"", hasThumbnails: Bool = true,
        into results: Recorder<LoaderFixture.Outcome>
    ) async throws -> (LoaderFixture, MockFetch) {
        let fixture = try LoaderFixture()
        fixture.renderer.hasThumbnails = hasThumbnails
        for rendition in renditions { fixture.load(fixture.remote(1), rendition, into: results) }
        let fetch = await fixture.origins.fetches.element(0)
        fetch.send(.started(.of(content.count, tag: tag)))
        fetch.send(.bytes(Array(content[..<bytes])))
        return (fixture, fetch)
    }

    @Test func `a preview is delivered before the original is complete, and a tile waits for it`() async throws {
        let results = Recorder<LoaderFixture.Outcome>()
        let (fixture, fetch) = try await fixture(wanting: [.preview, .tile], into: results)
        let preview = try #require(await results.element(0).bytes)
        #expect(preview.bytes.starts(with: Array("preview".utf8)))
        #expect(!fetch.steering.all.contains(.cancel), "the tile is still wanted")
        fetch.send(.bytes(Array(content[70_000...])))
        fetch.send(.finished)
        let tile = try #require(await results.element(1).bytes)
        #expect(tile.bytes.starts(with: Array("tile".utf8)) && tile.version == preview.version)
        #expect(fixture.origins.fetches.count == 1)
        await fixture.reached { $0.jobs == 0 }
        #expect(await fixture.loader.coordinator.isEmpty())
        await fixture.close()
    }

    @Test func `a tile requested after its preview continues the same fetch`() async throws {
        let results = Recorder<LoaderFixture.Outcome>()
        let (fixture, fetch) = try await fixture(wanting: [.preview], into: results)
        #expect(await results.element(0).bytes != nil)
        fixture.load(fixture.remote(1), .tile, into: results)
        await fixture.reached { $0.waiting >= 1 }
        fetch.send(.bytes(Array(content[70_000...])))
        fetch.send(.finished)
        #expect(await results.element(1).bytes != nil)
        #expect(fixture.origins.fetches.count == 1 && !fetch.steering.all.contains(.cancel))
        await fixture.close()
    }

    @Test func `without further requests the fetch is cancelled, and the preview stays cached`() async throws {
        let results = Recorder<LoaderFixture.Outcome>()
        let (fixture, fetch) = try await fixture(wanting: [.preview], into: results)
        #expect(await results.element(0).bytes != nil)
        while await !fetch.steering.first(fetch.steering.count + 1).contains(.cancel) {}
        #expect(await fixture.load(fixture.remote(1), .preview).bytes != nil)
        #expect(fixture.origins.fetches.count == 1, "the preview is fresh and in memory")
        #expect(fixture.learned.count == 0, "metadata is read only from the complete original")
        #expect(await fixture.loader.coordinator.isEmpty())
        await fixture.close()
    }

    @Test func `no fetch continues without waiters after many previews were made at once`() async throws {
        let fixture = try LoaderFixture()
        fixture.renderer.hasThumbnails = true
        fixture.renderer.isHeld = true
        let results = Recorder<LoaderFixture.Outcome>()
        for id in 1...16 as ClosedRange<UInt64> { fixture.load(fixture.remote(id), .preview, into: results) }
        let fetches = await fixture.origins.fetches.first(16)
        for fetch in fetches {
            fetch.send(.started(.of(content.count)))
            fetch.send(.bytes(Array(content[..<70_000])))
        }
        // All partial decodes start before the first one ends.
        await fixture.reached { $0.partialDecodes == 16 }
        fixture.renderer.isHeld = false
        #expect(await results.first(16).allSatisfy { $0.bytes != nil })
        await fixture.reached { $0.fetches == 0 }
        #expect(fetches.filter { $0.steering.all.contains(.cancel) }.count == 16)
        #expect(await fixture.loader.coordinator.isEmpty())
        await fixture.close()
    }

    @Test func `a preview requested later is made from the bytes that have already arrived`() async throws {
        let results = Recorder<LoaderFixture.Outcome>()
        let (fixture, _) = try await fixture(wanting: [.tile], into: results)
        await fixture.reached { $0.fetches == 1 }
        #expect(fixture.renderer.glimpses.count == 0, "a tile is not made from a part of the original")
        #expect(await fixture.load(fixture.remote(1), .preview).bytes != nil)
        #expect(results.count == 0 && fixture.origins.fetches.count == 1)
        await fixture.close()
    }

    @Test func `a failed partial decode is retried once before the complete original is rendered`() async throws {
        let results = Recorder<LoaderFixture.Outcome>()
        let (fixture, fetch) = try await fixture(wanting: [.preview], hasThumbnails: false, into: results)
        _ = await fixture.renderer.glimpses.element(0)
        fetch.send(.bytes(Array(content[70_000..<300_000])))
        _ = await fixture.renderer.glimpses.element(1)
        fetch.send(.bytes(Array(content[300_000...])))
        fetch.send(.finished)
        #expect(await results.element(0).bytes != nil)
        #expect(fixture.renderer.glimpses.count == 2 && fixture.renderer.renders.count == 1)
        #expect(await fixture.loader.coordinator.isEmpty())
        await fixture.close()
    }

    @Test(arguments: [(nil, 1_000_000), ("\"1\"", 100_000)] as [(String?, Int)])
    func `there is no partial decode without a version or near the end`(tag: String?, length: Int) async throws {
        let fixture = try LoaderFixture()
        fixture.renderer.hasThumbnails = true
        let results = Recorder<LoaderFixture.Outcome>()
        fixture.load(fixture.remote(1), .preview, into: results)
        let fetch = await fixture.origins.fetches.element(0)
        fetch.send(.started(.of(length, tag: tag)))
        fetch.send(.bytes(Array(content[..<length])))
        fetch.send(.finished)
        #expect(await results.element(0).bytes != nil)
        #expect(fixture.renderer.glimpses.count == 0)
        await fixture.close()
    }

    @Test func `cancelling during a partial decode leaves nothing behind`() async throws {
        let fixture = try LoaderFixture()
        fixture.renderer.hasThumbnails = true
        fixture.renderer.isHeld = true
        let results = Recorder<LoaderFixture.Outcome>()
        let handle = fixture.load(fixture.remote(1), .preview, into: results)
        let fetch = await fixture.origins.fetches.element(0)
        fetch.send(.started(.of(content.count)))
        fetch.send(.bytes(Array(content[..<70_000])))
        _ = await fixture.renderer.glimpses.element(0)
        handle.cancel()
        #expect(await fetch.steering.first(1) == [.cancel])
        #expect(await fixture.loader.coordinator.isEmpty())
        fixture.renderer.isHeld = false
        #expect(results.count == 0)
        await fixture.close()
    }
}
