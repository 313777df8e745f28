import MetadataLog
import Images
import Logging
import Postgres
import TestSupport
import Testing

@testable import Catalog

/// One node at a time lists a bucket, for all nodes.
@Suite(.serialized, .enabled(if: PostgresServer.isInstalled), .timeLimit(.minutes(3))) struct ListingSharingTests {
    private static let source = "bucket:http://store.test/photos/#0"

    private func paths(_ catalog: Catalog) async throws -> [String] {
        try await catalog.all().compactMap { image in
            if case .object(_, let path, _) = image.location { path } else { nil }
        }
    }

    private static func lines(_ keys: String..., tag: String = "a") -> String {
        keys.map { key in
            ObjectLines.line(
                of: BucketObject(key: Array(key.utf8), size: 5, modified: 1_700_000_000, entityTag: "\"\(tag)\""))
        }.joined()
    }

    @Test(arguments: SharedIn.allCases)
    func `nodes that start together list a bucket once and show the same order`(kind: SharedIn)
        async throws
    {
        let keys = (0..<5000).map { "\($0 % 7)/é \($0).jpg" } + ["notes.txt"]
        let nodes = try await BucketNodes(kind, FakeObjectStore(keys))
        let catalogs = [try await nodes.node("a"), try await nodes.node("b"), try await nodes.node("c")]
        for catalog in catalogs { await catalog.scanCompleted() }
        #expect(nodes.store.listings == 6)
        let images = try await catalogs[0].all()
        #expect(images.count == 5000)
        #expect(try await paths(catalogs[0]) == nodes.store.keys.filter { $0 != "notes.txt" })
        for catalog in catalogs.dropFirst() {
            #expect(try await catalog.all() == images)
            #expect(catalog.state.problems.count == 0)
        }
        await nodes.end()
    }

    @Test(arguments: SharedIn.allCases)
    func `nodes read what another one found, and an unchanged listing changes nothing`(kind: SharedIn)
        async throws
    {
        let nodes = try await BucketNodes(kind, FakeObjectStore(["a.jpg", "b.jpg"]))
        let (one, other) = (try await nodes.node("a"), try await nodes.node("b"))
        for catalog in [one, other] { await catalog.scanCompleted() }
        nodes.store.put("c.jpg")
        nodes.store.put("b.jpg", tag: "new")
        nodes.store.remove("a.jpg")
        one.rescan()
        await one.scanCompleted()
        #expect(await settles(other, on: nodes.store.keys))
        #expect(try await other.all() == one.all())
        #expect(nodes.store.listings == 2)
        // Nothing is new: another listing changes nothing, on either node.
        let revisions = [one.state.revision, other.state.revision]
        other.rescan()
        await other.scanCompleted()
        one.rescan(orReadListedWithin: .seconds(60))
        await one.scanCompleted()
        #expect([one.state.revision, other.state.revision] == revisions)
        #expect(nodes.store.listings == 3)
        await nodes.end()
    }

    @Test(arguments: SharedIn.allCases)
    func `a listing is read while it is made, and another node takes over if it stops`(kind: SharedIn)
        async throws
    {
        let nodes = try await BucketNodes(kind, FakeObjectStore(["a.jpg", "b.jpg", "c.jpg"]), turn: .seconds(1))
        let frozen = try await nodes.other()
        let listing = try await frozen.begin(Self.source, orReadBegunWithin: .zero)
        #expect(listing.isOwn)
        try await frozen.add(Self.lines("a.jpg", "b.jpg"), at: 0, to: listing)
        let catalog = try await nodes.node("a")
        #expect(await eventually { catalog.state.total == 2 }, "images are shown before the listing is complete")
        #expect(nodes.store.listings == 0)
        // The lease is no longer renewed, so another node takes over.
        #expect(await eventually { catalog.state.total == 3 && !catalog.state.isScanning })
        #expect(nodes.store.listings == 1 && catalog.state.problems.count == 0)
        await #expect(throws: ListingLost.self) { try await frozen.add(Self.lines("z.jpg"), at: 1, to: listing) }
        await #expect(throws: ListingLost.self) { try await frozen.renew(listing) }
        await #expect(throws: ListingLost.self) { try await frozen.end(listing, digest: "1") }
        let state = try await frozen.state(of: Self.source)
        #expect(state?.isWhole == true && state?.number == listing.number + 1)
        #expect(try await paths(catalog) == ["a.jpg", "b.jpg", "c.jpg"])
        await nodes.end()
    }

    @Test(arguments: SharedIn.allCases)
    func `a lease that is given up is free at once, and one that is renewed stays exclusive`(kind: SharedIn)
        async throws
    {
        let nodes = try await BucketNodes(kind, FakeObjectStore(), turn: .seconds(1))
        let (one, other) = (try await nodes.other(), try await nodes.other())
        let listing = try await one.begin("x", orReadBegunWithin: .zero)
        let end = ContinuousClock.now + .seconds(2)
        while ContinuousClock.now < end {
            try await one.renew(listing)
            #expect(try await other.begin("x", orReadBegunWithin: .zero).isOwn == false)
        }
        await one.giveUp(listing)
        let second = try await other.begin("x", orReadBegunWithin: .zero)
        #expect(second.isOwn && second.number > listing.number)
        await #expect(throws: ListingLost.self) { try await one.add("", at: 0, to: listing) }
        try await other.end(second, digest: "d")
        #expect(try await one.begin("x", orReadBegunWithin: .seconds(60)).digest == "d")
        #expect(try await one.begin("x", orReadBegunWithin: .zero).isOwn)
        #expect(try await one.begin("y", orReadBegunWithin: .seconds(60)).isOwn, "each source has its own lease")
        await nodes.end()
    }

    @Test(arguments: SharedIn.allCases)
    func `changes known to be newer than a listing are kept`(kind: SharedIn) async throws {
        let nodes = try await BucketNodes(kind, FakeObjectStore(["a.jpg", "b.jpg", "d.jpg"]))
        let catalog = try await nodes.node("a")
        await catalog.scanCompleted()
        // Another node begins a listing. Then objects are added, changed and removed, and this node gets hints about
        // that.
        let other = try await nodes.other()
        let listing = try await other.begin(Self.source, orReadBegunWithin: .zero)
        try await other.add(Self.lines("a.jpg", "b.jpg"), at: 0, to: listing)
        nodes.store.remove("a.jpg")
        nodes.store.put("b.jpg", tag: "new")
        nodes.store.put("c.jpg")
        nodes.store.put("e.jpg")
        catalog.enqueue(["a", "b", "c", "e"].map { ObjectHint(bucket: "photos", key: Array("\($0).jpg".utf8)) })
        #expect(await eventually { catalog.hints.figures.lookups == 4 })
        await catalog.scanCompleted()
        let known = try await catalog.all()
        #expect(try await paths(catalog) == ["b.jpg", "c.jpg", "d.jpg", "e.jpg"])
        let listings = nodes.store.listings
        try await other.add(Self.lines("d.jpg", "f.jpg"), at: 1, to: listing)
        try await other.end(listing, digest: "old")
        #expect(await eventually { catalog.state.total == 5 })
        #expect(try await paths(catalog) == ["b.jpg", "c.jpg", "d.jpg", "e.jpg", "f.jpg"])
        let (before, after) = (known.first { $0.name == "b.jpg" }, try await catalog.all().first { $0.name == "b.jpg" })
        #expect(before?.version == after?.version && before != nil)
        #expect(nodes.store.listings == listings)
        await nodes.end()
    }

    @Test func `a hinted object that is gone is removed by a listing without changes`() async throws {
        let nodes = try await BucketNodes(.memory, FakeObjectStore(["a.jpg"]))
        let (one, other) = (try await nodes.node("a"), try await nodes.node("b"))
        for catalog in [one, other] { await catalog.scanCompleted() }
        nodes.store.put("b.jpg")
        other.enqueue([ObjectHint(bucket: "photos", key: Array("b.jpg".utf8))])
        #expect(await eventually { other.state.total == 2 })
        // Nobody sends a hint that it was removed again.
        nodes.store.remove("b.jpg")
        one.rescan()
        #expect(await settles(other, on: ["a.jpg"]))
        await nodes.end()
    }

    @Test func `a hint that overrode a listing is undone by the next identical listing`() async throws {
        let nodes = try await BucketNodes(.memory, FakeObjectStore(["a.jpg"]))
        let catalog = try await nodes.node("a")
        await catalog.scanCompleted()
        let other = try await nodes.other()
        func list() async throws {
            let listing = try await other.begin(Self.source, orReadBegunWithin: .zero)
            nodes.store.put("b.jpg")
            catalog.enqueue([ObjectHint(bucket: "photos", key: Array("b.jpg".utf8))])
            #expect(await settles(catalog, on: ["a.jpg", "b.jpg"]))
            try await other.add(Self.lines("a.jpg"), at: 0, to: listing)
            try await other.end(listing, digest: "same")
        }
        try await list()
        // Nobody sends a hint that it was removed again.
        nodes.store.remove("b.jpg")
        let listing = try await other.begin(Self.source, orReadBegunWithin: .zero)
        try await other.add(Self.lines("a.jpg"), at: 0, to: listing)
        try await other.end(listing, digest: "same")
        #expect(await settles(catalog, on: ["a.jpg"]))
        await nodes.end()
    }

    @Test func `hints are followed even while another node's outdated listing is in progress`() async throws {
        let nodes = try await BucketNodes(.memory, FakeObjectStore(["a.jpg"]))
        let catalog = try await nodes.node("a")
        await catalog.scanCompleted()
        let other = try await nodes.other()
        let listing = try await other.begin(Self.source, orReadBegunWithin: .zero)
        let listings = nodes.store.listings
        catalog.rescan()
        nodes.store.put("b.jpg")
        catalog.hints.add(Array("b.jpg".utf8), to: 0)
        #expect(await eventually { catalog.state.total == 2 })
        #expect(nodes.store.listings == listings)
        await other.giveUp(listing)
        #expect(await eventually { nodes.store.listings > listings })
        await nodes.end()
    }

    @Test func `a node without images reads a listing that has long been in progress`() async throws {
        let nodes = try await BucketNodes(.memory, FakeObjectStore(["a.jpg", "b.jpg"]))
        let other = try await nodes.other()
        let listing = try await other.begin(Self.source, orReadBegunWithin: .zero)
        try await other.add(Self.lines("a.jpg"), at: 0, to: listing)
        let catalog = try await nodes.node("a") { $0.listingAge = .zero }
        #expect(await eventually { catalog.state.total == 1 })
        try await other.add(Self.lines("b.jpg"), at: 1, to: listing)
        try await other.end(listing, digest: "1")
        #expect(await settles(catalog, on: ["a.jpg", "b.jpg"]))
        #expect(nodes.store.listings == 0)
        await nodes.end()
    }

    @Test func `a node stops reading a listing that makes no progress, though its lease is renewed`() async throws {
        let nodes = try await BucketNodes(.memory, FakeObjectStore(["a.jpg", "b.jpg"]))
        let other = try await nodes.other()
        let listing = try await other.begin(Self.source, orReadBegunWithin: .zero)
        try await other.add(Self.lines("a.jpg"), at: 0, to: listing)
        let catalog = try await nodes.node("a") { $0.listingStallLimit = .milliseconds(1) }
        #expect(await eventually { catalog.state.problems.count > 0 })
        try await other.add(Self.lines("b.jpg"), at: 1, to: listing)
        try await other.end(listing, digest: "1")
        #expect(await settles(catalog, on: ["a.jpg", "b.jpg"]))
        await nodes.end()
    }

    @Test(arguments: [false, true])
    func `a node that reads an older listing soon lists again`(isKnown: Bool) async throws {
        let nodes = try await BucketNodes(.memory, FakeObjectStore(["a.jpg", "b.jpg"]))
        if isKnown {
            let before = try await nodes.node("a")
            await before.scanCompleted()
            await before.close()
        }
        let other = try await nodes.other()
        let listing = try await other.begin(Self.source, orReadBegunWithin: .zero)
        try await other.add(Self.lines("a.jpg", "b.jpg"), at: 0, to: listing)
        try await other.end(listing, digest: "1")
        await nodes.memory.backdate(listing, by: .seconds(10))
        // The node got no hint about this, because it was not running.
        nodes.store.remove("b.jpg")
        let catalog = try await nodes.node("a") { $0.rescanInterval = .seconds(1) }
        #expect(await settles(catalog, on: ["a.jpg"]))
        await nodes.end()
    }

    @Test func `keys of the maximum length are shared, too`() async throws {
        let keys = (0..<1000).map { String(repeating: "é", count: 500) + "\($0).jpg" }
        let nodes = try await BucketNodes(.postgres, FakeObjectStore(keys))
        let catalogs = [try await nodes.node("a"), try await nodes.node("b")]
        for catalog in catalogs { await catalog.scanCompleted() }
        #expect(nodes.store.listings == 1)
        for catalog in catalogs { #expect(catalog.state.total == 1000 && catalog.state.problems.count == 0) }
        await nodes.end()
    }

    @Test(arguments: SharedIn.allCases)
    func `while the shared database is unreachable, each node lists for itself`(kind: SharedIn) async throws {
        let nodes = try await BucketNodes(kind, FakeObjectStore(["a.jpg"]))
        await nodes.setAway(true)
        let catalogs = [try await nodes.node("a"), try await nodes.node("b")]
        for catalog in catalogs {
            await catalog.scanCompleted()
            #expect(catalog.state.total == 1 && catalog.state.problems.count == 0)
        }
        #expect(nodes.store.listings == 2)
        await nodes.setAway(false)
        await nodes.end()
    }

    @Test(arguments: [
        "1 2", "x 1 a.jpg", "-1 1 a.jpg", "1 99999999999999999999 a.jpg", "1 1 %zz.jpg", "1 1 a.jpg %z",
        String(repeating: "1 1 a.jpg\n", count: ObjectLines.maximumObjects + 1),
    ])
    func `an unreadable shared listing is made again`(text: String) async throws {
        let nodes = try await BucketNodes(.memory, FakeObjectStore(["a.jpg"]))
        let other = try await nodes.other()
        let listing = try await other.begin(Self.source, orReadBegunWithin: .zero)
        try await other.add(Self.lines("z.jpg"), at: 0, to: listing)
        try await other.add(text, at: 1, to: listing)
        let catalog = try await nodes.node("a")
        #expect(await eventually { catalog.state.problems.first.contains { $0.reason.contains("listed again") } })
        await other.giveUp(listing)
        #expect(await eventually { catalog.state.total == 1 && catalog.state.problems.count == 0 })
        #expect(try await paths(catalog) == ["a.jpg"])
        await nodes.end()
    }

    @Test(arguments: 1...6 as ClosedRange<UInt64>)
    func `listings and hints in any order lead all nodes to the store's content`(seed: UInt64) async throws {
        var random = SeededRandom(seed: seed)
        func key(_ random: inout SeededRandom) -> String {
            "\("abc".randomElement(using: &random)!)/\(Int.random(in: 0..<9, using: &random)).jpg"
        }
        let nodes = try await BucketNodes(.memory, FakeObjectStore((0..<12).map { _ in key(&random) }, page: 5))
        let catalogs = [try await nodes.node("a"), try await nodes.node("b"), try await nodes.node("c")]
        for catalog in catalogs { await catalog.scanCompleted() }
        for round in 0..<10 {
            var published: [ObjectHint] = []
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let key = key(&random)
                if Bool.random(using: &random) {
                    nodes.store.put(key, tag: "\(round)")
                } else {
                    nodes.store.remove(key)
                }
                published.append(ObjectHint(bucket: "photos", key: Array(key.utf8)))
            }
            if Bool.random(using: &random) { catalogs.randomElement(using: &random)!.rescan() }
            for catalog in catalogs {
                for hint in published { catalog.hints.add(hint.key, to: 0) }
                catalog.refresh([0])
            }
            if Bool.random(using: &random) { catalogs.randomElement(using: &random)!.rescan() }
        }
        for catalog in catalogs {
            #expect(await settles(catalog, on: nodes.store.keys), "seed \(seed)")
        }
        await nodes.end()
    }

    private func settles(_ catalog: Catalog, on keys: [String]) async -> Bool {
        let end = ContinuousClock.now + .seconds(10)
        while ContinuousClock.now < end {
            await catalog.scanCompleted()
            if (try? await paths(catalog)) == keys { return true }
            try? await Task.sleep(for: .milliseconds(2))
        }
        return (try? await paths(catalog)) == keys
    }
}
