import Images
import Origins
import Renditions
import Testing

@testable import Loading

/// Promise 5: an original is read while it arrives.
@Suite(.timeLimit(.minutes(1))) struct GrowingOriginalPromiseTests {
    @Test func `a late joiner gets the bytes from the first on, at once, while they arrive`() async throws {
        let house = try TestHouse()
        let content = picture(300_000)
        let results = Recorder<TestHouse.Outcome>()
        house.load(house.remote(1), .original, into: results)
        let fetch = await house.origins.fetches.element(0)
        fetch.send(.started(.of(content.count)))
        fetch.send(.bytes(Array(content[..<150_000])))
        let early = try #require(await results.element(0).growing)
        #expect(early.mediaType == "image/jpeg" && early.declaredLength == 300_000 && early.version != nil)
        let begun = try await early.next(1_000)
        #expect(begun == Array(content[..<1_000]))
        house.load(house.remote(1), .original, into: results)
        let late = try #require(await results.element(1).growing)
        var got: [UInt8] = []
        while got.count < 150_000 { got += try #require(try await late.next()) }
        #expect(got == Array(content[..<150_000]), "all that has arrived, though the origin has gone quiet")
        fetch.send(.bytes(Array(content[150_000...])))
        fetch.send(.finished)
        #expect(try await got + late.rest() == content)
        #expect(try await early.rest() == Array(content[1_000...]))
        #expect(house.origins.fetches.count == 1)
        await house.reached { $0.jobs == 0 }
        #expect(await house.loader.coordinator.isEmpty())
        await house.close()
    }

    @Test func `a slow reader delays nobody, and none is given more than it asks for`() async throws {
        let house = try TestHouse()
        let content = picture(3_000_000)
        let results = Recorder<TestHouse.Outcome>()
        house.load(house.remote(1), .original, into: results)
        house.load(house.remote(1), .original, into: results)
        let fetch = await house.origins.fetches.element(0)
        fetch.send(.started(.of(content.count)))
        for start in stride(from: 0, to: content.count, by: 100_000) {
            fetch.send(.bytes(Array(content[start..<start + 100_000])))
        }
        fetch.send(.finished)
        let slow = try #require(await results.element(0).growing)
        let quick = try #require(await results.element(1).growing)
        let first = try await slow.next(10)
        #expect(first?.count == 10)
        var got = 0
        while let bytes = try await quick.next(1_000) {
            #expect(bytes.count <= 1_000)
            got += bytes.count
        }
        #expect(got == content.count)
        #expect(try await slow.rest().count == content.count - 10)
        await house.close()
    }

    @Test func `the origin is asked to pause while more is unwritten than allowed, and to go on after`() async throws {
        let house = try TestHouse { $0.unwrittenBytes = 1_000 }
        let results = Recorder<TestHouse.Outcome>()
        house.load(house.remote(1), .original, into: results)
        let fetch = await house.origins.fetches.element(0)
        fetch.send(.started(.of(40_000)))
        for _ in 0..<10 { fetch.send(.bytes(picture(4_000))) }
        fetch.send(.finished)
        _ = await results.element(0)
        let steering = await fetch.steering.first(2)
        #expect(steering == [.pause, .resume])
        await house.close()
    }

    @Test func `the last reader to close ends the fetch`() async throws {
        let house = try TestHouse()
        let results = Recorder<TestHouse.Outcome>()
        house.load(house.remote(1), .original, into: results)
        let handle = house.load(house.remote(1), .original, into: results)
        let fetch = await house.origins.fetches.element(0)
        fetch.send(.started(.of(1_000)))
        fetch.send(.bytes(picture(500)))
        let readers = await results.first(2).compactMap(\.growing)
        #expect(readers.count == 2)
        handle.cancel()
        await house.loader.coordinator.settled()
        #expect(fetch.steering.count == 0)
        for reader in readers { reader.close() }
        #expect(await fetch.steering.element(0) == .cancel)
        #expect(await house.loader.coordinator.isEmpty())
        await house.close()
    }

    @Test func `a restart with the same content goes on at the right place`() async throws {
        let house = try TestHouse()
        let content = picture(1_000)
        let results = Recorder<TestHouse.Outcome>()
        house.load(house.remote(1), .original, into: results)
        let fetch = await house.origins.fetches.element(0)
        fetch.send(.started(.of(1_000)))
        fetch.send(.bytes(Array(content[..<600])))
        let reader = try #require(await results.element(0).growing)
        let begun = try await reader.next(100)
        #expect(begun == Array(content[..<100]))
        fetch.answer(content)
        #expect(try await reader.rest() == Array(content[100...]))
        await house.close()
    }

    @Test func `a restart with another content fails those who read the first, and serves the rest`() async throws {
        let house = try TestHouse()
        let results = Recorder<TestHouse.Outcome>()
        let tiles = Recorder<TestHouse.Outcome>()
        house.load(house.remote(1), .original, into: results)
        house.load(house.remote(1), into: tiles)
        let fetch = await house.origins.fetches.element(0)
        fetch.send(.started(.of(1_000)))
        fetch.send(.bytes(picture(600)))
        let reader = try #require(await results.element(0).growing)
        _ = try await reader.next(100)
        await house.reached { $0.jobs == 2 }
        fetch.answer(picture(1_000, seed: 9), tag: "\"2\"")
        await #expect(throws: LoadFailure.self) { try await reader.rest() }
        #expect(await tiles.element(0).bytes?.bytes == MockWorkers.picture(.tile, .webp, of: picture(1_000, seed: 9)))
        await house.close()
    }

    @Test func `a failure in mid-body fails the readers`() async throws {
        let house = try TestHouse()
        let results = Recorder<TestHouse.Outcome>()
        house.load(house.remote(1), .original, into: results)
        let fetch = await house.origins.fetches.element(0)
        fetch.send(.started(.of(1_000)))
        fetch.send(.bytes(picture(600)))
        let reader = try #require(await results.element(0).growing)
        fetch.send(.failed(OriginError(.interrupted, logDetail: "")))
        await #expect(throws: LoadFailure.self) { try await reader.rest() }
        // The reader may hear of it before the loader does.
        await house.reached { $0.jobs == 0 && $0.fetches == 0 }
        #expect(await house.loader.coordinator.isEmpty())
        await house.close()
    }

    @Test func `what is no picture is not handed out while it arrives, and ends as 415`() async throws {
        let house = try TestHouse()
        let results = Recorder<TestHouse.Outcome>()
        house.load(house.remote(1), .original, into: results)
        await house.origins.fetches.element(0).answer(Array("<html>not a picture at all".utf8))
        #expect(await results.element(0).failure?.status == 415)
        await house.close()
    }
}
