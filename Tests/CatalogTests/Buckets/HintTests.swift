import Images
import TestSupport
import Testing

@testable import Catalog

/// Hints from a store: each hinted object is looked up individually, and hints themselves are not trusted.
@Suite(.timeLimit(.minutes(1))) struct HintTests {
    private func catalog(
        _ store: FakeObjectStore, _ scratch: Scratch, _ words: String..., retryAfter pause: Duration = .milliseconds(10)
    ) async throws -> Catalog {
        let sources = try words.map { Source.bucket(try BucketAddress($0, in: .init(endpoint: "http://store.test"))) }
        return try await scratch.catalog(sources) {
            $0.objectStore = store
            $0.pageRetries = 0
            $0.retrying = RetryPace(first: pause, maximumDelay: pause)
        }
    }

    private func hints(_ keys: String..., in bucket: String = "photos") -> [ObjectHint] {
        keys.map { ObjectHint(bucket: bucket, key: Array($0.utf8)) }
    }

    /// Follows hints up without waiting for more of them.
    private func follow(_ hints: [ObjectHint], in catalog: Catalog) async {
        for hint in hints {
            for source in catalog.sources {
                guard let path = source.kind.path(of: hint) else { continue }
                catalog.hints.add(path, to: source.ordinal)
            }
        }
        catalog.refresh(catalog.hints.ordinals)
        await catalog.scanCompleted()
    }

    private func paths(_ catalog: Catalog) async throws -> [String] {
        try await catalog.all().compactMap { image in
            if case .object(_, let path, _) = image.location { path } else { nil }
        }
    }

    @Test func `hinted additions, changes and removals appear in order, without a listing`() async throws {
        let scratch = try Scratch()
        let store = FakeObjectStore(["B.jpg", "a.jpg", "b/10.jpg", "b/9.jpg", "c.jpg"])
        let catalog = try await catalog(store, scratch, "s3://photos")
        let listings = store.listings
        let before = try await catalog.all()
        store.put("a/1.jpg")
        store.put("b/90.jpg")
        store.put("z.jpg")
        store.put("A.jpg")
        store.put("c.jpg", tag: "b")
        store.remove("b/10.jpg")
        let named = hints("a/1.jpg", "b/90.jpg", "z.jpg", "A.jpg", "c.jpg", "b/10.jpg")
        #expect(catalog.enqueue(named + hints("notes.txt") + hints("a.jpg", in: "other")) == named)
        #expect(await eventually { catalog.hints.figures.lookups == 6 })
        await catalog.scanCompleted()
        #expect(
            try await paths(catalog) == ["A.jpg", "B.jpg", "a.jpg", "a/1.jpg", "b/9.jpg", "b/90.jpg", "c.jpg", "z.jpg"])
        let after = try await catalog.all()
        let (old, new) = (before.first { $0.name == "c.jpg" }, after.first { $0.name == "c.jpg" })
        #expect(old?.id == new?.id && old?.version != new?.version)
        #expect(store.listings == listings && store.lookups == 6)
        let revision = catalog.state.revision
        catalog.rescan()
        await catalog.scanCompleted()
        #expect(catalog.state.revision == revision, "a listing gives the same images in the same order")
        await catalog.close()
        store.failing = FakeObjectStore.everything
        let again = try await self.catalog(store, scratch, "s3://photos")
        #expect(try await paths(again).count == 8, "the index keeps the images")
        await again.close()
    }

    @Test func `wrong or outdated hints change nothing`() async throws {
        let scratch = try Scratch()
        let store = FakeObjectStore(["a.jpg", "b.jpg"])
        let catalog = try await catalog(store, scratch, "s3://photos")
        let revision = catalog.state.revision
        // Hints that a.jpg was removed, that b.jpg has changed, and that there is a c.jpg.
        await follow(hints("a.jpg", "b.jpg", "c.jpg", "b.jpg2.jpg"), in: catalog)
        #expect(catalog.hints.figures.lookups == 4)
        #expect(catalog.state.revision == revision && catalog.state.total == 2)
        await catalog.close()
    }

    @Test func `an object is distinguished from those whose keys start with its own`() async throws {
        let scratch = try Scratch()
        let store = FakeObjectStore(["a.jpg", "a.jpg.jpg"])
        let catalog = try await catalog(store, scratch, "s3://photos")
        store.remove("a.jpg")
        await follow(hints("a.jpg"), in: catalog)
        #expect(try await paths(catalog) == ["a.jpg.jpg"])
        await catalog.close()
    }

    @Test func `a burst of hints causes one listing if that takes fewer requests`() async throws {
        let scratch = try Scratch()
        let store = FakeObjectStore(["a.jpg"])
        let catalog = try await catalog(store, scratch, "s3://photos")
        let listings = store.listings
        let keys = (0..<100).map { "new/\($0).jpg" }
        for key in keys { store.put(key) }
        await follow(keys.flatMap { hints($0) }, in: catalog)
        // The listing is made once the source has been left alone for a moment.
        #expect(await eventually { catalog.state.total == 101 && !catalog.state.isScanning })
        #expect(store.listings == listings + 1 && store.lookups == 0)
        await catalog.close()
    }

    @Test func `an overflowing hint queue only records that there were too many`() {
        let book = HintQueue()
        for number in 0..<10_000 { book.add(Array("\(number)".utf8), to: 0) }
        let named = book.take(of: 0)
        #expect(named.isTooMany && named.paths.isEmpty)
        #expect(!book.take(of: 0).isTooMany && book.figures.noted == 10_000)
    }

    @Test func `an unreachable store removes no images, and all is listed once it is reachable`() async throws {
        let scratch = try Scratch()
        let store = FakeObjectStore(["a.jpg", "b.jpg"])
        let catalog = try await catalog(store, scratch, "s3://photos")
        store.failing = FakeObjectStore.everything
        store.remove("a.jpg")
        await follow(hints("a.jpg"), in: catalog)
        #expect(catalog.state.total == 2 && catalog.state.problems.count == 1)
        store.failing = FakeObjectStore.listings
        store.remove("b.jpg")
        await follow(hints("b.jpg"), in: catalog)
        #expect(catalog.state.total == 1, "a successful lookup is applied")
        #expect(
            catalog.state.problems.first.contains { $0.reason.contains("listed") }, "the failed listing is reported")
        store.failing = nil
        store.put("b.jpg")
        #expect(await eventually { catalog.state.total == 1 && catalog.state.problems.count == 0 })
        await catalog.close()
    }

    @Test func `hints neither hasten nor delay the retry of a failed listing`() async throws {
        let scratch = try Scratch()
        let store = FakeObjectStore(["a.jpg", "b.jpg"])
        store.failing = FakeObjectStore.listings
        let catalog = try await catalog(store, scratch, "s3://photos", retryAfter: .milliseconds(500))
        #expect(store.listings == 1 && catalog.state.total == 0)
        let begun = ContinuousClock.now
        for _ in 0..<20 { await follow(hints("a.jpg"), in: catalog) }
        let bursts = begun.duration(to: .now)
        #expect(store.listings <= 1 + Int(bursts / .milliseconds(500)))
        store.failing = nil
        // Regardless of how fast they follow each other.
        #expect(
            await eventually {
                catalog.hints.add(Array("b.jpg".utf8), to: 0)
                catalog.refresh([0])
                return catalog.state.total == 2
            })
        await catalog.close()
    }

    @Test func `a bucket emptied by hints is reported as empty until a hint adds an image`() async throws {
        let scratch = try Scratch()
        let store = FakeObjectStore(["a.jpg"])
        let catalog = try await catalog(store, scratch, "s3://photos")
        store.remove("a.jpg")
        await follow(hints("a.jpg"), in: catalog)
        #expect(catalog.state.total == 0 && catalog.state.problems.count == 1)
        store.put("b.jpg")
        await follow(hints("b.jpg"), in: catalog)
        #expect(catalog.state.total == 1 && catalog.state.problems.count == 0)
        await catalog.close()
    }

    @Test func `a hint reaches all sources that contain its object`() async throws {
        let scratch = try Scratch()
        let store = FakeObjectStore(["2024/a.jpg", "b.jpg"])
        let catalog = try await catalog(store, scratch, "s3://photos", "s3://photos/2024")
        #expect(catalog.state.total == 3)
        store.put("2024/c.jpg")
        await follow(hints("2024/c.jpg"), in: catalog)
        #expect(await eventually { catalog.state.total == 5 && !catalog.state.isScanning })
        store.remove("2024/a.jpg")
        await follow(hints("2024/a.jpg"), in: catalog)
        #expect(await eventually { catalog.state.total == 3 && !catalog.state.isScanning })
        await catalog.close()
    }

    @Test(arguments: 1...8 as ClosedRange<UInt64>)
    func `hints in any order lead to the same result as a listing`(seed: UInt64) async throws {
        var random = SeededRandom(seed: seed)
        let scratch = try Scratch()
        let names = ["a", "A", "b", "10", "9", "a.b", "é", "z 1", "a+b", "%", "日"]
        func key(_ random: inout SeededRandom) -> String {
            let folder = ["", "", "x/", "x/y/", "10/", "9/", "x y/", "+/"].randomElement(using: &random) ?? ""
            return folder + (names.randomElement(using: &random) ?? "") + ".jpg"
        }
        let store = FakeObjectStore((0..<20).map { _ in key(&random) }, page: 7)
        let catalog = try await catalog(store, scratch, "s3://photos")
        for round in 0..<12 {
            var told: [ObjectHint] = []
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                let key = key(&random)
                if Bool.random(using: &random) { store.put(key, tag: "\(round)") } else { store.remove(key) }
                told += hints(key)
            }
            for _ in 0..<2 { told += hints(key(&random)) }
            await follow(told.shuffled(using: &random), in: catalog)
            #expect(try await paths(catalog) == store.keys)
        }
        let images = try await catalog.all()
        await catalog.close()
        let fresh = try await self.catalog(store, try Scratch(), "s3://photos")
        let listed = try await fresh.all()
        #expect(listed.map(\.id) == images.map(\.id) && listed.map(\.version) == images.map(\.version))
        await fresh.close()
    }
}
