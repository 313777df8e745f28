import Glibc
import Images
import Logging
import Origins
import Renditions
import Testing

@testable import Loading

/// A pyramid is made once, kept as a file, and never more of them than the budget holds.
@Suite(.timeLimit(.minutes(1))) struct PyramidPromiseTests {
    private func content(_ outcome: TestHouse.Outcome) throws -> [UInt8] {
        let file = try #require(outcome.file)
        #expect(file.mediaType == PyramidLayout.mediaType)
        return try file.descriptor.read(Int(file.length), at: 0)
    }

    private func made(of content: [UInt8]) -> [UInt8] { MockWorkers.picture(.pyramid, .jpeg, of: content) }

    private func names(in house: TestHouse) -> [String] { CacheFolder.names(in: house.folder + "/cache/pyramids") }

    @Test func `a hundred who wait have one made, and who comes later has none made`() async throws {
        let house = try TestHouse()
        let image = house.local(1, version: house.write(picture(90), to: 1))
        house.renderer.isHeld = true
        let results = Recorder<TestHouse.Outcome>()
        for _ in 0..<100 { house.load(image, .pyramid, into: results) }
        _ = await house.renderer.renders.element(0)
        house.renderer.isHeld = false
        for outcome in await results.first(100) { #expect(try content(outcome) == made(of: picture(90))) }
        #expect(try content(await house.load(image, .pyramid)) == made(of: picture(90)))
        #expect(house.renderer.renders.count == 1)
        await house.close()
    }

    @Test func `it outlives the server, and another content has another`() async throws {
        let first = try TestHouse()
        let image = first.local(1, version: first.write(picture(90), to: 1))
        _ = await first.load(image, .pyramid)
        await first.close()
        let house = try TestHouse(in: first.folder)
        #expect(try content(await house.load(image, .pyramid)) == made(of: picture(90)))
        #expect(house.renderer.renders.count == 0)
        let changed = house.local(1, version: house.write(picture(95), to: 1, modified: 2_000_000))
        #expect(try content(await house.load(changed, .pyramid)) == made(of: picture(95)))
        #expect(house.renderer.renders.count == 1)
        await house.close()
    }

    @Test func `of a remote image it is had without its original once that is evicted`() async throws {
        let house = try TestHouse { $0.originalBytes = 0 }
        let results = Recorder<TestHouse.Outcome>()
        house.load(house.remote(1), .pyramid, into: results)
        await house.origins.fetches.element(0).answer(picture(90))
        #expect(try content(await results.element(0)) == made(of: picture(90)))
        #expect(try content(await house.load(house.remote(1), .pyramid)) == made(of: picture(90)))
        #expect(house.origins.fetches.count == 1 && house.renderer.renders.count == 1)
        await house.close()
    }

    @Test func `the budget holds, and what was used last stays`() async throws {
        let length = Int64(made(of: picture(90)).count)
        let house = try TestHouse { $0.pyramidBytes = 2 * length }
        let images = (1...3).map { house.local($0, version: house.write(picture(90), to: $0)) }
        _ = await house.load(images[0], .pyramid)
        _ = await house.load(images[1], .pyramid)
        let read = await house.load(images[0], .pyramid)
        _ = await house.load(images[2], .pyramid)
        #expect(
            Set(names(in: house).compactMap { $0.split(separator: ".").first.map(String.init) })
                == [images[0].id.description, images[2].id.description])
        // Who reads what is evicted reads it to its end.
        _ = await house.load(images[1], .pyramid)
        _ = await house.load(images[2], .pyramid)
        #expect(try content(read) == made(of: picture(90)))
        #expect(house.renderer.renders.count == 4)
        await house.close()
    }

    @Test func `one that is larger than the budget is refused once for a while, and leaves nothing`() async throws {
        let house = try TestHouse { $0.pyramidBytes = 10 }
        let image = house.local(1, version: house.write(picture(90), to: 1))
        for _ in 0..<3 { #expect(await house.load(image, .pyramid).failure?.status == 413) }
        #expect(house.renderer.renders.count == 1)
        await house.close()
        #expect(names(in: house).isEmpty)
    }

    @Test func `where none is to be kept, none is made`() async throws {
        let house = try TestHouse { $0.pyramidBytes = 0 }
        let image = house.local(1, version: house.write(picture(90), to: 1))
        #expect(await house.load(image, .pyramid).failure?.status == 413)
        let results = Recorder<TestHouse.Outcome>()
        let other = try TestHouse()
        other.load(other.remote(1), .pyramid, into: results)
        await other.origins.fetches.element(0).answer(picture(90), mayStore: false)
        #expect(await results.element(0).failure?.status == 404)
        // Each piece that is asked for would fetch it anew.
        #expect(await other.load(other.remote(1), .pyramid).failure?.status == 404)
        #expect(other.origins.fetches.count == 1)
        #expect(house.renderer.renders.count + other.renderer.renders.count == 0)
        await house.close()
        await other.close()
    }

    @Test func `whoever names its content has it without a word of the origin`() async throws {
        let house = try TestHouse { $0.originalBytes = 0 }
        let results = Recorder<TestHouse.Outcome>()
        house.load(house.remote(1), .pyramid, into: results)
        await house.origins.fetches.element(0).answer(picture(90), freshFor: .zero)
        let version = try #require(await results.element(0).file?.version)
        let request = LoadRequest(image: house.remote(1), rendition: .pyramid, format: .jpeg, named: version)
        _ = house.loader.load(request, priority: .visible()) { results.record($0) }
        #expect(try content(await results.element(1)) == made(of: picture(90)))
        #expect(house.origins.fetches.count == 1)
        // Whoever does not, asks whether it is still so; where nobody says, it is the best there is.
        house.load(house.remote(1), .pyramid, into: results)
        await house.origins.fetches.element(1).send(.failed(.init(.timedOut, logDetail: "")))
        let stale = await results.element(2)
        #expect(try content(stale) == made(of: picture(90)) && stale.file?.isStale == true)
        #expect(house.renderer.renders.count == 1)
        await house.close()
    }

    @Test func `that none can be made of it says nothing of the original`() async throws {
        let house = try TestHouse()
        house.origins.answer = { _ in picture(90) }
        house.renderer.failure = RenderError(.tooLarge, "Too large.")
        #expect(await house.load(house.remote(1), .pyramid).failure?.status == 422)
        house.renderer.fault = .dies
        #expect(await house.load(house.remote(2), .pyramid).failure?.status == 422)
        // It is not tried again by whoever says so, or each would cost two workers.
        let deaths = house.renderer.deaths.count
        #expect(await house.load(house.remote(2), .pyramid, retry: true).failure?.status == 422)
        #expect(deaths == 2 && house.renderer.deaths.count == 2)
        house.renderer.fault = nil
        #expect(await house.load(house.remote(1), .tile).bytes != nil)
        #expect(await house.load(house.remote(2), .tile).bytes != nil)
        #expect(house.origins.fetches.count == 2)
        await house.close()
    }

    @Test func `a kept one is had by its name, whatever is known of the present content`() async throws {
        let house = try TestHouse()
        let old = house.local(1, version: house.write(picture(90), to: 1))
        _ = await house.load(old, .pyramid)
        let now = house.local(1, version: house.write(picture(95), to: 1, modified: 2_000_000))
        house.renderer.failure = RenderError(.tooLarge, "Too large.")
        #expect(await house.load(now, .pyramid).failure?.status == 422)
        let results = Recorder<TestHouse.Outcome>()
        let request = LoadRequest(image: now, rendition: .pyramid, format: .jpeg, named: old.version)
        _ = house.loader.load(request, priority: .visible()) { results.record($0) }
        #expect(try content(await results.element(0)) == made(of: picture(90)))
        await house.close()
    }

    @Test func `one that is done when nobody waits any more is kept`() async throws {
        let house = try TestHouse()
        house.renderer.isHeld = true
        house.renderer.heedsStops = false
        let image = house.local(1, version: house.write(picture(90), to: 1))
        let load = house.load(image, .pyramid, into: Recorder())
        _ = await house.renderer.renders.element(0)
        load.cancel()
        _ = await house.renderer.stops.element(0)
        house.renderer.isHeld = false
        await house.loader.coordinator.reached { $0.pyramidsKept == 1 }
        #expect(try content(await house.load(image, .pyramid)) == made(of: picture(90)))
        #expect(house.renderer.renders.count == 1)
        await house.close()
    }

    @Test func `what was made in another way is made anew`() async throws {
        let first = try TestHouse()
        let image = first.local(1, version: first.write(picture(90), to: 1))
        _ = await first.load(image, .pyramid)
        await first.close()
        let folder = first.folder + "/cache/pyramids/"
        let name = try #require(names(in: first).first)
        #expect(name.hasSuffix(".1") && rename(folder + name, folder + name.dropLast(2) + ".0") == 0)
        let house = try TestHouse(in: first.folder)
        #expect(names(in: house).isEmpty)
        #expect(try content(await house.load(image, .pyramid)) == made(of: picture(90)))
        await house.close()
    }

    @Test func `one that failed, was left or was cut short by a crash leaves nothing`() async throws {
        let house = try TestHouse()
        let image = house.local(1, version: house.write(picture(90), to: 1))
        house.renderer.failure = RenderError(.damaged, "Damaged.")
        #expect(await house.load(image, .pyramid).failure?.status == 422)
        // Its smaller renditions may be whole.
        house.renderer.failure = nil
        #expect(await house.load(image, .tile).bytes != nil)
        house.renderer.isHeld = true
        let other = house.local(2, version: house.write(picture(80), to: 2))
        let left = house.load(other, .pyramid, into: Recorder())
        _ = await house.renderer.renders.element(2)
        left.cancel()
        _ = await house.renderer.stops.element(0)
        house.renderer.isHeld = false
        await house.close()
        #expect(names(in: house).isEmpty)
        close(open(house.folder + "/cache/pyramids/some.thing.1.part", O_WRONLY | O_CREAT, 0o600))
        let next = try TestHouse(in: house.folder)
        #expect(names(in: next).isEmpty)
        await next.close()
    }
}
