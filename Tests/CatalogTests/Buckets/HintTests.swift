import Images
import TestSupport
import Testing

@testable import Catalog

/// A store that tells of its objects: they are looked at, each by itself, and nothing is believed.
@Suite(.timeLimit(.minutes(1))) struct HintTests {
    private func catalog(
        _ store: ShelfStore, _ scratch: Scratch, _ words: String..., retryAfter pause: Duration = .milliseconds(10)
    ) async throws -> Catalog {
        let sources = try words.map { Source.bucket(try BucketAddress($0, in: .init(endpoint: "http://store.test"))) }
        return try await scratch.catalog(sources) {
            $0.objectStore = store
            $0.pageRetries = 0
            $0.retrying = RetryPace(first: pause, longest: pause)
        }
    }

    private func hints(_ keys: String..., in bucket: String = "photos") -> [ObjectHint] {
        keys.map { ObjectHint(bucket: bucket, key: Array($0.utf8)) }
    }

    /// Has hints followed without waiting for more of them.
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

    @Test func `what comes, changes and goes is shown without a listing, each in its place`() async throws {
        let scratch = try Scratch()
        let store = ShelfStore(["B.jpg", "a.jpg", "b/10.jpg", "b/9.jpg", "c.jpg"])
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
        #expect(catalog.heed(named + hints("notes.txt") + hints("a.jpg", in: "other")) == named)
        #expect(await eventually { catalog.hints.figures.looked == 6 })
        await catalog.scanCompleted()
        #expect(
            try await paths(catalog) == ["A.jpg", "B.jpg", "a.jpg", "a/1.jpg", "b/9.jpg", "b/90.jpg", "c.jpg", "z.jpg"])
        let after = try await catalog.all()
        let (old, new) = (before.first { $0.name == "c.jpg" }, after.first { $0.name == "c.jpg" })
        #expect(old?.id == new?.id && old?.version != new?.version)
        #expect(store.listings == listings && store.looks == 6)
        let revision = catalog.state.revision
        catalog.rescan()
        await catalog.scanCompleted()
        #expect(catalog.state.revision == revision, "a listing says the same, in the same order")
        await catalog.close()
        store.failing = ShelfStore.everything
        let again = try await self.catalog(store, scratch, "s3://photos")
        #expect(try await paths(again).count == 8, "it is kept")
        await again.close()
    }

    @Test func `hints that are not so, or come late, change nothing`() async throws {
        let scratch = try Scratch()
        let store = ShelfStore(["a.jpg", "b.jpg"])
        let catalog = try await catalog(store, scratch, "s3://photos")
        let revision = catalog.state.revision
        // Somebody says that a.jpg has gone, that b.jpg is other, and that there is a c.jpg.
        await follow(hints("a.jpg", "b.jpg", "c.jpg", "b.jpg2.jpg"), in: catalog)
        #expect(catalog.hints.figures.looked == 4)
        #expect(catalog.state.revision == revision && catalog.state.total == 2)
        await catalog.close()
    }

    @Test func `an object is told from those whose keys begin with its own`() async throws {
        let scratch = try Scratch()
        let store = ShelfStore(["a.jpg", "a.jpg.jpg"])
        let catalog = try await catalog(store, scratch, "s3://photos")
        store.remove("a.jpg")
        await follow(hints("a.jpg"), in: catalog)
        #expect(try await paths(catalog) == ["a.jpg.jpg"])
        await catalog.close()
    }

    @Test func `a burst is followed by one listing where that takes fewer answers`() async throws {
        let scratch = try Scratch()
        let store = ShelfStore(["a.jpg"])
        let catalog = try await catalog(store, scratch, "s3://photos")
        let listings = store.listings
        let keys = (0..<100).map { "new/\($0).jpg" }
        for key in keys { store.put(key) }
        await follow(keys.flatMap { hints($0) }, in: catalog)
        // It comes when the source has been left alone for a moment.
        #expect(await eventually { catalog.state.total == 101 && !catalog.state.isScanning })
        #expect(store.listings == listings + 1 && store.looks == 0)
        await catalog.close()
    }

    @Test func `of more hints than are kept it is kept that there were too many`() {
        let book = HintBook()
        for number in 0..<10_000 { book.add(Array("\(number)".utf8), to: 0) }
        let named = book.take(of: 0)
        #expect(named.isTooMany && named.paths.isEmpty)
        #expect(!book.take(of: 0).isTooMany && book.figures.noted == 10_000)
    }

    @Test func `a store that cannot be asked takes no picture away, and all is listed when it can`() async throws {
        let scratch = try Scratch()
        let store = ShelfStore(["a.jpg", "b.jpg"])
        let catalog = try await catalog(store, scratch, "s3://photos")
        store.failing = ShelfStore.everything
        store.remove("a.jpg")
        await follow(hints("a.jpg"), in: catalog)
        #expect(catalog.state.total == 2 && catalog.state.problems.count == 1)
        store.failing = ShelfStore.listings
        store.remove("b.jpg")
        await follow(hints("b.jpg"), in: catalog)
        #expect(catalog.state.total == 1, "what can be asked is shown")
        #expect(catalog.state.problems.first.contains { $0.reason.contains("listed") }, "and still that it is not all")
        store.failing = nil
        store.put("b.jpg")
        #expect(await eventually { catalog.state.total == 1 && catalog.state.problems.count == 0 })
        await catalog.close()
    }

    @Test func `a bucket that cannot be listed is listed by hints no sooner, and no later`() async throws {
        let scratch = try Scratch()
        let store = ShelfStore(["a.jpg", "b.jpg"])
        store.failing = ShelfStore.listings
        let catalog = try await catalog(store, scratch, "s3://photos", retryAfter: .milliseconds(500))
        #expect(store.listings == 1 && catalog.state.total == 0)
        let begun = ContinuousClock.now
        for _ in 0..<20 { await follow(hints("a.jpg"), in: catalog) }
        let bursts = begun.duration(to: .now)
        #expect(store.listings <= 1 + Int(bursts / .milliseconds(500)))
        store.failing = nil
        // However fast they follow each other.
        #expect(
            await eventually {
                catalog.hints.add(Array("b.jpg".utf8), to: 0)
                catalog.refresh([0])
                return catalog.state.total == 2
            })
        await catalog.close()
    }

    @Test func `a bucket that hints empty says so, and one that they fill does not`() async throws {
        let scratch = try Scratch()
        let store = ShelfStore(["a.jpg"])
        let catalog = try await catalog(store, scratch, "s3://photos")
        store.remove("a.jpg")
        await follow(hints("a.jpg"), in: catalog)
        #expect(catalog.state.total == 0 && catalog.state.problems.count == 1)
        store.put("b.jpg")
        await follow(hints("b.jpg"), in: catalog)
        #expect(catalog.state.total == 1 && catalog.state.problems.count == 0)
        await catalog.close()
    }

    @Test func `sources that show the same object both hear of it`() async throws {
        let scratch = try Scratch()
        let store = ShelfStore(["2024/a.jpg", "b.jpg"])
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
    func `whatever happens, hints in any order come to what a listing comes to`(seed: UInt64) async throws {
        var random = SeededRandom(seed: seed)
        let scratch = try Scratch()
        let names = ["a", "A", "b", "10", "9", "a.b", "é", "z 1", "a+b", "%", "日"]
        func key(_ random: inout SeededRandom) -> String {
            let folder = ["", "", "x/", "x/y/", "10/", "9/", "x y/", "+/"].randomElement(using: &random) ?? ""
            return folder + (names.randomElement(using: &random) ?? "") + ".jpg"
        }
        let store = ShelfStore((0..<20).map { _ in key(&random) }, page: 7)
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
