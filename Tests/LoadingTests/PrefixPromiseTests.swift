import Images
import Origins
import Renditions
import TestSupport
import Testing

@testable import Loading

/// A preview of a remote image takes only the first bytes of the original, if they contain one; the rest is fetched only
/// for larger renditions.
@Suite(.timeLimit(.minutes(1))) struct PrefixPromiseTests {
    private let small = SmallJPEG(width: 160, height: 120).bytes
    private let results = Recorder<LoaderFixture.Outcome>()

    /// A camera's JPEG of which only the thumbnail could be decoded.
    private func original() -> [UInt8] {
        let head = CameraJPEG(thumbnail: small).bytes
        return head + [UInt8](repeating: 7, count: 1_000_000 - head.count)
    }

    private func fixture(hasThumbnails: Bool = true, others: MockCoordination? = nil) throws -> LoaderFixture {
        let fixture = try LoaderFixture(others: others)
        fixture.renderer.hasThumbnails = hasThumbnails
        return fixture
    }

    @discardableResult
    private func load(
        _ fixture: LoaderFixture, _ id: UInt64 = 1, _ rendition: Rendition = .preview, accepts: Bool = false
    ) -> any LoadHandle {
        let request = LoadRequest(
            image: fixture.remote(id), rendition: rendition, format: .webp, acceptsThumbnail: accepts)
        return fixture.loader.begin(request, priority: .visible()) { [results] in results.record($0) }
    }

    /// The prefix arrives, and nothing follows.
    private func sendPrefix(_ fetch: MockFetch, of bytes: [UInt8]) {
        fetch.send(.started(.of(bytes.count)))
        fetch.send(.bytes(Array(bytes[..<65_536])))
        fetch.send(.parked)
    }

    private func sendRest(_ fetch: MockFetch, of bytes: [UInt8]) {
        fetch.send(.bytes(Array(bytes[65_536...])))
        fetch.send(.finished)
    }

    /// Waits until the loader has told the fetch to do this, and returns all it was told.
    private func told(_ fetch: MockFetch, _ wanted: MockFetch.Steering) async -> [MockFetch.Steering] {
        var count = 1
        while await !fetch.steering.first(count).contains(wanted) { count += 1 }
        return fetch.steering.all
    }

    @Test func `a preview takes the prefix alone`() async throws {
        let fixture = try fixture()
        load(fixture)
        let fetch = await fixture.origins.fetches.element(0)
        #expect(fetch.request.prefixLength == 65_536)
        sendPrefix(fetch, of: original())
        #expect(await results.element(0).bytes?.mediaType == "image/webp")
        #expect(await !told(fetch, .cancel).contains(.fetchRest))
        #expect(await fixture.loader.coordinator.isEmpty())
        await fixture.close()
    }

    @Test func `a tile requested before, with, or after its preview gets the rest of the same fetch`() async throws {
        for order in 0..<3 {
            let fixture = try fixture()
            let results = Recorder<LoaderFixture.Outcome>()
            if order == 0 { fixture.load(fixture.remote(1), .tile, into: results) }
            if order == 0 { await fixture.reached { $0.fetches == 1 } }
            fixture.load(fixture.remote(1), .preview, into: results)
            let fetch = await fixture.origins.fetches.element(0)
            #expect(fetch.request.prefixLength == (order == 0 ? nil : 65_536))
            if order == 1 {
                fixture.load(fixture.remote(1), .tile, into: results)
                #expect(await told(fetch, .fetchRest).filter { $0 == .fetchRest }.count == 1)
            }
            let bytes = original()
            sendPrefix(fetch, of: bytes)
            if order > 0 { #expect(await results.element(0).bytes != nil) }
            if order == 2 {
                fixture.load(fixture.remote(1), .tile, into: results)
                #expect(await told(fetch, .fetchRest).filter { $0 == .fetchRest }.count == 1)
            }
            sendRest(fetch, of: bytes)
            #expect(await results.first(2).allSatisfy { $0.bytes != nil })
            #expect(fixture.origins.fetches.count == 1)
            await fixture.close()
        }
    }

    @Test func `without a preview in the prefix, the rest follows at once`() async throws {
        let fixture = try fixture(hasThumbnails: false)
        load(fixture)
        let fetch = await fixture.origins.fetches.element(0)
        sendPrefix(fetch, of: original())
        #expect(await told(fetch, .fetchRest).contains(.fetchRest))
        sendRest(fetch, of: original())
        #expect(await results.element(0).bytes != nil)
        #expect(fixture.origins.fetches.count == 1 && fixture.renderer.renders.count == 1)
        await fixture.close()
    }

    @Test func `an original that is not a JPEG, or has no version, is fetched to its end`() async throws {
        let png: [UInt8] = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a] + [UInt8](repeating: 0, count: 200_000)
        for (bytes, tag) in [(png, "\"1\""), (original(), nil)] {
            let fixture = try fixture()
            let results = Recorder<LoaderFixture.Outcome>()
            fixture.load(fixture.remote(1), .preview, into: results)
            let fetch = await fixture.origins.fetches.element(0)
            fetch.send(.started(.of(bytes.count, tag: tag)))
            fetch.send(.bytes(Array(bytes[..<65_536])))
            fetch.send(.parked)
            #expect(await told(fetch, .fetchRest).contains(.fetchRest))
            sendRest(fetch, of: bytes)
            #expect(await results.element(0).bytes != nil)
            await fixture.close()
        }
    }

    @Test func `a thumbnail is delivered as it is to those who accept it, without a worker`() async throws {
        let fixture = try fixture()
        load(fixture, accepts: true)
        let fetch = await fixture.origins.fetches.element(0)
        sendPrefix(fetch, of: original())
        let thumbnail = try #require(await results.element(0).bytes)
        #expect(thumbnail.bytes == small && thumbnail.mediaType == "image/jpeg")
        #expect(fixture.renderer.glimpses.count == 0)
        await fixture.reached { $0.thumbnails == 1 }
        // Whoever does not accept it gets a preview of the same fetch.
        load(fixture)
        #expect(await results.element(1).bytes?.mediaType == "image/webp")
        #expect(fixture.origins.fetches.count == 1)
        await fixture.close()
    }

    @Test func `after three originals without a preview, an origin is asked for whole originals`() async throws {
        let fixture = try fixture(hasThumbnails: false)
        for id in 1...4 as ClosedRange<UInt64> {
            load(fixture, id)
            let fetch = await fixture.origins.fetches.element(Int(id) - 1)
            #expect((fetch.request.prefixLength == nil) == (id == 4))
            sendPrefix(fetch, of: original())
            sendRest(fetch, of: original())
            _ = await results.element(Int(id) - 1)
        }
        await fixture.close()
    }

    @Test func `an origin of originals that are hardly longer than a prefix is asked for whole originals`() async throws
    {
        let fixture = try fixture()
        let bytes = Array(original()[..<100_000])
        for id in 1...4 as ClosedRange<UInt64> {
            load(fixture, id)
            let fetch = await fixture.origins.fetches.element(Int(id) - 1)
            #expect((fetch.request.prefixLength == nil) == (id == 4))
            fetch.answer(bytes)
            _ = await results.element(Int(id) - 1)
        }
        await fixture.close()
    }

    @Test func `a preview made from a prefix is found on disk later`() async throws {
        let first = try fixture()
        load(first)
        sendPrefix(await first.origins.fetches.element(0), of: original())
        #expect(await results.element(0).bytes != nil)
        let originals = first.loader.coordinator.stages.originals
        #expect(await eventually { originals.find(ImageID(rawValue: 1), url: "http://origin/1") != nil })
        await first.close()
        let second = try LoaderFixture(in: first.folder)
        load(second)
        #expect(await results.element(1).bytes?.mediaType == "image/webp")
        #expect(second.origins.fetches.count == 0)
        await second.close()
    }

    @Test func `a thumbnail is fetched once, however many accept it`() async throws {
        let fixture = try fixture()
        load(fixture, accepts: true)
        let fetch = await fixture.origins.fetches.element(0)
        sendPrefix(fetch, of: original())
        _ = await results.element(0)
        #expect(await told(fetch, .cancel).contains(.cancel))
        load(fixture, accepts: true)
        #expect(await results.element(1).bytes?.bytes == small)
        #expect(fixture.origins.fetches.count == 1)
        await fixture.close()
    }

    @Test func `a fetch with weak validators is not kept alive for longer than others`() async throws {
        let fixture = try fixture()
        load(fixture)
        let fetch = await fixture.origins.fetches.element(0)
        var head = OriginHead.of(1_000_000, tag: nil)
        head.validators = Validators(lastModified: "Tue, 15 Nov 1994 12:45:26 GMT")
        head.isPrefix = true
        fetch.send(.started(head))
        fetch.send(.bytes(Array(original()[..<65_536])))
        fetch.send(.parked)
        #expect(await results.element(0).bytes?.mediaType == "image/webp")
        #expect(await !told(fetch, .cancel).contains(.fetchRest))
        #expect(await fixture.loader.coordinator.isEmpty())
        await fixture.close()
    }

    /// The rest then comes as a new response, which may be of another version.
    @Test func `nobody reads a prefix with weak validators as the original`() async throws {
        let fixture = try fixture(hasThumbnails: false)
        load(fixture)
        let fetch = await fixture.origins.fetches.element(0)
        let bytes = original()
        var head = OriginHead.of(bytes.count, tag: nil)
        head.validators = Validators(lastModified: "Tue, 15 Nov 1994 12:45:26 GMT")
        head.isPrefix = true
        fetch.send(.started(head))
        fetch.send(.bytes([UInt8](repeating: 1, count: 65_536)))
        fetch.send(.parked)
        load(fixture, 1, .original)
        #expect(await told(fetch, .fetchRest).contains(.fetchRest))
        head.isPrefix = false
        fetch.send(.started(head))
        fetch.send(.bytes(bytes))
        fetch.send(.finished)
        #expect(await results.first(2).allSatisfy { (try? $0.get()) != nil })
        let stored = fixture.loader.coordinator.stages.originals.find(ImageID(rawValue: 1), url: "http://origin/1")
        let file = try #require(stored.flatMap { fixture.loader.coordinator.stages.originals.open($0) })
        #expect(try file.read(bytes.count + 1, at: 0) == bytes)
        await fixture.close()
    }

    @Test func `in a cluster, nodes fetch whole originals`() async throws {
        let others = MockCoordination()
        let fixture = try fixture(others: others)
        load(fixture, accepts: true)
        await others.asked.element(0).announce(.granted(fence: 1))
        let fetch = await fixture.origins.fetches.element(0)
        #expect(fetch.request.prefixLength == nil)
        fetch.answer(original())
        #expect(await results.element(0).bytes?.mediaType == "image/webp")
        await fixture.close()
    }

    @Test func `at most 64 fetches are kept alive`() async throws {
        let fixture = try fixture()
        for id in 1...100 as ClosedRange<UInt64> { load(fixture, id) }
        for fetch in await fixture.origins.fetches.first(100) { sendPrefix(fetch, of: original()) }
        #expect(await results.first(100).allSatisfy { $0.bytes != nil })
        await fixture.reached { $0.fetches <= 64 }
        await fixture.reached { $0.fetches == 0 }
        #expect(await fixture.loader.coordinator.isEmpty())
        await fixture.close()
    }
}

@Suite struct PrefixHistoryTests {
    @Test func `an origin whose originals contain no previews is asked for prefixes now and then`() {
        var history = PrefixHistory()
        func suggestions(_ url: String, _ count: Int) -> Int {
            (0..<count).count { _ in history.suggestsPrefix(of: url) }
        }
        for number in 0..<3 {
            #expect(suggestions("http://a:80/\(number)", 1) == 1)
            history.note("http://a:80/\(number)", hadPreview: false)
        }
        #expect(suggestions("http://a:80/x", 100) == 2)
        #expect(suggestions("http://a:81/x", 100) == 100)
        #expect(suggestions("https://a:80/x", 100) == 100)
        history.note("http://a:80/y", hadPreview: true)
        #expect(suggestions("http://a:80", 100) == 100)
    }

    @Test func `records are bounded`() {
        var history = PrefixHistory()
        for _ in 0..<3 { history.note("http://first/", hadPreview: false) }
        for number in 0..<2_000 { history.note("http://\(number)/", hadPreview: false) }
        let isForgotten = history.suggestsPrefix(of: "http://first/")
        #expect(isForgotten)
    }
}
