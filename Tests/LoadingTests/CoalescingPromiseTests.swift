import Images
import Origins
import Renditions
import Scheduling
import Testing

@testable import Loading

/// Promises 1 to 4 of the loader.
@Suite(.timeLimit(.minutes(1))) struct CoalescingPromiseTests {
    @Test func `a hundred waiters on one rendition make one fetch and one render`() async throws {
        let house = try TestHouse()
        let results = Recorder<TestHouse.Outcome>()
        for _ in 0..<100 { house.load(house.remote(1), into: results) }
        await house.origins.fetches.element(0).answer(picture(100))
        let all = await results.first(100)
        #expect(all.allSatisfy { $0.bytes?.bytes == MockWorkers.picture(.tile, .webp, of: picture(100)) })
        #expect(house.origins.fetches.count == 1)
        #expect(house.renderer.renders.all.count { $0.rendition == .tile } == 1)
        #expect(await house.loader.coordinator.isEmpty())
        await house.close()
    }

    @Test func `waiters on every rendition of one remote image make one fetch`() async throws {
        let house = try TestHouse()
        let results = Recorder<TestHouse.Outcome>()
        for rendition in Rendition.allCases {
            for format in OutputFormat.allCases { house.load(house.remote(1), rendition, format, into: results) }
        }
        await house.origins.fetches.element(0).answer(picture(100))
        let all = await results.first(Rendition.allCases.count * OutputFormat.allCases.count)
        #expect(all.allSatisfy { $0.failure == nil })
        #expect(house.origins.fetches.count == 1)
        await house.close()
    }

    @Test func `a joiner never sees the cancellation of the last who left`() async throws {
        let house = try TestHouse()
        for round in 0..<50 {
            let abandoned = Recorder<TestHouse.Outcome>()
            let joined = Recorder<TestHouse.Outcome>()
            let first = house.load(house.remote(UInt64(round)), into: abandoned)
            let fetch = await house.origins.fetches.element(2 * round)
            first.cancel()
            house.load(house.remote(UInt64(round)), into: joined)
            await house.origins.fetches.element(2 * round + 1).answer(picture(80))
            #expect(await joined.element(0).bytes != nil)
            #expect(await fetch.steering.element(0) == .cancel)
            #expect(abandoned.count == 0)
        }
        #expect(await house.loader.coordinator.isEmpty())
        await house.close()
    }

    @Test func `all cancels but one leave the work running and the last one stops it`() async throws {
        let house = try TestHouse()
        let results = Recorder<TestHouse.Outcome>()
        var handles = (0..<10).map { _ in house.load(house.remote(1), into: results) }
        let fetch = await house.origins.fetches.element(0)
        for _ in 0..<9 { handles.removeLast().cancel() }
        await house.loader.coordinator.settled()
        #expect(fetch.steering.count == 0)
        handles[0].cancel()
        // At once: within 50 ms is the promise, and the benchmark `cancel` measures it where nothing else runs.
        #expect(await fetch.steering.element(0) == .cancel)
        #expect(await house.loader.coordinator.isEmpty())
        #expect(results.count == 0)
        await house.close()
    }

    @Test func `the last to leave kills the render`() async throws {
        let house = try TestHouse()
        house.renderer.isHeld = true
        house.write(picture(50), to: 1)
        let results = Recorder<TestHouse.Outcome>()
        let handles = (0..<3).map { _ in house.load(house.local(1), .screen, into: results) }
        _ = await house.renderer.renders.element(0)
        for handle in handles { handle.cancel() }
        #expect(await house.renderer.stops.element(0) == .screen)
        #expect(await house.loader.coordinator.isEmpty())
        #expect(results.count == 0)
        await house.close()
    }

    @Test func `a queued job that is cancelled never starts`() async throws {
        let house = try TestHouse(places: 1)
        house.renderer.isHeld = true
        let results = Recorder<TestHouse.Outcome>()
        for id in 1...3 as ClosedRange<UInt64> { house.write(picture(50, seed: UInt8(id)), to: id) }
        house.load(house.local(1), .screen, into: results)
        _ = await house.renderer.renders.element(0)
        let queued = house.load(house.local(2), .screen, into: results)
        house.load(house.local(3), .screen, into: results)
        await house.reached { $0.rendersBegun == 3 }
        queued.cancel()
        await house.loader.coordinator.settled()
        house.renderer.isHeld = false
        _ = await results.first(2)
        #expect(Set(house.renderer.renders.all.map(\.content)) == [picture(50, seed: 1), picture(50, seed: 3)])
        await house.close()
    }

    @Test func `a failure answers every waiter once and leaves nothing behind`() async throws {
        let house = try TestHouse()
        let results = Recorder<TestHouse.Outcome>()
        for _ in 0..<20 { house.load(house.remote(1), into: results) }
        for _ in 0..<20 { house.load(house.remote(1), .screen, into: results) }
        await house.origins.fetches.element(0).send(.failed(.init(.timedOut, logDetail: "")))
        #expect(await results.first(40).allSatisfy { $0.failure?.status == 504 })
        #expect(await house.loader.coordinator.isEmpty())
        #expect(results.count == 40)
        // What may pass is tried anew by the next request, which does not wait for ever.
        async let again = house.load(house.remote(1))
        await house.origins.fetches.element(1).answer(picture(30))
        #expect(await again.bytes != nil)
        await house.close()
    }

    @Test func `a kept rendition does not wait for an origin that hangs over another one`() async throws {
        let house = try TestHouse { $0.originalBytes = 0 }
        async let first = house.load(house.remote(1), .tile)
        await house.origins.fetches.element(0).answer(picture(300), freshFor: .seconds(600))
        #expect(await first.bytes != nil)
        await house.close()
        // Another run: the tile is on disk, its original is not.
        let again = try TestHouse(in: house.folder) { $0.originalBytes = 0 }
        let screens = Recorder<TestHouse.Outcome>()
        let screen = again.load(again.remote(1), .screen, into: screens)
        _ = await again.origins.fetches.element(0)
        #expect(await again.load(again.remote(1), .tile).bytes != nil)
        #expect(screens.count == 0)
        screen.cancel()
        await again.close()
    }

    @Test func `who looks into the caches while a fetch ends finds what it brought`() async throws {
        let house = try TestHouse()
        for round in 0..<30 as Range<UInt64> {
            let results = Recorder<TestHouse.Outcome>()
            house.load(house.remote(round), .tile, into: results)
            let fetch = await house.origins.fetches.element(Int(round))
            fetch.send(.started(.of(64)))
            fetch.send(.bytes(picture(64)))
            fetch.send(.finished)
            house.load(house.remote(round), .screen, into: results)
            #expect(await results.first(2).allSatisfy { $0.bytes != nil })
            #expect(house.origins.fetches.count == Int(round) + 1)
        }
        await house.close()
    }
}

extension TestHouse {
    /// Waits until the loader's counts are as said.
    func reached(_ condition: @escaping @Sendable (LoadStatistics) -> Bool) async {
        await loader.coordinator.reached(condition)
    }
}
