import Images
import Origins
import TestSupport
import Testing

@testable import Loading

/// A request that waits for an origin can report how long the origin has sent nothing.
@Suite(.timeLimit(.minutes(1))) struct OriginSilenceTests {
    @Test func `silence counts from the request or the last event, and ends with the fetch`() async throws {
        let fixture = try LoaderFixture()
        let image = fixture.remote(1)
        #expect(fixture.loader.originSilence(of: image.id) == nil)
        async let load = fixture.load(image)
        let fetch = await fixture.origins.fetches.element(0)
        #expect(fixture.loader.originSilence(of: image.id) == .zero)
        fixture.time.pass(.seconds(3))
        #expect(fixture.loader.originSilence(of: image.id) == .seconds(3))
        #expect(fixture.loader.originSilence(of: fixture.remote(2).id) == nil)
        fetch.send(.started(.of(100)))
        #expect(await eventually { fixture.loader.originSilence(of: image.id) == .zero })
        fixture.time.pass(.seconds(5))
        fetch.send(.bytes(picture(100)))
        #expect(await eventually { fixture.loader.originSilence(of: image.id) == .zero })
        fetch.send(.finished)
        #expect(await load.bytes != nil)
        #expect(fixture.loader.originSilence(of: image.id) == nil)
        await fixture.close()
    }

    @Test func `an abandoned fetch reports no silence`() async throws {
        let fixture = try LoaderFixture()
        let handle = fixture.load(fixture.remote(1), into: Recorder())
        _ = await fixture.origins.fetches.element(0)
        handle.cancel()
        await fixture.loader.coordinator.settled()
        #expect(fixture.loader.originSilence(of: fixture.remote(1).id) == nil)
        await fixture.close()
    }
}
