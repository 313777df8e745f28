import BlockingIO
import FoundationEssentials
import Glibc
import Images
import Logging
import Origins
import Renditions
import Testing

@testable import Loading

/// Promises 10 and 11: cached content is complete, within its budget, and revalidated.
@Suite(.timeLimit(.minutes(1))) struct CachePromiseTests {
    @Test func `a rendition is rendered once, and found in memory and after a restart`() async throws {
        let fixture = try LoaderFixture()
        let version = fixture.write(picture(20), to: 1)
        let image = fixture.local(1, version: version)
        let first = await fixture.load(image).bytes
        #expect(fixture.loader.cached(LoadRequest(image: image, rendition: .tile, format: .webp)) == first)
        #expect(
            fixture.loader.cached(LoadRequest(image: image, rendition: .preview, format: .webp)) != nil,
            "the preview is rendered with the tile")
        await fixture.close()
        let again = try LoaderFixture(in: fixture.folder)
        #expect(await again.load(image).bytes == first)
        #expect(again.renderer.renders.count == 0 && again.opened.count == 0)
        await again.close()
    }

    @Test func `each rendition of a changed file matches the version it is labelled with`() async throws {
        let fixture = try LoaderFixture()
        let old = fixture.write([1], to: 1)
        _ = await fixture.load(fixture.local(1, version: old))
        let new = fixture.write([2, 2], to: 1)
        // The catalog still names the old content, which is cached, so the request gets that.
        #expect(await fixture.load(fixture.local(1, version: old)).bytes?.version == old)
        // For a rendition that was never made, only the new content is available. The result names its version.
        let screen = await fixture.load(fixture.local(1, version: old), .screen).bytes
        #expect(screen?.version == new && screen?.bytes == MockWorkers.picture(.screen, .webp, of: [2, 2]))
        #expect(fixture.learned.all.contains { $0.1 == new })
        #expect(await fixture.load(fixture.local(1, version: new)).bytes?.bytes.suffix(2) == [2, 2])
        await fixture.close()
    }

    @Test func `an image that has left the gallery is no longer served from memory, despite loads in flight`()
        async throws
    {
        let fixture = try LoaderFixture()
        let images = (0..<3).map { number in
            fixture.local(number, version: fixture.write(picture(20), to: number))
        }
        for image in images.prefix(2) { _ = await fixture.load(image) }
        fixture.renderer.isHeld = true
        let results = Recorder<LoaderFixture.Outcome>()
        fixture.load(images[2], into: results)
        _ = await fixture.renderer.renders.element(2)
        func cached(_ image: GalleryImage) -> [RenditionBytes] {
            guard let version = image.version else { return [] }
            return [Rendition.preview, .tile].compactMap {
                fixture.loader.cached(image.id, version: version, rendition: $0, format: .webp)
            }
        }
        #expect(images.prefix(2).allSatisfy { cached($0).count == 2 })
        fixture.loader.forget([images[0].id, images[2].id])
        fixture.renderer.isHeld = false
        #expect(await results.element(0).bytes != nil, "the load that had begun still ends")
        #expect(images.map { cached($0).count } == [0, 2, 0])
        await fixture.close()
    }

    @Test func `a file that changes during its render is rendered again`() async throws {
        let fixture = try LoaderFixture()
        fixture.renderer.isHeld = true
        fixture.write([1], to: 1)
        let results = Recorder<LoaderFixture.Outcome>()
        fixture.load(fixture.local(1), .screen, into: results)
        _ = await fixture.renderer.renders.element(0)
        let new = fixture.write([2, 2], to: 1)
        fixture.renderer.isHeld = false
        let tile = await results.element(0).bytes
        #expect(tile?.version == new && tile?.bytes == MockWorkers.picture(.screen, .webp, of: [2, 2]))
        await fixture.close()
    }

    @Test func `a corrupt database is set aside and replaced`() async throws {
        let fixture = try LoaderFixture()
        let image = fixture.local(1, version: fixture.write(picture(20), to: 1))
        _ = await fixture.load(image)
        await fixture.close()
        let path = fixture.folder + "/cache/renditions.sqlite"
        let file = open(path, O_WRONLY | O_TRUNC)
        let rubbish = [UInt8](repeating: 0x5a, count: 20_000)
        _ = write(file, rubbish, rubbish.count)
        close(file)
        for suffix in ["-wal", "-shm"] { unlink(path + suffix) }
        let again = try LoaderFixture(in: fixture.folder)
        #expect(await again.load(image).bytes != nil)
        #expect(access(path + ".broken", F_OK) == 0)
        await again.close()
    }

    @Test func `tiles and originals each stay within a budget of their own`() async throws {
        let fixture = try LoaderFixture {
            $0.tileBytes = 5_000
            $0.originalBytes = 10_000
            $0.memoryBytes = 0
        }
        for id in 0..<40 as Range<UInt64> {
            async let tile = fixture.load(fixture.remote(id))
            await fixture.origins.fetches.element(Int(id)).answer(picture(900))
            #expect(await tile.bytes != nil)
        }
        let path = fixture.folder + "/cache/originals/kept"
        #expect(names(in: path).count <= 11)
        await fixture.close()
        let database = try CacheDatabase(
            path: fixture.folder + "/cache/renditions.sqlite", logger: Logger(label: "test"))
        let pool = BlockingPool(label: "test", threads: 1)
        let stored = TileCache(database: database, budget: 5_000, pool: pool).storedBytes()
        #expect(stored > 0 && stored <= 5_000)
        database.close()
    }

    @Test func `incomplete files left behind by a crash are never served`() async throws {
        let fixture = try LoaderFixture()
        async let first = fixture.load(fixture.remote(1), .original)
        await fixture.origins.fetches.element(0).answer(Array("short".utf8))
        _ = await first
        async let second = fixture.load(fixture.remote(2))
        await fixture.origins.fetches.element(1).answer(picture(5_000))
        _ = await second
        await fixture.close()
        let originals = fixture.folder + "/cache/originals"
        // Half written and not yet moved; moved but not in the database; in the database but shorter than its row
        // says.
        put(picture(100), at: originals + "/incoming/tessera-half")
        put(picture(100), at: originals + "/kept/0000000000001.0000000000001")
        for name in names(in: originals + "/kept") { truncate(originals + "/kept/" + name, 40) }
        let again = try LoaderFixture(in: fixture.folder)
        #expect(names(in: originals + "/incoming").isEmpty)
        async let whole = again.load(again.remote(2), .screen)
        await again.origins.fetches.element(0).answer(picture(5_000))
        #expect(await whole.bytes?.bytes == MockWorkers.picture(.screen, .webp, of: picture(5_000)))
        await again.close()
    }

    @Test func `a reader of an evicted original can read it to the end`() async throws {
        let fixture = try LoaderFixture { $0.originalBytes = 1_000 }
        async let first = fixture.load(fixture.remote(1))
        await fixture.origins.fetches.element(0).answer(picture(900))
        _ = await first
        let file = try #require(await fixture.load(fixture.remote(1), .original).file)
        async let second = fixture.load(fixture.remote(2))
        await fixture.origins.fetches.element(1).answer(picture(900))
        _ = await second
        #expect(names(in: fixture.folder + "/cache/originals/kept").count == 1)
        #expect(try file.descriptor.read(10_000, at: 0) == picture(900))
        await fixture.close()
    }

    @Test func `many stale hits share one conditional request, and an unchanged image is not rendered again`()
        async throws
    {
        let fixture = try LoaderFixture()
        async let first = fixture.load(fixture.remote(1))
        await fixture.origins.fetches.element(0).answer(picture(50), tag: "\"a\"", freshFor: .seconds(10))
        let before = await first.bytes
        let renders = fixture.renderer.renders.count
        #expect(await fixture.load(fixture.remote(1)).bytes == before)
        fixture.time.pass(.seconds(11))
        #expect(fixture.loader.cached(LoadRequest(image: fixture.remote(1), rendition: .tile, format: .webp)) == nil)
        let results = Recorder<LoaderFixture.Outcome>()
        for _ in 0..<50 { fixture.load(fixture.remote(1), into: results) }
        let fetch = await fixture.origins.fetches.element(1)
        #expect(fetch.request.revalidate?.entityTag == "\"a\"")
        await fixture.loader.coordinator.settled()
        fetch.send(.notModified(.of(nil, tag: "\"a\"", freshFor: .seconds(10))))
        #expect(await results.first(50).allSatisfy { $0.bytes == before })
        #expect(fixture.origins.fetches.count == 2 && fixture.renderer.renders.count == renders)
        #expect(fixture.loader.cached(LoadRequest(image: fixture.remote(1), rendition: .tile, format: .webp)) == before)
        await fixture.close()
    }

    @Test func `a changed image gets a new version, and its old renditions are not served`() async throws {
        let fixture = try LoaderFixture()
        async let first = fixture.load(fixture.remote(1))
        await fixture.origins.fetches.element(0).answer(picture(50), tag: "\"a\"", freshFor: .zero)
        let before = await first.bytes
        async let second = fixture.load(fixture.remote(1))
        await fixture.origins.fetches.element(1).answer(picture(50, seed: 3), tag: "\"b\"")
        let after = await second.bytes
        #expect(after?.version != before?.version)
        #expect(after?.bytes == MockWorkers.picture(.tile, .webp, of: picture(50, seed: 3)))
        #expect(fixture.learned.all.contains { $0.1 == after?.version })
        await fixture.close()
    }

    @Test func `when the origin fails, cached content is served and marked stale`() async throws {
        let fixture = try LoaderFixture()
        async let first = fixture.load(fixture.remote(1))
        await fixture.origins.fetches.element(0).answer(picture(50), freshFor: .zero)
        #expect(await first.bytes?.isStale == false)
        async let second = fixture.load(fixture.remote(1))
        await fixture.origins.fetches.element(1).send(.failed(OriginError(.unreachable, logDetail: "")))
        #expect(await second.bytes?.isStale == true)
        async let screen = fixture.load(fixture.remote(1), .screen)
        await fixture.origins.fetches.element(2).send(.failed(OriginError(.unreachable, logDetail: "")))
        #expect(await screen.bytes?.isStale == true)
        // Waiters that join the fetch late are served as well.
        let results = Recorder<LoaderFixture.Outcome>()
        fixture.load(fixture.remote(1), into: results)
        let fetch = await fixture.origins.fetches.element(3)
        fixture.load(fixture.remote(1), .screen, into: results)
        await fixture.reached { $0.jobs == 2 }
        fetch.send(.failed(OriginError(.unreachable, logDetail: "")))
        #expect(await results.first(2).allSatisfy { $0.bytes?.isStale == true })
        await fixture.close()
    }

    @Test func `stale content is not used while its origin requires revalidation`() async throws {
        let fixture = try LoaderFixture()
        async let first = fixture.load(fixture.remote(1))
        await fixture.origins.fetches.element(0).answer(picture(50), freshFor: .zero, mustRevalidate: true)
        let before = await first.bytes
        // A 304 without caching directives leaves the earlier ones in force (RFC 9111 §4.3.4).
        async let second = fixture.load(fixture.remote(1))
        await fixture.origins.fetches.element(1).send(.notModified(.of(nil, freshFor: .zero)))
        #expect(await second.bytes == before)
        async let third = fixture.load(fixture.remote(1))
        await fixture.origins.fetches.element(2).send(.failed(OriginError(.unreachable, logDetail: "")))
        #expect(await third.failure != nil)
        fixture.time.pass(.seconds(3_600))
        async let fourth = fixture.load(fixture.remote(1))
        await fixture.origins.fetches.element(3).send(.notModified(.of(nil, freshFor: .zero, mustRevalidate: false)))
        #expect(await fourth.bytes == before)
        async let fifth = fixture.load(fixture.remote(1))
        await fixture.origins.fetches.element(4).send(.failed(OriginError(.unreachable, logDetail: "")))
        #expect(await fifth.bytes?.isStale == true)
        await fixture.close()
    }

    @Test func `a tile outlives its original, which another rendition fetches again`() async throws {
        let fixture = try LoaderFixture { $0.originalBytes = 0 }
        async let first = fixture.load(fixture.remote(1))
        await fixture.origins.fetches.element(0).answer(picture(50), freshFor: .zero)
        let before = await first.bytes
        async let second = fixture.load(fixture.remote(1))
        await fixture.origins.fetches.element(1).send(.notModified(.of(nil, freshFor: .zero)))
        #expect(await second.bytes == before)
        async let screen = fixture.load(fixture.remote(1), .screen)
        await fixture.origins.fetches.element(2).send(.notModified(.of(nil, freshFor: .zero)))
        let fetch = await fixture.origins.fetches.element(3)
        #expect(fetch.request.revalidate == nil)
        fetch.answer(picture(50))
        #expect(await screen.bytes?.bytes == MockWorkers.picture(.screen, .webp, of: picture(50)))
        await fixture.close()
    }

    @Test func `content its origin forbids storing is kept neither on disk nor in memory`() async throws {
        let fixture = try LoaderFixture()
        async let first = fixture.load(fixture.remote(1))
        await fixture.origins.fetches.element(0).answer(picture(50), mayStore: false)
        #expect(await first.bytes != nil)
        #expect(fixture.loader.cached(LoadRequest(image: fixture.remote(1), rendition: .tile, format: .webp)) == nil)
        #expect(names(in: fixture.folder + "/cache/originals/kept").isEmpty)
        #expect(names(in: fixture.folder + "/cache/originals/incoming").isEmpty)
        async let second = fixture.load(fixture.remote(1))
        await fixture.origins.fetches.element(1).answer(picture(50), mayStore: false)
        #expect(await second.bytes != nil)
        await fixture.close()
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
