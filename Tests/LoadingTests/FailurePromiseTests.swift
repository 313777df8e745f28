import Images
import Origins
import Renditions
import Testing

@testable import Loading

/// Promise 8, and the mistakes that this design must never repeat.
@Suite(.timeLimit(.minutes(1))) struct FailurePromiseTests {
    @Test func `a failure that a retry would repeat is remembered for a while`() async throws {
        let house = try TestHouse { $0.failureLifetime = .seconds(60) }
        async let first = house.load(house.remote(1))
        await house.origins.fetches.element(0).send(.failed(OriginError(.status(404), logDetail: "")))
        #expect(await first.failure?.status == 404)
        let second = await house.load(house.remote(1), .screen).failure
        #expect(second?.status == 404 && second?.retryAfter == .seconds(60))
        #expect(house.origins.fetches.count == 1)
        house.time.pass(.seconds(61))
        async let third = house.load(house.remote(1))
        await house.origins.fetches.element(1).answer(picture(30))
        #expect(await third.bytes != nil)
        await house.close()
    }

    @Test func `nobody is told to wait for longer than an hour`() async throws {
        #expect(LoadFailure(status: 503, publicMessage: "", retryAfter: .seconds(1 << 40)).retryAfter == .seconds(3600))
        #expect(LoadFailure(status: 503, publicMessage: "", retryAfter: .seconds(-1)).retryAfter == .zero)
        let house = try TestHouse { $0.failureLifetime = .seconds(86_400) }
        async let first = house.load(house.remote(1))
        let never = OriginError(.status(404), logDetail: "", retryAfter: .seconds(1 << 40))
        await house.origins.fetches.element(0).send(.failed(never))
        #expect(await first.failure?.retryAfter == .seconds(3600))
        #expect(await house.load(house.remote(1)).failure?.retryAfter == .seconds(3600), "and remembered for a day")
        await house.close()
    }

    @Test func `a person's retry goes past the remembered failure`() async throws {
        let house = try TestHouse()
        async let first = house.load(house.remote(1))
        await house.origins.fetches.element(0).send(.failed(OriginError(.status(404), logDetail: "")))
        _ = await first
        async let retry = house.load(house.remote(1), retry: true)
        await house.origins.fetches.element(1).answer(picture(30))
        #expect(await retry.bytes != nil)
        #expect(await house.load(house.remote(1)).bytes != nil, "and the failure is forgotten")
        await house.close()
    }

    @Test func `a retry of one rendition goes past the failure of all that are made of the same original`()
        async throws
    {
        let house = try TestHouse()
        async let first = house.load(house.remote(1))
        await house.origins.fetches.element(0).send(.failed(OriginError(.status(404), logDetail: "")))
        _ = await first
        #expect(await house.load(house.remote(1), .original).failure?.status == 404)
        async let retry = house.load(house.remote(1), retry: true)
        await house.origins.fetches.element(1).answer(picture(30))
        #expect(await retry.bytes != nil)
        #expect(await house.load(house.remote(1), .original).file != nil)
        await house.close()
    }

    @Test func `an original that can be sent is not forgotten to be one that cannot be shown`() async throws {
        let house = try TestHouse()
        let version = house.write(picture(20), to: 1)
        house.renderer.failure = RenderError(.truncated, "It is cut.")
        #expect(await house.load(house.local(1, version: version)).failure != nil)
        #expect(await house.load(house.local(1, version: version), .original, retry: true).file != nil)
        #expect(await house.load(house.local(1, version: version)).failure?.retryAfter != nil, "it is remembered")
        await house.close()
    }

    @Test func `a file that could not be shown is tried again once it has changed`() async throws {
        let house = try TestHouse()
        let bad = house.write(Array("<html>".utf8), to: 1)
        #expect(await house.load(house.local(1, version: bad)).failure?.status == 415)
        #expect(await house.load(house.local(1, version: bad)).failure?.status == 415)
        #expect(house.opened.count == 1)
        let good = house.write(picture(20), to: 1, modified: 2_000_000)
        #expect(await house.load(house.local(1, version: good)).bytes?.version == good)
        await house.close()
    }

    @Test func `a file that changes under a render which fails is rendered anew`() async throws {
        let house = try TestHouse()
        house.renderer.isHeld = true
        let old = house.write([1], to: 1)
        let results = Recorder<TestHouse.Outcome>()
        house.load(house.local(1, version: old), .screen, into: results)
        _ = await house.renderer.renders.element(0)
        // Half of a copy is no picture; the whole of it is.
        house.renderer.nextFailure = RenderError(.truncated, "It is cut.")
        let new = house.write([2, 2], to: 1)
        house.renderer.isHeld = false
        #expect(await results.element(0).bytes?.version == new)
        #expect(await house.load(house.local(1, version: old), .screen).bytes?.version == new)
        await house.close()
    }

    @Test func `a picture that the origin broke is fetched anew by a retry`() async throws {
        let house = try TestHouse()
        async let first = house.load(house.remote(1))
        await house.origins.fetches.element(0).answer(Array("<html> in place of a picture".utf8))
        #expect(await first.failure?.status == 415)
        async let retry = house.load(house.remote(1), retry: true)
        let fetch = await house.origins.fetches.element(1)
        #expect(fetch.request.revalidate == nil)
        fetch.answer(picture(30), tag: "\"2\"")
        #expect(await retry.bytes != nil)
        await house.close()
    }

    @Test func `known mistake: a loop over waiters that returns after the first`() async throws {
        let house = try TestHouse()
        let results = Recorder<TestHouse.Outcome>()
        for _ in 0..<3 { house.load(house.remote(1), into: results) }
        await house.origins.fetches.element(0).answer(picture(30))
        #expect(await results.first(3).count { $0.bytes != nil } == 3)
        await house.close()
    }

    @Test func `known mistake: a failure that leaves its entry behind, so that the next request waits for ever`()
        async throws
    {
        let house = try TestHouse()
        house.write(picture(20), to: 1)
        house.renderer.failure = RenderError(.failed, "Out of memory.")
        #expect(await house.load(house.local(1)).failure?.status == 500)
        house.renderer.failure = nil
        #expect(await house.load(house.local(1)).bytes != nil)
        await house.close()
    }

    @Test func `known mistake: a second caller that replaces the first one's completion`() async throws {
        let house = try TestHouse()
        let first = Recorder<TestHouse.Outcome>()
        let second = Recorder<TestHouse.Outcome>()
        house.load(house.remote(1), into: first)
        house.load(house.remote(1), into: second)
        await house.origins.fetches.element(0).answer(picture(30))
        #expect(await first.element(0).bytes != nil)
        #expect(await second.element(0).bytes != nil)
        await house.close()
    }

    @Test func `known mistake: a cancel by id that cancels for everybody`() async throws {
        let house = try TestHouse()
        let cancelled = Recorder<TestHouse.Outcome>()
        let kept = Recorder<TestHouse.Outcome>()
        let handle = house.load(house.remote(1), into: cancelled)
        house.load(house.remote(1), into: kept)
        handle.cancel()
        handle.cancel()
        await house.origins.fetches.element(0).answer(picture(30))
        #expect(await kept.element(0).bytes != nil)
        #expect(cancelled.count == 0)
        await house.close()
    }

    @Test func `known mistake: a failed load that shifts every later picture by one`() async throws {
        let house = try TestHouse()
        for id in 1...5 as ClosedRange<UInt64> where id != 2 { house.write([UInt8(id)], to: id) }
        for id in 1...5 as ClosedRange<UInt64> {
            let outcome = await house.load(house.local(id))
            #expect(outcome.bytes?.bytes == (id == 2 ? nil : MockWorkers.picture(.tile, .webp, of: [UInt8(id)])))
        }
        await house.close()
    }
}
