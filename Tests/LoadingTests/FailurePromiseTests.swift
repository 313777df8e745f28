import Images
import Origins
import Renditions
import Testing

@testable import Loading

/// Promise 8, and mistakes that this design must never repeat.
@Suite(.timeLimit(.minutes(1))) struct FailurePromiseTests {
    @Test func `a permanent failure is remembered for a while`() async throws {
        let fixture = try LoaderFixture { $0.failureLifetime = .seconds(60) }
        async let first = fixture.load(fixture.remote(1))
        await fixture.origins.fetches.element(0).send(.failed(OriginError(.status(404), logDetail: "")))
        #expect(await first.failure?.status == 404)
        let second = await fixture.load(fixture.remote(1), .screen).failure
        #expect(second?.status == 404 && second?.retryAfter == .seconds(60))
        #expect(fixture.origins.fetches.count == 1)
        fixture.time.pass(.seconds(61))
        async let third = fixture.load(fixture.remote(1))
        await fixture.origins.fetches.element(1).answer(picture(30))
        #expect(await third.bytes != nil)
        await fixture.close()
    }

    @Test func `no failure asks the client to wait for longer than an hour`() async throws {
        #expect(LoadFailure(status: 503, publicMessage: "", retryAfter: .seconds(1 << 40)).retryAfter == .seconds(3600))
        #expect(LoadFailure(status: 503, publicMessage: "", retryAfter: .seconds(-1)).retryAfter == .zero)
        let fixture = try LoaderFixture { $0.failureLifetime = .seconds(86_400) }
        async let first = fixture.load(fixture.remote(1))
        let never = OriginError(.status(404), logDetail: "", retryAfter: .seconds(1 << 40))
        await fixture.origins.fetches.element(0).send(.failed(never))
        #expect(await first.failure?.retryAfter == .seconds(3600))
        #expect(await fixture.load(fixture.remote(1)).failure?.retryAfter == .seconds(3600), "remembered for a day")
        await fixture.close()
    }

    @Test func `an explicit retry bypasses the remembered failure`() async throws {
        let fixture = try LoaderFixture()
        async let first = fixture.load(fixture.remote(1))
        await fixture.origins.fetches.element(0).send(.failed(OriginError(.status(404), logDetail: "")))
        _ = await first
        async let retry = fixture.load(fixture.remote(1), retry: true)
        await fixture.origins.fetches.element(1).answer(picture(30))
        #expect(await retry.bytes != nil)
        #expect(await fixture.load(fixture.remote(1)).bytes != nil, "the failure is forgotten")
        await fixture.close()
    }

    @Test func `a successful retry of one rendition clears the failures of all others of its original`() async throws {
        let fixture = try LoaderFixture()
        async let first = fixture.load(fixture.remote(1))
        await fixture.origins.fetches.element(0).send(.failed(OriginError(.status(404), logDetail: "")))
        _ = await first
        #expect(await fixture.load(fixture.remote(1), .original).failure?.status == 404)
        async let retry = fixture.load(fixture.remote(1), retry: true)
        await fixture.origins.fetches.element(1).answer(picture(30))
        #expect(await retry.bytes != nil)
        #expect(await fixture.load(fixture.remote(1), .original).file != nil)
        await fixture.close()
    }

    @Test func `sending an original does not clear its remembered render failure`() async throws {
        let fixture = try LoaderFixture()
        let version = fixture.write(picture(20), to: 1)
        fixture.renderer.failure = RenderError(.truncated, "It is cut.")
        #expect(await fixture.load(fixture.local(1, version: version)).failure != nil)
        #expect(await fixture.load(fixture.local(1, version: version), .original, retry: true).file != nil)
        #expect(await fixture.load(fixture.local(1, version: version)).failure?.retryAfter != nil, "it is remembered")
        await fixture.close()
    }

    @Test func `a file that could not be rendered is tried again once it has changed`() async throws {
        let fixture = try LoaderFixture()
        let bad = fixture.write(Array("<html>".utf8), to: 1)
        #expect(await fixture.load(fixture.local(1, version: bad)).failure?.status == 415)
        #expect(await fixture.load(fixture.local(1, version: bad)).failure?.status == 415)
        #expect(fixture.opened.count == 1)
        let good = fixture.write(picture(20), to: 1, modified: 2_000_000)
        #expect(await fixture.load(fixture.local(1, version: good)).bytes?.version == good)
        await fixture.close()
    }

    @Test func `a file that changes during a failing render is rendered again`() async throws {
        let fixture = try LoaderFixture()
        fixture.renderer.isHeld = true
        let old = fixture.write([1], to: 1)
        let results = Recorder<LoaderFixture.Outcome>()
        fixture.load(fixture.local(1, version: old), .screen, into: results)
        _ = await fixture.renderer.renders.element(0)
        // A half-copied file is not a valid image, but the complete file is.
        fixture.renderer.nextFailure = RenderError(.truncated, "It is cut.")
        let new = fixture.write([2, 2], to: 1)
        fixture.renderer.isHeld = false
        #expect(await results.element(0).bytes?.version == new)
        #expect(await fixture.load(fixture.local(1, version: old), .screen).bytes?.version == new)
        await fixture.close()
    }

    @Test func `a retry after an invalid original fetches it again without a condition`() async throws {
        let fixture = try LoaderFixture()
        async let first = fixture.load(fixture.remote(1))
        await fixture.origins.fetches.element(0).answer(Array("<html> in place of a picture".utf8))
        #expect(await first.failure?.status == 415)
        async let retry = fixture.load(fixture.remote(1), retry: true)
        let fetch = await fixture.origins.fetches.element(1)
        #expect(fetch.request.revalidate == nil)
        fetch.answer(picture(30), tag: "\"2\"")
        #expect(await retry.bytes != nil)
        await fixture.close()
    }

    @Test func `known mistake: a loop over waiters that returns after the first`() async throws {
        let fixture = try LoaderFixture()
        let results = Recorder<LoaderFixture.Outcome>()
        for _ in 0..<3 { fixture.load(fixture.remote(1), into: results) }
        await fixture.origins.fetches.element(0).answer(picture(30))
        #expect(await results.first(3).count { $0.bytes != nil } == 3)
        await fixture.close()
    }

    @Test func `known mistake: a failure that leaves its entry behind, so that the next request waits forever`()
        async throws
    {
        let fixture = try LoaderFixture()
        fixture.write(picture(20), to: 1)
        fixture.renderer.failure = RenderError(.failed, "Out of memory.")
        #expect(await fixture.load(fixture.local(1)).failure?.status == 500)
        fixture.renderer.failure = nil
        #expect(await fixture.load(fixture.local(1)).bytes != nil)
        await fixture.close()
    }

    @Test func `known mistake: a second caller that replaces the first one's completion`() async throws {
        let fixture = try LoaderFixture()
        let first = Recorder<LoaderFixture.Outcome>()
        let second = Recorder<LoaderFixture.Outcome>()
        fixture.load(fixture.remote(1), into: first)
        fixture.load(fixture.remote(1), into: second)
        await fixture.origins.fetches.element(0).answer(picture(30))
        #expect(await first.element(0).bytes != nil)
        #expect(await second.element(0).bytes != nil)
        await fixture.close()
    }

    @Test func `known mistake: a cancel by id that cancels for every waiter`() async throws {
        let fixture = try LoaderFixture()
        let cancelled = Recorder<LoaderFixture.Outcome>()
        let kept = Recorder<LoaderFixture.Outcome>()
        let handle = fixture.load(fixture.remote(1), into: cancelled)
        fixture.load(fixture.remote(1), into: kept)
        handle.cancel()
        handle.cancel()
        await fixture.origins.fetches.element(0).answer(picture(30))
        #expect(await kept.element(0).bytes != nil)
        #expect(cancelled.count == 0)
        await fixture.close()
    }

    @Test func `known mistake: a failed load that shifts every later image by one`() async throws {
        let fixture = try LoaderFixture()
        for id in 1...5 as ClosedRange<UInt64> where id != 2 { fixture.write([UInt8(id)], to: id) }
        for id in 1...5 as ClosedRange<UInt64> {
            let outcome = await fixture.load(fixture.local(id))
            #expect(outcome.bytes?.bytes == (id == 2 ? nil : MockWorkers.picture(.tile, .webp, of: [UInt8(id)])))
        }
        await fixture.close()
    }
}
