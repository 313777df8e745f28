import Images
import Origins
import TestSupport
import Testing

@testable import Loading

/// Who waits for an origin can learn for how long it has sent nothing.
@Suite(.timeLimit(.minutes(1))) struct OriginSilenceTests {
    @Test func `silence begins with the question and after each word, and ends with the fetch`() async throws {
        let house = try TestHouse()
        let image = house.remote(1)
        #expect(house.loader.originSilence(of: image.id) == nil)
        async let load = house.load(image)
        let fetch = await house.origins.fetches.element(0)
        #expect(house.loader.originSilence(of: image.id) == .zero)
        house.time.pass(.seconds(3))
        #expect(house.loader.originSilence(of: image.id) == .seconds(3))
        #expect(house.loader.originSilence(of: house.remote(2).id) == nil)
        fetch.send(.started(.of(100)))
        #expect(await eventually { house.loader.originSilence(of: image.id) == .zero })
        house.time.pass(.seconds(5))
        fetch.send(.bytes(picture(100)))
        #expect(await eventually { house.loader.originSilence(of: image.id) == .zero })
        fetch.send(.finished)
        #expect(await load.bytes != nil)
        #expect(house.loader.originSilence(of: image.id) == nil)
        await house.close()
    }

    @Test func `of a fetch that nobody wants any more nothing is told`() async throws {
        let house = try TestHouse()
        let handle = house.load(house.remote(1), into: Recorder())
        _ = await house.origins.fetches.element(0)
        handle.cancel()
        await house.loader.coordinator.settled()
        #expect(house.loader.originSilence(of: house.remote(1).id) == nil)
        await house.close()
    }
}
