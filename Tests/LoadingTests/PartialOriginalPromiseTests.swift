import Images
import Origins
import Renditions
import Testing

@testable import Loading

/// Promise 5: an original can be read while it arrives.
@Suite(.timeLimit(.minutes(1))) struct PartialOriginalPromiseTests {
    @Test func `a late reader gets all bytes that have arrived at once, from the first one on`() async throws {
        let fixture = try LoaderFixture()
        let content = picture(300_000)
        let results = Recorder<LoaderFixture.Outcome>()
        fixture.load(fixture.remote(1), .original, into: results)
        let fetch = await fixture.origins.fetches.element(0)
        fetch.send(.started(.of(content.count)))
        fetch.send(.bytes(Array(content[..<150_000])))
        let early = try #require(await results.element(0).partialOriginal)
        #expect(early.mediaType == "image/jpeg" && early.declaredLength == 300_000 && early.version != nil)
        let begun = try await early.next(1_000)
        #expect(begun == Array(content[..<1_000]))
        fixture.load(fixture.remote(1), .original, into: results)
        let late = try #require(await results.element(1).partialOriginal)
        var got: [UInt8] = []
        while got.count < 150_000 { got += try #require(try await late.next()) }
        #expect(got == Array(content[..<150_000]), "everything that has arrived, although the origin has gone quiet")
        fetch.send(.bytes(Array(content[150_000...])))
        fetch.send(.finished)
        #expect(try await got + late.rest() == content)
        #expect(try await early.rest() == Array(content[1_000...]))
        #expect(fixture.origins.fetches.count == 1)
        await fixture.reached { $0.jobs == 0 }
        #expect(await fixture.loader.coordinator.isEmpty())
        await fixture.close()
    }

    @Test func `a slow reader delays no other, and no reader gets more bytes than it asks for`() async throws {
        let fixture = try LoaderFixture()
        let content = picture(3_000_000)
        let results = Recorder<LoaderFixture.Outcome>()
        fixture.load(fixture.remote(1), .original, into: results)
        fixture.load(fixture.remote(1), .original, into: results)
        let fetch = await fixture.origins.fetches.element(0)
        fetch.send(.started(.of(content.count)))
        for start in stride(from: 0, to: content.count, by: 100_000) {
            fetch.send(.bytes(Array(content[start..<start + 100_000])))
        }
        fetch.send(.finished)
        let slow = try #require(await results.element(0).partialOriginal)
        let quick = try #require(await results.element(1).partialOriginal)
        let first = try await slow.next(10)
        #expect(first?.count == 10)
        var got = 0
        while let bytes = try await quick.next(1_000) {
            #expect(bytes.count <= 1_000)
            got += bytes.count
        }
        #expect(got == content.count)
        #expect(try await slow.rest().count == content.count - 10)
        await fixture.close()
    }

    @Test func `the last reader to close ends the fetch`() async throws {
        let fixture = try LoaderFixture()
        let results = Recorder<LoaderFixture.Outcome>()
        fixture.load(fixture.remote(1), .original, into: results)
        let handle = fixture.load(fixture.remote(1), .original, into: results)
        let fetch = await fixture.origins.fetches.element(0)
        fetch.send(.started(.of(1_000)))
        fetch.send(.bytes(picture(500)))
        let readers = await results.first(2).compactMap(\.partialOriginal)
        #expect(readers.count == 2)
        handle.cancel()
        await fixture.loader.coordinator.settled()
        #expect(fetch.steering.count == 0)
        for reader in readers { reader.close() }
        #expect(await fetch.steering.element(0) == .cancel)
        #expect(await fixture.loader.coordinator.isEmpty())
        await fixture.close()
    }

    @Test func `readers continue at their position when a fetch restarts with the same content`() async throws {
        let fixture = try LoaderFixture()
        let content = picture(1_000)
        let results = Recorder<LoaderFixture.Outcome>()
        fixture.load(fixture.remote(1), .original, into: results)
        let fetch = await fixture.origins.fetches.element(0)
        fetch.send(.started(.of(1_000)))
        fetch.send(.bytes(Array(content[..<600])))
        let reader = try #require(await results.element(0).partialOriginal)
        let begun = try await reader.next(100)
        #expect(begun == Array(content[..<100]))
        fetch.answer(content)
        #expect(try await reader.rest() == Array(content[100...]))
        await fixture.close()
    }

    @Test func `a fetch that restarts with other content fails its readers and serves other waiters`() async throws {
        let fixture = try LoaderFixture()
        let results = Recorder<LoaderFixture.Outcome>()
        let tiles = Recorder<LoaderFixture.Outcome>()
        fixture.load(fixture.remote(1), .original, into: results)
        fixture.load(fixture.remote(1), into: tiles)
        let fetch = await fixture.origins.fetches.element(0)
        fetch.send(.started(.of(1_000)))
        fetch.send(.bytes(picture(600)))
        let reader = try #require(await results.element(0).partialOriginal)
        _ = try await reader.next(100)
        await fixture.reached { $0.jobs == 2 }
        fetch.answer(picture(1_000, seed: 9), tag: "\"2\"")
        await #expect(throws: LoadFailure.self) { try await reader.rest() }
        #expect(await tiles.element(0).bytes?.bytes == MockWorkers.picture(.tile, .webp, of: picture(1_000, seed: 9)))
        await fixture.close()
    }

    @Test func `a failure in the middle of the body fails the readers`() async throws {
        let fixture = try LoaderFixture()
        let results = Recorder<LoaderFixture.Outcome>()
        fixture.load(fixture.remote(1), .original, into: results)
        let fetch = await fixture.origins.fetches.element(0)
        fetch.send(.started(.of(1_000)))
        fetch.send(.bytes(picture(600)))
        let reader = try #require(await results.element(0).partialOriginal)
        fetch.send(.failed(OriginError(.interrupted, logDetail: "")))
        await #expect(throws: LoadFailure.self) { try await reader.rest() }
        // The reader may see the end before the loader does.
        await fixture.reached { $0.jobs == 0 && $0.fetches == 0 }
        #expect(await fixture.loader.coordinator.isEmpty())
        await fixture.close()
    }

    @Test func `an original that is not an image is never streamed and fails with 415`() async throws {
        let fixture = try LoaderFixture()
        let results = Recorder<LoaderFixture.Outcome>()
        fixture.load(fixture.remote(1), .original, into: results)
        await fixture.origins.fetches.element(0).answer(Array("<html>not a picture at all".utf8))
        #expect(await results.element(0).failure?.status == 415)
        await fixture.close()
    }
}
