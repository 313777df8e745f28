import Images
import Renditions
import Scheduling
import Testing

@testable import Loading

/// Promises 6, 7 and 9: order, and who never waits for whom.
@Suite(.timeLimit(.minutes(1))) struct OrderPromiseTests {
    private func contents(_ house: TestHouse) -> [UInt8] { house.renderer.renders.all.compactMap { $0.content.last } }

    @Test func `the newest viewport is rendered first, its centre first, and prefetch last`() async throws {
        let house = try TestHouse(places: 1)
        house.renderer.isHeld = true
        for id in 1...5 as ClosedRange<UInt64> { house.write([UInt8(id)], to: id) }
        let results = Recorder<TestHouse.Outcome>()
        house.load(house.local(1), .screen, into: results)
        _ = await house.renderer.renders.element(0)
        house.load(house.local(2), .screen, .webp, .prefetch(9), into: results)
        house.load(house.local(3), .screen, .webp, .visible(2, 5), into: results)
        house.load(house.local(4), .screen, .webp, .visible(2, 0), into: results)
        house.load(house.local(5), .screen, .webp, .visible(3, 9), into: results)
        await house.reached { $0.rendersBegun == 5 }
        house.renderer.isHeld = false
        _ = await results.first(5)
        #expect(contents(house) == [1, 5, 4, 3, 2])
        await house.close()
    }

    @Test func `prefetch that becomes visible goes first in the renders, and in the origin's line`() async throws {
        let house = try TestHouse(places: 1)
        house.renderer.isHeld = true
        for id in 1...3 as ClosedRange<UInt64> { house.write([UInt8(id)], to: id) }
        let results = Recorder<TestHouse.Outcome>()
        house.load(house.local(1), .screen, into: results)
        _ = await house.renderer.renders.element(0)
        house.load(house.local(2), .screen, .webp, .prefetch(2), into: results)
        let rising = house.load(house.local(3), .screen, .webp, .prefetch(1), into: results)
        let remote = house.load(house.remote(4), .screen, .webp, .prefetch(1), into: results)
        await house.reached { $0.rendersBegun == 3 && $0.fetchesBegun == 1 }
        rising.reprioritise(.visible(3))
        remote.reprioritise(.visible(3))
        await house.loader.coordinator.settled()
        let fetch = await house.origins.fetches.element(0)
        #expect(await fetch.steering.element(0) == .reprioritise(.visible(3)))
        remote.reprioritise(.prefetch(3))
        #expect(await fetch.steering.element(1) == .reprioritise(.prefetch(3)))
        house.renderer.isHeld = false
        _ = await results.first(3)
        #expect(contents(house) == [1, 3, 2])
        await house.close()
    }

    @Test func `prefetch that holds all places yields to what is visible, and is rendered after`() async throws {
        let house = try TestHouse(places: 1)
        house.renderer.isHeld = true
        for id in 1...2 as ClosedRange<UInt64> { house.write([UInt8(id)], to: id) }
        let results = Recorder<TestHouse.Outcome>()
        house.load(house.local(1), .screen, .webp, .prefetch(1), into: results)
        _ = await house.renderer.renders.element(0)
        house.load(house.local(2), .screen, .webp, .visible(1), into: results)
        _ = await house.renderer.stops.element(0)
        _ = await house.renderer.renders.element(1)
        house.renderer.isHeld = false
        _ = await results.first(2)
        #expect(contents(house) == [1, 2, 1])
        await house.close()
    }

    @Test func `two hundred hung origins delay no other origin and no local file, and hold no render place`()
        async throws
    {
        let house = try TestHouse()
        let hung = Recorder<TestHouse.Outcome>()
        for id in 1_000..<1_200 as Range<UInt64> { house.load(house.remote(id), into: hung) }
        _ = await house.origins.fetches.first(200)
        house.write([7], to: 7)
        #expect(await house.load(house.local(7)).bytes != nil)
        async let remote = house.load(house.remote(8))
        await house.origins.fetches.element(200).answer(picture(40))
        #expect(await remote.bytes != nil)
        #expect(hung.count == 0)
        await house.close()
        #expect(hung.all.allSatisfy { $0.failure?.status == 503 } && hung.count == 200, "the shutdown answers them")
    }

    @Test func `progressive pictures never hold the places of the others`() async throws {
        let house = try TestHouse(places: 1)
        house.renderer.isHeld = true
        house.renderer.isProgressive = true
        for id in 1...3 as ClosedRange<UInt64> { house.write([UInt8(id)], to: id) }
        let results = Recorder<TestHouse.Outcome>()
        house.load(house.local(1), .screen, into: results)
        house.load(house.local(2), .screen, into: results)
        _ = await house.renderer.renders.element(0)
        // Until both were found to be so.
        _ = await house.renderer.heavies.element(1)
        house.renderer.isProgressive = false
        house.load(house.local(3), .screen, into: results)
        #expect(await house.renderer.renders.element(1).content == [3])
        #expect(house.renderer.renders.count == 2, "one heavy render at a time")
        house.renderer.isHeld = false
        _ = await results.first(3)
        await house.close()
    }

    @Test func `drawings never hold the places of the others`() async throws {
        let house = try TestHouse(places: 1)
        house.renderer.isHeld = true
        house.write(Array("<svg>".utf8), to: 1)
        house.write([2], to: 2)
        let results = Recorder<TestHouse.Outcome>()
        house.load(house.local(1), .tile, into: results)
        _ = await house.renderer.renders.element(0)
        house.load(house.local(2), .tile, into: results)
        #expect(await house.renderer.renders.element(1).content == [2])
        house.renderer.isHeld = false
        _ = await results.first(2)
        await house.close()
    }

    @Test func `a load returns at once though every thread is busy`() async throws {
        let house = try TestHouse(places: 1)
        house.renderer.isHeld = true
        house.write([1], to: 1)
        let results = Recorder<TestHouse.Outcome>()
        house.load(house.local(1), into: results)
        _ = await house.renderer.renders.element(0)
        // The known mistake: the load that runs on the thread that draws. Were it so, this would never come back.
        let handle = house.load(house.local(1), .screen, into: results)
        #expect(house.loader.cached(LoadRequest(image: house.local(1), rendition: .tile, format: .webp)) == nil)
        handle.cancel()
        await house.loader.coordinator.settled()
        house.renderer.isHeld = false
        _ = await results.element(0)
        await house.close()
    }

    @Test func `what one client may have pending is its own bound, and given back with each end`() async throws {
        let house = try TestHouse { $0.maximumPendingPerClient = 2 }
        let results = Recorder<TestHouse.Outcome>()
        func load(_ id: UInt64, for client: Int, _ member: Int) -> any LoadHandle {
            let priority = Priority(lane: .visible, viewport: 1, distance: 0, flow: Flow(of: client, member: member))
            return house.load(house.remote(id), .tile, .webp, priority, into: results)
        }
        let first = load(1, for: 1, 1)
        _ = load(2, for: 1, 2)
        _ = load(3, for: 1, 3)
        #expect(await results.element(0).failure?.status == 429)
        _ = load(4, for: 2, 1)
        await house.loader.coordinator.settled()
        #expect(results.count == 1, "another client's is under way")
        first.cancel()
        first.cancel()
        _ = load(5, for: 1, 4)
        _ = load(6, for: 1, 4)
        #expect(await results.element(1).failure?.status == 429)
        await house.loader.coordinator.settled()
        #expect(results.count == 2 && house.loader.statistics.refused == 2)
        await house.close()
    }

    @Test func `more loads than may be pending are refused with 503`() async throws {
        let house = try TestHouse { $0.maximumPending = 2 }
        let results = Recorder<TestHouse.Outcome>()
        for id in 1...2 as ClosedRange<UInt64> { house.load(house.remote(id), into: results) }
        #expect(await house.load(house.remote(3)).failure?.status == 503)
        await house.close()
    }
}
