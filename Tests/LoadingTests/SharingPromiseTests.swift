import Images
import Origins
import Renditions
import Scheduling
import Testing

@testable import Loading

/// Work for several nodes is done once.
@Suite(.timeLimit(.minutes(1))) struct SharingPromiseTests {
    private let others = MockCoordination()
    private let tile = SharedName(image: ImageID(rawValue: 1), version: nil, rendition: .tile, format: .webp)
    private let preview = SharedName(image: ImageID(rawValue: 1), version: nil, rendition: .preview, format: .webp)
    private let missing = LoadFailure(status: 404, publicMessage: "Gone.", isPermanent: true)

    /// A rendition of a remote image that another node has made.
    private func shared(_ fixture: LoaderFixture) -> SharedRendition {
        var metadata = ImageMetadata()
        metadata.width = 640
        let version = ContentVersion(rawValue: 5)
        return SharedRendition(
            tile: RenditionBytes(
                bytes: [1, 2, 3], mediaType: "image/webp", version: version, width: 320, height: 160),
            original: SharedOriginal(
                version: version, validators: Validators(entityTag: "\"5\""), length: 99,
                freshUntil: fixture.time.secondsSince1970() + 60, mustRevalidate: false, metadata: metadata))
    }

    @Test func `a rendition in the shared tier is used, with its metadata, instead of being made`() async throws {
        let fixture = try LoaderFixture(others: others)
        others[tile] = shared(fixture)
        #expect(await fixture.load(fixture.remote(1)).bytes?.bytes == [1, 2, 3])
        #expect(fixture.origins.fetches.count == 0)
        #expect(others.asked.count == 0)
        #expect(await fixture.learned.element(0) == (ImageID(rawValue: 1), ContentVersion(rawValue: 5)))
        // From then on it is also in the caches of this node.
        others[tile] = nil
        #expect(await fixture.load(fixture.remote(1)).bytes?.bytes == [1, 2, 3])
        #expect(others.looks.count == 1)
        await fixture.close()
    }

    @Test func `loads that wait for another node fetch nothing and get that node's rendition`() async throws {
        let fixture = try LoaderFixture(others: others)
        let results = Recorder<LoaderFixture.Outcome>()
        for _ in 0..<20 { fixture.load(fixture.remote(1), into: results) }
        let turn = await others.asked.element(0)
        #expect(turn.level == .visible && !turn.bypassesNegativeCache)
        #expect(fixture.origins.fetches.count == 0)
        others[tile] = shared(fixture)
        turn.announce(.made)
        #expect(await results.first(20).allSatisfy { $0.bytes?.bytes == [1, 2, 3] })
        #expect(others.asked.count == 1)
        #expect(fixture.origins.fetches.count == 0)
        #expect(await fixture.loader.coordinator.isEmpty())
        await fixture.close()
    }

    @Test func `the lease holder looks again, makes the rendition, and reports it once it is shared`() async throws {
        let fixture = try LoaderFixture(others: others)
        let results = Recorder<LoaderFixture.Outcome>()
        fixture.load(fixture.remote(1), into: results)
        let turn = await others.asked.element(0)
        turn.announce(.granted(fence: 7))
        await fixture.origins.fetches.element(0).answer(picture(100))
        #expect(others.looks.count == 2)
        #expect(await results.element(0).bytes != nil)
        #expect(await turn.outcomes.element(0) == .made)
        let kept = await others.kept.element(0)
        #expect(kept.name == tile && kept.fence == 7)
        #expect(kept.rendition.tile == results.all[0].bytes)
        #expect(kept.rendition.original?.validators.entityTag == "\"1\"")
        #expect(kept.rendition.original?.metadata?.width == 4_000)
        await fixture.close()
    }

    @Test func `other nodes are not told of a rendition that the shared tier has no room for`() async throws {
        let fixture = try LoaderFixture(others: others)
        others.hasRoom = false
        fixture.load(fixture.remote(1), into: Recorder())
        let turn = await others.asked.element(0)
        turn.announce(.granted(fence: 7))
        let fetch = await fixture.origins.fetches.element(0)
        turn.announce(.requested(preview, level: .visible))
        let second = await others.asked.element(1)
        second.announce(.granted(fence: 7))
        await fixture.loader.coordinator.settled()
        fetch.answer(picture(100))
        for each in [turn, second] { #expect(await each.outcomes.element(0) == .abandoned) }
        #expect(await others.unshared.element(0) == preview)
        #expect(others.told.count == 0)
        await fixture.close()
    }

    @Test func `a rendition that another node made before the lease was granted is not made again`() async throws {
        let fixture = try LoaderFixture(others: others)
        let results = Recorder<LoaderFixture.Outcome>()
        fixture.load(fixture.remote(1), into: results)
        let turn = await others.asked.element(0)
        others[tile] = shared(fixture)
        turn.announce(.granted(fence: 7))
        #expect(await results.element(0).bytes?.bytes == [1, 2, 3])
        #expect(await turn.outcomes.element(0) == .made)
        #expect(fixture.origins.fetches.count == 0)
        await fixture.close()
    }

    @Test func `a single node requests no lease, and a load that loses the cluster continues alone`() async throws {
        let fixture = try LoaderFixture(others: others)
        fixture.origins.answer = { _ in picture(100) }
        others.isSingleNode = true
        #expect(await fixture.load(fixture.remote(1)).bytes != nil)
        #expect(others.looks.count == 0 && others.asked.count == 0)
        others.isSingleNode = false
        let results = Recorder<LoaderFixture.Outcome>()
        fixture.load(fixture.remote(2), into: results)
        await others.asked.element(0).announce(.alone)
        #expect(await results.element(0).bytes != nil)
        #expect(others.kept.count == 0)
        await fixture.close()
    }

    @Test func `a single node also reads from a shared tier that serves it, and stores there`() async throws {
        let fixture = try LoaderFixture(others: others)
        others.isSingleNode = true
        others.servesSingleNode = true
        fixture.origins.answer = { _ in picture(100) }
        #expect(await fixture.load(fixture.remote(1)).bytes != nil)
        #expect(others.looks.all == [tile])
        let kept = await others.kept.element(0)
        #expect(kept.name == tile && kept.fence == 0)
        others[SharedName(image: ImageID(rawValue: 2), version: nil, rendition: .tile, format: .webp)] = shared(fixture)
        #expect(await fixture.load(fixture.remote(2)).bytes?.bytes == [1, 2, 3])
        #expect(fixture.origins.fetches.count == 1)
        #expect(others.kept.count == 1, "a rendition found there is not stored again")
        #expect(await fixture.loader.coordinator.isEmpty())
        await fixture.close()
    }

    @Test func `a lookup for a bucket object passes on the version from its listing`() async throws {
        let fixture = try LoaderFixture(others: others)
        others.isSingleNode = true
        others.servesSingleNode = true
        let version = ContentVersion(rawValue: 5)
        let object = GalleryImage(
            id: ImageID(rawValue: 1), name: "1", location: .object(bucket: 0, path: "1", url: "http://store/1"),
            version: version, metadata: ImageMetadata())
        others[tile] = SharedRendition(tile: shared(fixture).tile)
        #expect(await fixture.load(object).bytes?.bytes == [1, 2, 3])
        #expect(others.listed.all == [version] && fixture.origins.fetches.count == 0)
        await fixture.close()
    }

    @Test func `another node's failure is reported and remembered, and an explicit retry bypasses it`() async throws {
        let fixture = try LoaderFixture(others: others)
        let results = Recorder<LoaderFixture.Outcome>()
        fixture.load(fixture.remote(1), into: results)
        await others.asked.element(0).announce(.failed(missing))
        #expect(await results.element(0).failure?.status == 404)
        #expect(await fixture.load(fixture.remote(1)).failure?.status == 404)
        #expect(others.asked.count == 1)
        fixture.load(fixture.remote(1), retry: true, into: results)
        #expect(await others.asked.element(1).bypassesNegativeCache)
        await others.asked.element(1).announce(.granted(fence: 8))
        await fixture.origins.fetches.element(0).answer(picture(100))
        #expect(await results.element(1).bytes != nil)
        await fixture.close()
    }

    @Test func `an origin's failure is shared with other nodes, and a local failure is not`() async throws {
        let fixture = try LoaderFixture(others: others)
        let results = Recorder<LoaderFixture.Outcome>()
        for (id, error) in [
            (1 as UInt64, OriginError(.status(404), logDetail: "")), (2, OriginError(.stopped, logDetail: "")),
        ] {
            fixture.load(fixture.remote(id), into: results)
            let turn = await others.asked.element(Int(id) - 1)
            turn.announce(.granted(fence: id))
            await fixture.origins.fetches.element(Int(id) - 1).send(.failed(error))
            let outcome = await turn.outcomes.element(0)
            if id == 1 {
                guard case .failed(let failure) = outcome else {
                    Issue.record("no failure was reported")
                    return
                }
                #expect(failure.status == 404)
            } else {
                #expect(outcome == .abandoned)
            }
        }
        await fixture.close()
    }

    @Test func `content its origin forbids storing is not shared either`() async throws {
        let fixture = try LoaderFixture(others: others)
        let results = Recorder<LoaderFixture.Outcome>()
        fixture.load(fixture.remote(1), into: results)
        let turn = await others.asked.element(0)
        turn.announce(.granted(fence: 7))
        turn.announce(.requested(tile, level: .visible))
        await fixture.loader.coordinator.settled()
        await fixture.origins.fetches.element(0).answer(picture(100), mayStore: false)
        #expect(await results.element(0).bytes != nil)
        #expect(await turn.outcomes.element(0) == .abandoned)
        #expect(await fixture.loader.coordinator.isEmpty())
        #expect(others.kept.count == 0 && others.told.count == 0)
        await fixture.close()
    }

    @Test func `the last waiter to cancel gives up the lease, in every stage`() async throws {
        let fixture = try LoaderFixture(others: others)
        let results = Recorder<LoaderFixture.Outcome>()
        let waiting = fixture.load(fixture.remote(1), into: results)
        _ = await others.asked.element(0)
        waiting.cancel()
        let handle = fixture.load(fixture.remote(2), into: results)
        await others.asked.element(1).announce(.granted(fence: 7))
        let fetch = await fixture.origins.fetches.element(0)
        handle.cancel()
        #expect(await fetch.steering.element(0) == .cancel)
        for each in others.asked.all { #expect(await each.outcomes.element(0) == .abandoned) }
        #expect(results.count == 0)
        #expect(await fixture.loader.coordinator.isEmpty())
        await fixture.close()
    }

    @Test func `renditions for other nodes share the fetch and continue when local waiters have left`() async throws {
        let fixture = try LoaderFixture(others: others)
        let results = Recorder<LoaderFixture.Outcome>()
        let handle = fixture.load(fixture.remote(1), into: results)
        let turn = await others.asked.element(0)
        turn.announce(.granted(fence: 7))
        let fetch = await fixture.origins.fetches.element(0)
        for name in [tile, preview] { turn.announce(.requested(name, level: .prefetch)) }
        let second = await others.asked.element(1)
        #expect(second.name == preview && second.level == .prefetch)
        second.announce(.granted(fence: 7))
        await fixture.loader.coordinator.settled()
        handle.cancel()
        fetch.answer(picture(100))
        for each in [turn, second] { #expect(await each.outcomes.element(0) == .made) }
        #expect(Set(others.kept.all.map(\.name)) == [tile, preview])
        #expect(Set(await others.told.first(2)) == [tile, preview])
        #expect(fixture.origins.fetches.count == 1)
        #expect(results.count == 0)
        #expect(await fixture.loader.coordinator.isEmpty())
        await fixture.close()
    }

    @Test func `a fetch stops once neither local waiters nor other nodes want it`() async throws {
        let fixture = try LoaderFixture(others: others)
        let handle = fixture.load(fixture.remote(1), into: Recorder())
        let turn = await others.asked.element(0)
        turn.announce(.granted(fence: 7))
        let fetch = await fixture.origins.fetches.element(0)
        turn.announce(.requested(tile, level: .visible))
        await fixture.loader.coordinator.settled()
        handle.cancel()
        await fixture.loader.coordinator.settled()
        #expect(!fetch.steering.all.contains(.cancel), "another node still wants it")
        turn.announce(.requestWithdrawn(tile))
        // The job receives the event, and then leaves the fetch like any other.
        for _ in 0..<2 { await fixture.loader.coordinator.settled() }
        #expect(fetch.steering.all.last == .cancel)
        #expect(await turn.outcomes.element(0) == .abandoned)
        #expect(await fixture.loader.coordinator.isEmpty())
        await fixture.close()
    }

    @Test func `a rendition reported as made but never found is finally made locally`() async throws {
        let fixture = try LoaderFixture(others: others)
        fixture.origins.answer = { _ in picture(100) }
        let results = Recorder<LoaderFixture.Outcome>()
        fixture.load(fixture.remote(1), into: results)
        for round in 0..<4 { await others.asked.element(round).announce(.made) }
        #expect(await results.element(0).bytes != nil)
        #expect(others.asked.count == 4)
        await fixture.close()
    }

    @Test func `originals and full-size renditions are loaded without coordination`() async throws {
        let fixture = try LoaderFixture(others: others)
        fixture.origins.answer = { _ in picture(100) }
        for rendition in [Rendition.original, .full] {
            #expect(await fixture.load(fixture.remote(1), rendition).failure == nil)
        }
        #expect(others.looks.count == 0 && others.asked.count == 0)
        await fixture.close()
    }

    @Test func `a node with the cached original does not wait for a node that fetches it`() async throws {
        let fixture = try LoaderFixture(others: others)
        others.isSingleNode = true
        fixture.origins.answer = { _ in picture(100) }
        let original = await fixture.load(fixture.remote(1), .original)
        // Closing it before it is complete would end its fetch.
        if let growing = original.partialOriginal { _ = try await growing.rest() }
        await fixture.loader.coordinator.reached { $0.fetches == 0 }
        others.isSingleNode = false
        fixture.load(fixture.remote(1), into: Recorder())
        #expect(await others.asked.element(0).name.version != nil)
        await fixture.close()
    }

    @Test func `a shutdown gives up all leases`() async throws {
        let fixture = try LoaderFixture(others: others)
        let results = Recorder<LoaderFixture.Outcome>()
        for id in 1...2 as ClosedRange<UInt64> { fixture.load(fixture.remote(id), into: results) }
        let turns = await others.asked.first(2)
        turns[0].announce(.granted(fence: 1))
        _ = await fixture.origins.fetches.element(0)
        await fixture.close()
        for turn in turns { #expect(await turn.outcomes.element(0) == .abandoned) }
        #expect(results.count == 2)
    }
}
