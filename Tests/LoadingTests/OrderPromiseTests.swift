import Images
import Renditions
import Scheduling
import Testing

@testable import Loading

/// Promises 6, 7 and 9: the order of loads, and which loads never wait for others.
@Suite(.timeLimit(.minutes(1))) struct OrderPromiseTests {
    private func contents(_ fixture: LoaderFixture) -> [UInt8] {
        fixture.renderer.renders.all.compactMap { $0.content.last }
    }

    @Test func `the newest viewport is rendered first, its centre first, and prefetch last`() async throws {
        let fixture = try LoaderFixture(permits: 1)
        fixture.renderer.isHeld = true
        for id in 1...5 as ClosedRange<UInt64> { fixture.write([UInt8(id)], to: id) }
        let results = Recorder<LoaderFixture.Outcome>()
        fixture.load(fixture.local(1), .screen, into: results)
        _ = await fixture.renderer.renders.element(0)
        fixture.load(fixture.local(2), .screen, .webp, .prefetch(9), into: results)
        fixture.load(fixture.local(3), .screen, .webp, .visible(2, 5), into: results)
        fixture.load(fixture.local(4), .screen, .webp, .visible(2, 0), into: results)
        fixture.load(fixture.local(5), .screen, .webp, .visible(3, 9), into: results)
        await fixture.reached { $0.rendersBegun == 5 }
        fixture.renderer.isHeld = false
        _ = await results.first(5)
        #expect(contents(fixture) == [1, 5, 4, 3, 2])
        await fixture.close()
    }

    @Test func `prefetch that becomes visible moves ahead in the render queue and at the origin`() async throws {
        let fixture = try LoaderFixture(permits: 1)
        fixture.renderer.isHeld = true
        for id in 1...3 as ClosedRange<UInt64> { fixture.write([UInt8(id)], to: id) }
        let results = Recorder<LoaderFixture.Outcome>()
        fixture.load(fixture.local(1), .screen, into: results)
        _ = await fixture.renderer.renders.element(0)
        fixture.load(fixture.local(2), .screen, .webp, .prefetch(2), into: results)
        let rising = fixture.load(fixture.local(3), .screen, .webp, .prefetch(1), into: results)
        let remote = fixture.load(fixture.remote(4), .screen, .webp, .prefetch(1), into: results)
        await fixture.reached { $0.rendersBegun == 3 && $0.fetchesBegun == 1 }
        rising.reprioritise(.visible(3))
        remote.reprioritise(.visible(3))
        await fixture.loader.coordinator.settled()
        let fetch = await fixture.origins.fetches.element(0)
        #expect(await fetch.steering.element(0) == .reprioritise(.visible(3)))
        remote.reprioritise(.prefetch(3))
        #expect(await fetch.steering.element(1) == .reprioritise(.prefetch(3)))
        fixture.renderer.isHeld = false
        _ = await results.first(3)
        #expect(contents(fixture) == [1, 3, 2])
        await fixture.close()
    }

    @Test func `prefetch holding all permits yields to visible work and is rendered afterwards`() async throws {
        let fixture = try LoaderFixture(permits: 1)
        fixture.renderer.isHeld = true
        for id in 1...2 as ClosedRange<UInt64> { fixture.write([UInt8(id)], to: id) }
        let results = Recorder<LoaderFixture.Outcome>()
        fixture.load(fixture.local(1), .screen, .webp, .prefetch(1), into: results)
        _ = await fixture.renderer.renders.element(0)
        fixture.load(fixture.local(2), .screen, .webp, .visible(1), into: results)
        _ = await fixture.renderer.stops.element(0)
        _ = await fixture.renderer.renders.element(1)
        fixture.renderer.isHeld = false
        _ = await results.first(2)
        #expect(contents(fixture) == [1, 2, 1])
        await fixture.close()
    }

    @Test func `two hundred hung origins delay neither other origins nor local files`() async throws {
        let fixture = try LoaderFixture()
        let hung = Recorder<LoaderFixture.Outcome>()
        for id in 1_000..<1_200 as Range<UInt64> { fixture.load(fixture.remote(id), into: hung) }
        _ = await fixture.origins.fetches.first(200)
        fixture.write([7], to: 7)
        #expect(await fixture.load(fixture.local(7)).bytes != nil)
        async let remote = fixture.load(fixture.remote(8))
        await fixture.origins.fetches.element(200).answer(picture(40))
        #expect(await remote.bytes != nil)
        #expect(hung.count == 0)
        await fixture.close()
        #expect(hung.all.allSatisfy { $0.failure?.status == 503 } && hung.count == 200, "the shutdown ends them")
    }

    @Test func `progressive images never take the permits of other images`() async throws {
        let fixture = try LoaderFixture(permits: 1)
        fixture.renderer.isHeld = true
        fixture.renderer.isProgressive = true
        for id in 1...3 as ClosedRange<UInt64> { fixture.write([UInt8(id)], to: id) }
        let results = Recorder<LoaderFixture.Outcome>()
        fixture.load(fixture.local(1), .screen, into: results)
        fixture.load(fixture.local(2), .screen, into: results)
        _ = await fixture.renderer.renders.element(0)
        // Wait until both were found to be heavy.
        _ = await fixture.renderer.heavies.element(1)
        fixture.renderer.isProgressive = false
        fixture.load(fixture.local(3), .screen, into: results)
        #expect(await fixture.renderer.renders.element(1).content == [3])
        #expect(fixture.renderer.renders.count == 2, "one heavy render at a time")
        fixture.renderer.isHeld = false
        _ = await results.first(3)
        await fixture.close()
    }

    @Test func `vector drawings never take the permits of other images`() async throws {
        let fixture = try LoaderFixture(permits: 1)
        fixture.renderer.isHeld = true
        fixture.write(Array("<svg>".utf8), to: 1)
        fixture.write([2], to: 2)
        let results = Recorder<LoaderFixture.Outcome>()
        fixture.load(fixture.local(1), .tile, into: results)
        _ = await fixture.renderer.renders.element(0)
        fixture.load(fixture.local(2), .tile, into: results)
        #expect(await fixture.renderer.renders.element(1).content == [2])
        fixture.renderer.isHeld = false
        _ = await results.first(2)
        await fixture.close()
    }

    @Test func `starting a load returns at once even if every thread is busy`() async throws {
        let fixture = try LoaderFixture(permits: 1)
        fixture.renderer.isHeld = true
        fixture.write([1], to: 1)
        let results = Recorder<LoaderFixture.Outcome>()
        fixture.load(fixture.local(1), into: results)
        _ = await fixture.renderer.renders.element(0)
        // A known mistake is to run the load on the thread that renders. In that case this would never return.
        let handle = fixture.load(fixture.local(1), .screen, into: results)
        #expect(fixture.loader.cached(LoadRequest(image: fixture.local(1), rendition: .tile, format: .webp)) == nil)
        handle.cancel()
        await fixture.loader.coordinator.settled()
        fixture.renderer.isHeld = false
        _ = await results.element(0)
        await fixture.close()
    }

    @Test func `each client has its own limit of pending loads, and each ended load frees a place`() async throws {
        let fixture = try LoaderFixture { $0.maximumPendingPerClient = 2 }
        let results = Recorder<LoaderFixture.Outcome>()
        func load(_ id: UInt64, for client: Int, _ member: Int) -> any LoadHandle {
            let priority = Priority(level: .visible, viewport: 1, distance: 0, flow: Flow(of: client, member: member))
            return fixture.load(fixture.remote(id), .tile, .webp, priority, into: results)
        }
        let first = load(1, for: 1, 1)
        _ = load(2, for: 1, 2)
        _ = load(3, for: 1, 3)
        #expect(await results.element(0).failure?.status == 429)
        _ = load(4, for: 2, 1)
        await fixture.loader.coordinator.settled()
        #expect(results.count == 1, "another client's load is in flight")
        first.cancel()
        first.cancel()
        _ = load(5, for: 1, 4)
        _ = load(6, for: 1, 4)
        #expect(await results.element(1).failure?.status == 429)
        await fixture.loader.coordinator.settled()
        #expect(results.count == 2 && fixture.loader.statistics.refused == 2)
        await fixture.close()
    }

    @Test func `loads beyond the limit of pending loads are refused with 503`() async throws {
        let fixture = try LoaderFixture { $0.maximumPending = 2 }
        let results = Recorder<LoaderFixture.Outcome>()
        for id in 1...2 as ClosedRange<UInt64> { fixture.load(fixture.remote(id), into: results) }
        #expect(await fixture.load(fixture.remote(3)).failure?.status == 503)
        await fixture.close()
    }
}
