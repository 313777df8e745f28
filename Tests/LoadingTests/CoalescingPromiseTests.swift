import Images
import Origins
import Renditions
import Scheduling
import Testing

@testable import Loading

/// Promises 1 to 4 of the loader.
@Suite(.timeLimit(.minutes(1))) struct CoalescingPromiseTests {
    @Test func `a hundred waiters for one rendition cause one fetch and one render`() async throws {
        let fixture = try LoaderFixture()
        let results = Recorder<LoaderFixture.Outcome>()
        for _ in 0..<100 { fixture.load(fixture.remote(1), into: results) }
        await fixture.origins.fetches.element(0).answer(picture(100))
        let all = await results.first(100)
        #expect(all.allSatisfy { $0.bytes?.bytes == MockWorkers.picture(.tile, .webp, of: picture(100)) })
        #expect(fixture.origins.fetches.count == 1)
        #expect(fixture.renderer.renders.all.count { $0.rendition == .tile } == 1)
        #expect(await fixture.loader.coordinator.isEmpty())
        await fixture.close()
    }

    @Test func `waiters for all renditions of a remote image share one fetch`() async throws {
        let fixture = try LoaderFixture()
        let results = Recorder<LoaderFixture.Outcome>()
        for rendition in Rendition.allCases {
            for format in OutputFormat.allCases { fixture.load(fixture.remote(1), rendition, format, into: results) }
        }
        await fixture.origins.fetches.element(0).answer(picture(100))
        let all = await results.first(Rendition.allCases.count * OutputFormat.allCases.count)
        #expect(all.allSatisfy { $0.failure == nil })
        #expect(fixture.origins.fetches.count == 1)
        await fixture.close()
    }

    @Test func `a new waiter is not affected by the cancellation of the previous one`() async throws {
        let fixture = try LoaderFixture()
        for round in 0..<50 {
            let abandoned = Recorder<LoaderFixture.Outcome>()
            let joined = Recorder<LoaderFixture.Outcome>()
            let first = fixture.load(fixture.remote(UInt64(round)), into: abandoned)
            let fetch = await fixture.origins.fetches.element(2 * round)
            first.cancel()
            fixture.load(fixture.remote(UInt64(round)), into: joined)
            await fixture.origins.fetches.element(2 * round + 1).answer(picture(80))
            #expect(await joined.element(0).bytes != nil)
            #expect(await fetch.steering.element(0) == .cancel)
            #expect(abandoned.count == 0)
        }
        #expect(await fixture.loader.coordinator.isEmpty())
        await fixture.close()
    }

    @Test func `work continues until its last waiter cancels`() async throws {
        let fixture = try LoaderFixture()
        let results = Recorder<LoaderFixture.Outcome>()
        var handles = (0..<10).map { _ in fixture.load(fixture.remote(1), into: results) }
        let fetch = await fixture.origins.fetches.element(0)
        for _ in 0..<9 { handles.removeLast().cancel() }
        await fixture.loader.coordinator.settled()
        #expect(fetch.steering.count == 0)
        handles[0].cancel()
        // Immediately: the promise is within 50 ms, and the benchmark `cancel` measures it on an idle machine.
        #expect(await fetch.steering.element(0) == .cancel)
        #expect(await fixture.loader.coordinator.isEmpty())
        #expect(results.count == 0)
        await fixture.close()
    }

    @Test func `the last waiter to cancel stops the render`() async throws {
        let fixture = try LoaderFixture()
        fixture.renderer.isHeld = true
        fixture.write(picture(50), to: 1)
        let results = Recorder<LoaderFixture.Outcome>()
        let handles = (0..<3).map { _ in fixture.load(fixture.local(1), .screen, into: results) }
        _ = await fixture.renderer.renders.element(0)
        for handle in handles { handle.cancel() }
        #expect(await fixture.renderer.stops.element(0) == .screen)
        #expect(await fixture.loader.coordinator.isEmpty())
        #expect(results.count == 0)
        await fixture.close()
    }

    @Test func `a queued job that is cancelled never starts`() async throws {
        let fixture = try LoaderFixture(permits: 1)
        fixture.renderer.isHeld = true
        let results = Recorder<LoaderFixture.Outcome>()
        for id in 1...3 as ClosedRange<UInt64> { fixture.write(picture(50, seed: UInt8(id)), to: id) }
        fixture.load(fixture.local(1), .screen, into: results)
        _ = await fixture.renderer.renders.element(0)
        let queued = fixture.load(fixture.local(2), .screen, into: results)
        fixture.load(fixture.local(3), .screen, into: results)
        await fixture.reached { $0.rendersBegun == 3 }
        queued.cancel()
        await fixture.loader.coordinator.settled()
        fixture.renderer.isHeld = false
        _ = await results.first(2)
        #expect(Set(fixture.renderer.renders.all.map(\.content)) == [picture(50, seed: 1), picture(50, seed: 3)])
        await fixture.close()
    }

    @Test func `a failure answers every waiter once and leaves nothing behind`() async throws {
        let fixture = try LoaderFixture()
        let results = Recorder<LoaderFixture.Outcome>()
        for _ in 0..<20 { fixture.load(fixture.remote(1), into: results) }
        for _ in 0..<20 { fixture.load(fixture.remote(1), .screen, into: results) }
        await fixture.origins.fetches.element(0).send(.failed(.init(.timedOut, logDetail: "")))
        #expect(await results.first(40).allSatisfy { $0.failure?.status == 504 })
        #expect(await fixture.loader.coordinator.isEmpty())
        #expect(results.count == 40)
        // A failure that may be temporary is tried again by the next request, without a long wait.
        async let again = fixture.load(fixture.remote(1))
        await fixture.origins.fetches.element(1).answer(picture(30))
        #expect(await again.bytes != nil)
        await fixture.close()
    }

    @Test func `a cached rendition does not wait for an origin that hangs on another one`() async throws {
        let fixture = try LoaderFixture { $0.originalBytes = 0 }
        async let first = fixture.load(fixture.remote(1), .tile)
        await fixture.origins.fetches.element(0).answer(picture(300), freshFor: .seconds(600))
        #expect(await first.bytes != nil)
        await fixture.close()
        // After a restart the tile is on disk, but its original is not.
        let again = try LoaderFixture(in: fixture.folder) { $0.originalBytes = 0 }
        let screens = Recorder<LoaderFixture.Outcome>()
        let screen = again.load(again.remote(1), .screen, into: screens)
        _ = await again.origins.fetches.element(0)
        #expect(await again.load(again.remote(1), .tile).bytes != nil)
        #expect(screens.count == 0)
        screen.cancel()
        await again.close()
    }

    @Test func `a load that starts as a fetch ends uses the fetched original`() async throws {
        let fixture = try LoaderFixture()
        for round in 0..<30 as Range<UInt64> {
            let results = Recorder<LoaderFixture.Outcome>()
            fixture.load(fixture.remote(round), .tile, into: results)
            let fetch = await fixture.origins.fetches.element(Int(round))
            fetch.send(.started(.of(64)))
            fetch.send(.bytes(picture(64)))
            fetch.send(.finished)
            fixture.load(fixture.remote(round), .screen, into: results)
            #expect(await results.first(2).allSatisfy { $0.bytes != nil })
            #expect(fixture.origins.fetches.count == Int(round) + 1)
        }
        await fixture.close()
    }
}
