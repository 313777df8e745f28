import FoundationEssentials
import Glibc
import Images
import Logging
import Origins
import Renditions
import Testing

@testable import Loading

/// Promises 10 and 11: what is cached is whole, within its budget, and revalidated.
@Suite(.timeLimit(.minutes(1))) struct CachePromiseTests {
    @Test func `a rendition is rendered once, and found in memory and after a restart`() async throws {
        let house = try TestHouse()
        let version = house.write(picture(20), to: 1)
        let image = house.local(1, version: version)
        let first = await house.load(image).bytes
        #expect(house.loader.cached(LoadRequest(image: image, rendition: .tile, format: .webp)) == first)
        #expect(house.loader.cached(LoadRequest(image: image, rendition: .preview, format: .webp)) != nil, "on the way")
        await house.close()
        let again = try TestHouse(in: house.folder)
        #expect(await again.load(image).bytes == first)
        #expect(again.renderer.renders.count == 0 && again.opened.count == 0)
        await again.close()
    }

    @Test func `a changed file is never answered with the bytes of the old one, whatever the catalog believes`()
        async throws
    {
        let house = try TestHouse()
        let old = house.write([1], to: 1)
        _ = await house.load(house.local(1, version: old))
        let new = house.write([2, 2], to: 1)
        // The catalog still names the old content, which is cached: that is what was asked for.
        #expect(await house.load(house.local(1, version: old)).bytes?.version == old)
        // Of a rendition never made, only the new content can be had; it says so.
        let screen = await house.load(house.local(1, version: old), .screen).bytes
        #expect(screen?.version == new && screen?.bytes == MockWorkers.picture(.screen, .webp, of: [2, 2]))
        #expect(house.learned.all.contains { $0.1 == new })
        #expect(await house.load(house.local(1, version: new)).bytes?.bytes.suffix(2) == [2, 2])
        await house.close()
    }

    @Test func `a file that changes while it is rendered is rendered anew`() async throws {
        let house = try TestHouse()
        house.renderer.isHeld = true
        house.write([1], to: 1)
        let results = Recorder<TestHouse.Outcome>()
        house.load(house.local(1), .screen, into: results)
        _ = await house.renderer.renders.element(0)
        let new = house.write([2, 2], to: 1)
        house.renderer.isHeld = false
        let tile = await results.element(0).bytes
        #expect(tile?.version == new && tile?.bytes == MockWorkers.picture(.screen, .webp, of: [2, 2]))
        await house.close()
    }

    @Test func `a broken database is set aside and begun anew`() async throws {
        let house = try TestHouse()
        let image = house.local(1, version: house.write(picture(20), to: 1))
        _ = await house.load(image)
        await house.close()
        let path = house.folder + "/cache/renditions.sqlite"
        let file = open(path, O_WRONLY | O_TRUNC)
        let rubbish = [UInt8](repeating: 0x5a, count: 20_000)
        _ = write(file, rubbish, rubbish.count)
        close(file)
        for suffix in ["-wal", "-shm"] { unlink(path + suffix) }
        let again = try TestHouse(in: house.folder)
        #expect(await again.load(image).bytes != nil)
        #expect(access(path + ".broken", F_OK) == 0)
        await again.close()
    }

    @Test func `the budgets of tiles and of originals hold, apart from each other`() async throws {
        let house = try TestHouse {
            $0.tileBytes = 5_000
            $0.originalBytes = 10_000
            $0.memoryBytes = 0
        }
        for id in 0..<40 as Range<UInt64> {
            async let tile = house.load(house.remote(id))
            await house.origins.fetches.element(Int(id)).answer(picture(900))
            #expect(await tile.bytes != nil)
        }
        let path = house.folder + "/cache/originals/kept"
        #expect(names(in: path).count <= 11)
        await house.close()
        let database = try CacheDatabase(
            path: house.folder + "/cache/renditions.sqlite", logger: Logger(label: "test"))
        let lane = BlockingLane(label: "test", threads: 1)
        let stored = TileStore(database: database, budget: 5_000, lane: lane).storedBytes()
        #expect(stored > 0 && stored <= 5_000)
        database.close()
    }

    @Test func `what kill -9 leaves behind at any byte is never served`() async throws {
        let house = try TestHouse()
        async let first = house.load(house.remote(1), .original)
        await house.origins.fetches.element(0).answer(Array("short".utf8))
        _ = await first
        async let second = house.load(house.remote(2))
        await house.origins.fetches.element(1).answer(picture(5_000))
        _ = await second
        await house.close()
        let originals = house.folder + "/cache/originals"
        // Half written and not moved in; moved in and not in the database; in the database and shorter than its row.
        put(picture(100), at: originals + "/incoming/tessera-half")
        put(picture(100), at: originals + "/kept/0000000000001.0000000000001")
        for name in names(in: originals + "/kept") { truncate(originals + "/kept/" + name, 40) }
        let again = try TestHouse(in: house.folder)
        #expect(names(in: originals + "/incoming").isEmpty)
        async let whole = again.load(again.remote(2), .screen)
        await again.origins.fetches.element(0).answer(picture(5_000))
        #expect(await whole.bytes?.bytes == MockWorkers.picture(.screen, .webp, of: picture(5_000)))
        await again.close()
    }

    @Test func `a reader of an evicted original reads it to its end`() async throws {
        let house = try TestHouse { $0.originalBytes = 1_000 }
        async let first = house.load(house.remote(1))
        await house.origins.fetches.element(0).answer(picture(900))
        _ = await first
        let file = try #require(await house.load(house.remote(1), .original).file)
        async let second = house.load(house.remote(2))
        await house.origins.fetches.element(1).answer(picture(900))
        _ = await second
        #expect(names(in: house.folder + "/cache/originals/kept").count == 1)
        #expect(try file.descriptor.read(10_000, at: 0) == picture(900))
        await house.close()
    }

    @Test func `many stale hits make one conditional request, and an unchanged picture is not rendered again`()
        async throws
    {
        let house = try TestHouse()
        async let first = house.load(house.remote(1))
        await house.origins.fetches.element(0).answer(picture(50), tag: "\"a\"", freshFor: .seconds(10))
        let before = await first.bytes
        let renders = house.renderer.renders.count
        #expect(await house.load(house.remote(1)).bytes == before)
        house.time.pass(.seconds(11))
        #expect(house.loader.cached(LoadRequest(image: house.remote(1), rendition: .tile, format: .webp)) == nil)
        let results = Recorder<TestHouse.Outcome>()
        for _ in 0..<50 { house.load(house.remote(1), into: results) }
        let fetch = await house.origins.fetches.element(1)
        #expect(fetch.request.revalidate?.entityTag == "\"a\"")
        await house.loader.coordinator.settled()
        fetch.send(.notModified(.of(nil, tag: "\"a\"", freshFor: .seconds(10))))
        #expect(await results.first(50).allSatisfy { $0.bytes == before })
        #expect(house.origins.fetches.count == 2 && house.renderer.renders.count == renders)
        #expect(house.loader.cached(LoadRequest(image: house.remote(1), rendition: .tile, format: .webp)) == before)
        await house.close()
    }

    @Test func `a changed picture gets a new version, and its old renditions are not served`() async throws {
        let house = try TestHouse()
        async let first = house.load(house.remote(1))
        await house.origins.fetches.element(0).answer(picture(50), tag: "\"a\"", freshFor: .zero)
        let before = await first.bytes
        async let second = house.load(house.remote(1))
        await house.origins.fetches.element(1).answer(picture(50, seed: 3), tag: "\"b\"")
        let after = await second.bytes
        #expect(after?.version != before?.version)
        #expect(after?.bytes == MockWorkers.picture(.tile, .webp, of: picture(50, seed: 3)))
        #expect(house.learned.all.contains { $0.1 == after?.version })
        await house.close()
    }

    @Test func `when the origin fails, what is kept is served and says that it is stale`() async throws {
        let house = try TestHouse()
        async let first = house.load(house.remote(1))
        await house.origins.fetches.element(0).answer(picture(50), freshFor: .zero)
        #expect(await first.bytes?.isStale == false)
        async let second = house.load(house.remote(1))
        await house.origins.fetches.element(1).send(.failed(OriginError(.unreachable, logDetail: "")))
        #expect(await second.bytes?.isStale == true)
        async let screen = house.load(house.remote(1), .screen)
        await house.origins.fetches.element(2).send(.failed(OriginError(.unreachable, logDetail: "")))
        #expect(await screen.bytes?.isStale == true)
        // Those who join the fetch late are served as well.
        let results = Recorder<TestHouse.Outcome>()
        house.load(house.remote(1), into: results)
        let fetch = await house.origins.fetches.element(3)
        house.load(house.remote(1), .screen, into: results)
        await house.reached { $0.jobs == 2 }
        fetch.send(.failed(OriginError(.unreachable, logDetail: "")))
        #expect(await results.first(2).allSatisfy { $0.bytes?.isStale == true })
        await house.close()
    }

    @Test func `what its origin forbade to use stale is not, until the origin allows it`() async throws {
        let house = try TestHouse()
        async let first = house.load(house.remote(1))
        await house.origins.fetches.element(0).answer(picture(50), freshFor: .zero, mustRevalidate: true)
        let before = await first.bytes
        // A 304 that says nothing of caching leaves in force what was said before (RFC 9111 §4.3.4).
        async let second = house.load(house.remote(1))
        await house.origins.fetches.element(1).send(.notModified(.of(nil, freshFor: .zero)))
        #expect(await second.bytes == before)
        async let third = house.load(house.remote(1))
        await house.origins.fetches.element(2).send(.failed(OriginError(.unreachable, logDetail: "")))
        #expect(await third.failure != nil)
        house.time.pass(.seconds(3_600))
        async let fourth = house.load(house.remote(1))
        await house.origins.fetches.element(3).send(.notModified(.of(nil, freshFor: .zero, mustRevalidate: false)))
        #expect(await fourth.bytes == before)
        async let fifth = house.load(house.remote(1))
        await house.origins.fetches.element(4).send(.failed(OriginError(.unreachable, logDetail: "")))
        #expect(await fifth.bytes?.isStale == true)
        await house.close()
    }

    @Test func `tiles outlive their original: unchanged at the origin, another rendition fetches it anew`()
        async throws
    {
        let house = try TestHouse { $0.originalBytes = 0 }
        async let first = house.load(house.remote(1))
        await house.origins.fetches.element(0).answer(picture(50), freshFor: .zero)
        let before = await first.bytes
        async let second = house.load(house.remote(1))
        await house.origins.fetches.element(1).send(.notModified(.of(nil, freshFor: .zero)))
        #expect(await second.bytes == before)
        async let screen = house.load(house.remote(1), .screen)
        await house.origins.fetches.element(2).send(.notModified(.of(nil, freshFor: .zero)))
        let fetch = await house.origins.fetches.element(3)
        #expect(fetch.request.revalidate == nil)
        fetch.answer(picture(50))
        #expect(await screen.bytes?.bytes == MockWorkers.picture(.screen, .webp, of: picture(50)))
        await house.close()
    }

    @Test func `what its origin forbids to store is neither kept on disk nor in memory`() async throws {
        let house = try TestHouse()
        async let first = house.load(house.remote(1))
        await house.origins.fetches.element(0).answer(picture(50), mayStore: false)
        #expect(await first.bytes != nil)
        #expect(house.loader.cached(LoadRequest(image: house.remote(1), rendition: .tile, format: .webp)) == nil)
        #expect(names(in: house.folder + "/cache/originals/kept").isEmpty)
        #expect(names(in: house.folder + "/cache/originals/incoming").isEmpty)
        async let second = house.load(house.remote(1))
        await house.origins.fetches.element(1).answer(picture(50), mayStore: false)
        #expect(await second.bytes != nil)
        await house.close()
    }

    private func names(in folder: String) -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    }

    private func put(_ bytes: [UInt8], at path: String) {
        let file = open(path, O_WRONLY | O_CREAT, 0o600)
        _ = write(file, bytes, bytes.count)
        close(file)
    }
}
