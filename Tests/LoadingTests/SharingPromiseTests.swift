import Images
import Origins
import Renditions
import Scheduling
import Testing

@testable import Loading

/// What is made on several machines is made once.
@Suite(.timeLimit(.minutes(1))) struct SharingPromiseTests {
    private let others = MockOthers()
    private let tile = SharedName(image: ImageID(rawValue: 1), version: nil, rendition: .tile, format: .webp)
    private let preview = SharedName(image: ImageID(rawValue: 1), version: nil, rendition: .preview, format: .webp)
    private let missing = LoadFailure(status: 404, publicMessage: "Gone.", isPermanent: true)

    /// What another machine has made of a remote image.
    private func shared(_ house: TestHouse) -> SharedRendition {
        var facts = ImageFacts()
        facts.width = 640
        let version = ContentVersion(rawValue: 5)
        return SharedRendition(
            tile: RenditionBytes(
                bytes: [1, 2, 3], mediaType: "image/webp", version: version, width: 320, height: 160),
            original: SharedOriginal(
                version: version, validators: Validators(entityTag: "\"5\""), length: 99,
                freshUntil: house.time.secondsSince1970() + 60, mustRevalidate: false, facts: facts))
    }

    @Test func `what another machine has kept is neither fetched nor rendered, and is learnt from`() async throws {
        let house = try TestHouse(others: others)
        others[tile] = shared(house)
        #expect(await house.load(house.remote(1)).bytes?.bytes == [1, 2, 3])
        #expect(house.origins.fetches.count == 0)
        #expect(others.asked.count == 0)
        #expect(await house.learned.element(0) == (ImageID(rawValue: 1), ContentVersion(rawValue: 5)))
        // From then on it is here, too.
        others[tile] = nil
        #expect(await house.load(house.remote(1)).bytes?.bytes == [1, 2, 3])
        #expect(others.looks.count == 1)
        await house.close()
    }

    @Test func `who waits for another machine fetches nothing, and is given what that has made`() async throws {
        let house = try TestHouse(others: others)
        let results = Recorder<TestHouse.Outcome>()
        for _ in 0..<20 { house.load(house.remote(1), into: results) }
        let turn = await others.asked.element(0)
        #expect(turn.urgency == .visible && !turn.insists)
        #expect(house.origins.fetches.count == 0)
        others[tile] = shared(house)
        turn.tell(.made)
        #expect(await results.first(20).allSatisfy { $0.bytes?.bytes == [1, 2, 3] })
        #expect(others.asked.count == 1)
        #expect(house.origins.fetches.count == 0)
        #expect(await house.loader.coordinator.isEmpty())
        await house.close()
    }

    @Test func `who has the turn looks once more, makes it, and ends the turn when others can find it`() async throws {
        let house = try TestHouse(others: others)
        let results = Recorder<TestHouse.Outcome>()
        house.load(house.remote(1), into: results)
        let turn = await others.asked.element(0)
        turn.tell(.mine(fence: 7))
        await house.origins.fetches.element(0).answer(picture(100))
        #expect(others.looks.count == 2)
        #expect(await results.element(0).bytes != nil)
        #expect(await turn.outcomes.element(0) == .made)
        let kept = await others.kept.element(0)
        #expect(kept.name == tile && kept.fence == 7)
        #expect(kept.rendition.tile == results.all[0].bytes)
        #expect(kept.rendition.original?.validators.entityTag == "\"1\"")
        #expect(kept.rendition.original?.facts?.width == 4_000)
        await house.close()
    }

    @Test func `where there is no room for it nobody is told that it can be found`() async throws {
        let house = try TestHouse(others: others)
        others.hasRoom = false
        house.load(house.remote(1), into: Recorder())
        let turn = await others.asked.element(0)
        turn.tell(.mine(fence: 7))
        let fetch = await house.origins.fetches.element(0)
        turn.tell(.wanted(preview, urgency: .visible))
        let second = await others.asked.element(1)
        second.tell(.mine(fence: 7))
        await house.loader.coordinator.settled()
        fetch.answer(picture(100))
        for each in [turn, second] { #expect(await each.outcomes.element(0) == .gaveUp) }
        #expect(await others.unshared.element(0) == preview)
        #expect(others.told.count == 0)
        await house.close()
    }

    @Test func `what another made between the look and the turn is not made again`() async throws {
        let house = try TestHouse(others: others)
        let results = Recorder<TestHouse.Outcome>()
        house.load(house.remote(1), into: results)
        let turn = await others.asked.element(0)
        others[tile] = shared(house)
        turn.tell(.mine(fence: 7))
        #expect(await results.element(0).bytes?.bytes == [1, 2, 3])
        #expect(await turn.outcomes.element(0) == .made)
        #expect(house.origins.fetches.count == 0)
        await house.close()
    }

    @Test func `alone, a load asks nobody; and one that loses the others goes on by itself`() async throws {
        let house = try TestHouse(others: others)
        house.origins.answer = { _ in picture(100) }
        others.isAlone = true
        #expect(await house.load(house.remote(1)).bytes != nil)
        #expect(others.looks.count == 0 && others.asked.count == 0)
        others.isAlone = false
        let results = Recorder<TestHouse.Outcome>()
        house.load(house.remote(2), into: results)
        await others.asked.element(0).tell(.alone)
        #expect(await results.element(0).bytes != nil)
        #expect(others.kept.count == 0)
        await house.close()
    }

    @Test func `alone, a load looks where something is kept for those who come later, and keeps it there`() async throws
    {
        let house = try TestHouse(others: others)
        others.isAlone = true
        others.servesAlone = true
        house.origins.answer = { _ in picture(100) }
        #expect(await house.load(house.remote(1)).bytes != nil)
        #expect(others.looks.all == [tile])
        let kept = await others.kept.element(0)
        #expect(kept.name == tile && kept.fence == 0)
        others[SharedName(image: ImageID(rawValue: 2), version: nil, rendition: .tile, format: .webp)] = shared(house)
        #expect(await house.load(house.remote(2)).bytes?.bytes == [1, 2, 3])
        #expect(house.origins.fetches.count == 1)
        #expect(others.kept.count == 1, "what was found there is not kept once more")
        #expect(await house.loader.coordinator.isEmpty())
        await house.close()
    }

    @Test func `of an object it is told which content its listing names`() async throws {
        let house = try TestHouse(others: others)
        others.isAlone = true
        others.servesAlone = true
        let version = ContentVersion(rawValue: 5)
        let object = GalleryImage(
            id: ImageID(rawValue: 1), name: "1", location: .object(bucket: 0, path: "1", url: "http://store/1"),
            version: version, facts: ImageFacts())
        others[tile] = SharedRendition(tile: shared(house).tile)
        #expect(await house.load(object).bytes?.bytes == [1, 2, 3])
        #expect(others.listed.all == [version] && house.origins.fetches.count == 0)
        await house.close()
    }

    @Test func `a failure that others met is told, remembered, and tried again for who insists`() async throws {
        let house = try TestHouse(others: others)
        let results = Recorder<TestHouse.Outcome>()
        house.load(house.remote(1), into: results)
        await others.asked.element(0).tell(.failed(missing))
        #expect(await results.element(0).failure?.status == 404)
        #expect(await house.load(house.remote(1)).failure?.status == 404)
        #expect(others.asked.count == 1)
        house.load(house.remote(1), retry: true, into: results)
        #expect(await others.asked.element(1).insists)
        await others.asked.element(1).tell(.mine(fence: 8))
        await house.origins.fetches.element(0).answer(picture(100))
        #expect(await results.element(1).bytes != nil)
        await house.close()
    }

    @Test func `others are told of an origin that fails, and not of what only this machine cannot do`() async throws {
        let house = try TestHouse(others: others)
        let results = Recorder<TestHouse.Outcome>()
        for (id, error) in [
            (1 as UInt64, OriginError(.status(404), logDetail: "")), (2, OriginError(.stopped, logDetail: "")),
        ] {
            house.load(house.remote(id), into: results)
            let turn = await others.asked.element(Int(id) - 1)
            turn.tell(.mine(fence: id))
            await house.origins.fetches.element(Int(id) - 1).send(.failed(error))
            let outcome = await turn.outcomes.element(0)
            if id == 1 {
                guard case .failed(let failure) = outcome else {
                    Issue.record("nobody was told")
                    return
                }
                #expect(failure.status == 404)
            } else {
                #expect(outcome == .gaveUp)
            }
        }
        await house.close()
    }

    @Test func `what an origin forbids to keep is not kept for others either`() async throws {
        let house = try TestHouse(others: others)
        let results = Recorder<TestHouse.Outcome>()
        house.load(house.remote(1), into: results)
        let turn = await others.asked.element(0)
        turn.tell(.mine(fence: 7))
        turn.tell(.wanted(tile, urgency: .visible))
        await house.loader.coordinator.settled()
        await house.origins.fetches.element(0).answer(picture(100), mayStore: false)
        #expect(await results.element(0).bytes != nil)
        #expect(await turn.outcomes.element(0) == .gaveUp)
        #expect(await house.loader.coordinator.isEmpty())
        #expect(others.kept.count == 0 && others.told.count == 0)
        await house.close()
    }

    @Test func `the last to leave gives the turn back, in every stage`() async throws {
        let house = try TestHouse(others: others)
        let results = Recorder<TestHouse.Outcome>()
        let waiting = house.load(house.remote(1), into: results)
        _ = await others.asked.element(0)
        waiting.cancel()
        let handle = house.load(house.remote(2), into: results)
        await others.asked.element(1).tell(.mine(fence: 7))
        let fetch = await house.origins.fetches.element(0)
        handle.cancel()
        #expect(await fetch.steering.element(0) == .cancel)
        for each in others.asked.all { #expect(await each.outcomes.element(0) == .gaveUp) }
        #expect(results.count == 0)
        #expect(await house.loader.coordinator.isEmpty())
        await house.close()
    }

    @Test func `what others want is made of the same fetch, and goes on when all have left here`() async throws {
        let house = try TestHouse(others: others)
        let results = Recorder<TestHouse.Outcome>()
        let handle = house.load(house.remote(1), into: results)
        let turn = await others.asked.element(0)
        turn.tell(.mine(fence: 7))
        let fetch = await house.origins.fetches.element(0)
        for name in [tile, preview] { turn.tell(.wanted(name, urgency: .prefetch)) }
        let second = await others.asked.element(1)
        #expect(second.name == preview && second.urgency == .prefetch)
        second.tell(.mine(fence: 7))
        await house.loader.coordinator.settled()
        handle.cancel()
        fetch.answer(picture(100))
        for each in [turn, second] { #expect(await each.outcomes.element(0) == .made) }
        #expect(Set(others.kept.all.map(\.name)) == [tile, preview])
        #expect(Set(await others.told.first(2)) == [tile, preview])
        #expect(house.origins.fetches.count == 1)
        #expect(results.count == 0)
        #expect(await house.loader.coordinator.isEmpty())
        await house.close()
    }

    @Test func `when nobody wants it here nor elsewhere the fetch is stopped`() async throws {
        let house = try TestHouse(others: others)
        let handle = house.load(house.remote(1), into: Recorder())
        let turn = await others.asked.element(0)
        turn.tell(.mine(fence: 7))
        let fetch = await house.origins.fetches.element(0)
        turn.tell(.wanted(tile, urgency: .visible))
        await house.loader.coordinator.settled()
        handle.cancel()
        await house.loader.coordinator.settled()
        #expect(!fetch.steering.all.contains(.cancel), "it is as urgent now as it is elsewhere, and goes on")
        turn.tell(.unwanted(tile))
        // It is heard of, and then leaves as any that waits does.
        for _ in 0..<2 { await house.loader.coordinator.settled() }
        #expect(fetch.steering.all.last == .cancel)
        #expect(await turn.outcomes.element(0) == .gaveUp)
        #expect(await house.loader.coordinator.isEmpty())
        await house.close()
    }

    @Test func `a rendition that was made but cannot be found is made here in the end`() async throws {
        let house = try TestHouse(others: others)
        house.origins.answer = { _ in picture(100) }
        let results = Recorder<TestHouse.Outcome>()
        house.load(house.remote(1), into: results)
        for round in 0..<4 { await others.asked.element(round).tell(.made) }
        #expect(await results.element(0).bytes != nil)
        #expect(others.asked.count == 4)
        await house.close()
    }

    @Test func `originals and what has all pixels are loaded without a word to others`() async throws {
        let house = try TestHouse(others: others)
        house.origins.answer = { _ in picture(100) }
        for rendition in [Rendition.original, .full] {
            #expect(await house.load(house.remote(1), rendition).failure == nil)
        }
        #expect(others.looks.count == 0 && others.asked.count == 0)
        await house.close()
    }

    @Test func `who has the original at hand does not wait for one that fetches it`() async throws {
        let house = try TestHouse(others: others)
        others.isAlone = true
        house.origins.answer = { _ in picture(100) }
        let original = await house.load(house.remote(1), .original)
        // Whoever lets go of it before it is whole ends its fetch.
        if let growing = original.growing { _ = try await growing.rest() }
        await house.loader.coordinator.reached { $0.fetches == 0 }
        others.isAlone = false
        house.load(house.remote(1), into: Recorder())
        #expect(await others.asked.element(0).name.version != nil)
        await house.close()
    }

    @Test func `a stop gives all turns back`() async throws {
        let house = try TestHouse(others: others)
        let results = Recorder<TestHouse.Outcome>()
        for id in 1...2 as ClosedRange<UInt64> { house.load(house.remote(id), into: results) }
        let turns = await others.asked.first(2)
        turns[0].tell(.mine(fence: 1))
        _ = await house.origins.fetches.element(0)
        await house.close()
        for turn in turns { #expect(await turn.outcomes.element(0) == .gaveUp) }
        #expect(results.count == 2)
    }
}
