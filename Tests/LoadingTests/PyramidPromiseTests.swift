import Glibc
import Images
import Logging
import Origins
import Renditions
import Testing

@testable import Loading

/// A pyramid is made once and stored as a file, and all of them together stay within the budget.
@Suite(.timeLimit(.minutes(1))) struct PyramidPromiseTests {
    private func content(_ outcome: LoaderFixture.Outcome) throws -> [UInt8] {
        let file = try #require(outcome.file)
        #expect(file.mediaType == PyramidLayout.mediaType)
        return try file.descriptor.read(Int(file.length), at: 0)
    }

    private func made(of content: [UInt8]) -> [UInt8] { MockWorkers.picture(.pyramid, .jpeg, of: content) }

    private func names(in fixture: LoaderFixture) -> [String] {
        CacheFolder.names(in: fixture.folder + "/cache/pyramids")
    }

    @Test func `a hundred waiters share one pyramid, and later requests reuse it`() async throws {
        let fixture = try LoaderFixture()
        let image = fixture.local(1, version: fixture.write(picture(90), to: 1))
        fixture.renderer.isHeld = true
        let results = Recorder<LoaderFixture.Outcome>()
        for _ in 0..<100 { fixture.load(image, .pyramid, into: results) }
        _ = await fixture.renderer.renders.element(0)
        fixture.renderer.isHeld = false
        for outcome in await results.first(100) { #expect(try content(outcome) == made(of: picture(90))) }
        #expect(try content(await fixture.load(image, .pyramid)) == made(of: picture(90)))
        #expect(fixture.renderer.renders.count == 1)
        await fixture.close()
    }

    @Test func `a pyramid survives a restart, and changed content gets a new one`() async throws {
        let first = try LoaderFixture()
        let image = first.local(1, version: first.write(picture(90), to: 1))
        _ = await first.load(image, .pyramid)
        await first.close()
        let fixture = try LoaderFixture(in: first.folder)
        #expect(try content(await fixture.load(image, .pyramid)) == made(of: picture(90)))
        #expect(fixture.renderer.renders.count == 0)
        let changed = fixture.local(1, version: fixture.write(picture(95), to: 1, modified: 2_000_000))
        #expect(try content(await fixture.load(changed, .pyramid)) == made(of: picture(95)))
        #expect(fixture.renderer.renders.count == 1)
        await fixture.close()
    }

    @Test func `a remote image's pyramid is served after its original was evicted`() async throws {
        let fixture = try LoaderFixture { $0.originalBytes = 0 }
        let results = Recorder<LoaderFixture.Outcome>()
        fixture.load(fixture.remote(1), .pyramid, into: results)
        await fixture.origins.fetches.element(0).answer(picture(90))
        #expect(try content(await results.element(0)) == made(of: picture(90)))
        #expect(try content(await fixture.load(fixture.remote(1), .pyramid)) == made(of: picture(90)))
        #expect(fixture.origins.fetches.count == 1 && fixture.renderer.renders.count == 1)
        await fixture.close()
    }

    @Test func `pyramids stay within their budget, and recently used ones are kept`() async throws {
        let length = Int64(made(of: picture(90)).count)
        let fixture = try LoaderFixture { $0.pyramidBytes = 2 * length }
        let images = (1...3).map { fixture.local($0, version: fixture.write(picture(90), to: $0)) }
        _ = await fixture.load(images[0], .pyramid)
        _ = await fixture.load(images[1], .pyramid)
        let read = await fixture.load(images[0], .pyramid)
        _ = await fixture.load(images[2], .pyramid)
        #expect(
            Set(names(in: fixture).compactMap { $0.split(separator: ".").first.map(String.init) })
                == [images[0].id.description, images[2].id.description])
        // A reader can read an evicted pyramid to its end.
        _ = await fixture.load(images[1], .pyramid)
        _ = await fixture.load(images[2], .pyramid)
        #expect(try content(read) == made(of: picture(90)))
        #expect(fixture.renderer.renders.count == 4)
        await fixture.close()
    }

    @Test func `a pyramid larger than the budget fails with 413, is tried once, and leaves no file`() async throws {
        let fixture = try LoaderFixture { $0.pyramidBytes = 10 }
        let image = fixture.local(1, version: fixture.write(picture(90), to: 1))
        for _ in 0..<3 { #expect(await fixture.load(image, .pyramid).failure?.status == 413) }
        #expect(fixture.renderer.renders.count == 1)
        await fixture.close()
        #expect(names(in: fixture).isEmpty)
    }

    @Test func `no pyramid is made that may not be stored`() async throws {
        let fixture = try LoaderFixture { $0.pyramidBytes = 0 }
        let image = fixture.local(1, version: fixture.write(picture(90), to: 1))
        #expect(await fixture.load(image, .pyramid).failure?.status == 413)
        let results = Recorder<LoaderFixture.Outcome>()
        let other = try LoaderFixture()
        other.load(other.remote(1), .pyramid, into: results)
        await other.origins.fetches.element(0).answer(picture(90), mayStore: false)
        #expect(await results.element(0).failure?.status == 404)
        // Otherwise each tile request would fetch the original again.
        #expect(await other.load(other.remote(1), .pyramid).failure?.status == 404)
        #expect(other.origins.fetches.count == 1)
        #expect(fixture.renderer.renders.count + other.renderer.renders.count == 0)
        await fixture.close()
        await other.close()
    }

    @Test func `a pyramid requested by version is served without asking the origin`() async throws {
        let fixture = try LoaderFixture { $0.originalBytes = 0 }
        let results = Recorder<LoaderFixture.Outcome>()
        fixture.load(fixture.remote(1), .pyramid, into: results)
        await fixture.origins.fetches.element(0).answer(picture(90), freshFor: .zero)
        let version = try #require(await results.element(0).file?.version)
        let request = LoadRequest(image: fixture.remote(1), rendition: .pyramid, format: .jpeg, named: version)
        fixture.loader.begin(request, priority: .visible()) { results.record($0) }
        #expect(try content(await results.element(1)) == made(of: picture(90)))
        #expect(fixture.origins.fetches.count == 1)
        // A request without a version asks the origin. If the origin does not respond, the stored pyramid is the best
        // available.
        fixture.load(fixture.remote(1), .pyramid, into: results)
        await fixture.origins.fetches.element(1).send(.failed(.init(.timedOut, logDetail: "")))
        let stale = await results.element(2)
        #expect(try content(stale) == made(of: picture(90)) && stale.file?.isStale == true)
        #expect(fixture.renderer.renders.count == 1)
        await fixture.close()
    }

    @Test func `a failed pyramid does not mark its original as broken`() async throws {
        let fixture = try LoaderFixture()
        fixture.origins.answer = { _ in picture(90) }
        fixture.renderer.failure = RenderError(.tooLarge, "Too large.")
        #expect(await fixture.load(fixture.remote(1), .pyramid).failure?.status == 422)
        fixture.renderer.fault = .dies
        #expect(await fixture.load(fixture.remote(2), .pyramid).failure?.status == 422)
        // A request that bypasses the negative cache does not retry it, or each would cost two workers.
        let deaths = fixture.renderer.deaths.count
        #expect(await fixture.load(fixture.remote(2), .pyramid, retry: true).failure?.status == 422)
        #expect(deaths == 2 && fixture.renderer.deaths.count == 2)
        fixture.renderer.fault = nil
        #expect(await fixture.load(fixture.remote(1), .tile).bytes != nil)
        #expect(await fixture.load(fixture.remote(2), .tile).bytes != nil)
        #expect(fixture.origins.fetches.count == 2)
        await fixture.close()
    }

    @Test func `a stored pyramid is served by version even if one of the current content fails`() async throws {
        let fixture = try LoaderFixture()
        let old = fixture.local(1, version: fixture.write(picture(90), to: 1))
        _ = await fixture.load(old, .pyramid)
        let now = fixture.local(1, version: fixture.write(picture(95), to: 1, modified: 2_000_000))
        fixture.renderer.failure = RenderError(.tooLarge, "Too large.")
        #expect(await fixture.load(now, .pyramid).failure?.status == 422)
        let results = Recorder<LoaderFixture.Outcome>()
        let request = LoadRequest(image: now, rendition: .pyramid, format: .jpeg, named: old.version)
        fixture.loader.begin(request, priority: .visible()) { results.record($0) }
        #expect(try content(await results.element(0)) == made(of: picture(90)))
        await fixture.close()
    }

    @Test func `a pyramid that is finished after its last waiter left is kept`() async throws {
        let fixture = try LoaderFixture()
        fixture.renderer.isHeld = true
        fixture.renderer.heedsStops = false
        let image = fixture.local(1, version: fixture.write(picture(90), to: 1))
        let load = fixture.load(image, .pyramid, into: Recorder())
        _ = await fixture.renderer.renders.element(0)
        load.cancel()
        _ = await fixture.renderer.stops.element(0)
        fixture.renderer.isHeld = false
        await fixture.loader.coordinator.reached { $0.pyramidsKept == 1 }
        #expect(try content(await fixture.load(image, .pyramid)) == made(of: picture(90)))
        #expect(fixture.renderer.renders.count == 1)
        await fixture.close()
    }

    @Test func `a pyramid in an older layout is made again`() async throws {
        let first = try LoaderFixture()
        let image = first.local(1, version: first.write(picture(90), to: 1))
        _ = await first.load(image, .pyramid)
        await first.close()
        let folder = first.folder + "/cache/pyramids/"
        let name = try #require(names(in: first).first)
        #expect(name.hasSuffix(".1-\(RenditionRecipe.current)"))
        #expect(rename(folder + name, folder + name.dropLast(1) + "0") == 0)
        let fixture = try LoaderFixture(in: first.folder)
        #expect(names(in: fixture).isEmpty)
        #expect(try content(await fixture.load(image, .pyramid)) == made(of: picture(90)))
        await fixture.close()
    }

    @Test func `a pyramid that failed, was cancelled or was cut short by a crash leaves no file`() async throws {
        let fixture = try LoaderFixture()
        let image = fixture.local(1, version: fixture.write(picture(90), to: 1))
        fixture.renderer.failure = RenderError(.damaged, "Damaged.")
        #expect(await fixture.load(image, .pyramid).failure?.status == 422)
        // Smaller renditions of it may still work.
        fixture.renderer.failure = nil
        #expect(await fixture.load(image, .tile).bytes != nil)
        fixture.renderer.isHeld = true
        let other = fixture.local(2, version: fixture.write(picture(80), to: 2))
        let left = fixture.load(other, .pyramid, into: Recorder())
        _ = await fixture.renderer.renders.element(2)
        left.cancel()
        _ = await fixture.renderer.stops.element(0)
        fixture.renderer.isHeld = false
        await fixture.close()
        #expect(names(in: fixture).isEmpty)
        close(open(fixture.folder + "/cache/pyramids/some.thing.1.part", O_WRONLY | O_CREAT, 0o600))
        let next = try LoaderFixture(in: fixture.folder)
        #expect(names(in: next).isEmpty)
        await next.close()
    }
}
