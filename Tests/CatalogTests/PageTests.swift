import Glibc
import Images
import Locking
import TestSupport
import Testing

@testable import Catalog

@Suite struct PageTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func pictures(_ count: Int) throws -> [String] {
        let names = (0..<count).map { "\($0).jpg" }
        for name in names { try scratch.file("pictures/" + name) }
        return names
    }

    @Test func `pages by offset and by cursor show the same images`() async throws {
        let names = try pictures(25)
        let catalog = try await scratch.catalog()
        for limit in [1, 7, 25, 500] {
            let images = try await catalog.all(limit: limit)
            #expect(images.map(\.name) == names)
        }
        let page = try await catalog.page(offset: 20, limit: 10)
        #expect(page.offset == 20 && page.total == 25 && page.images.count == 5 && page.next == nil)
        #expect(try await catalog.images(at: 3..<5).map(\.name) == ["3.jpg", "4.jpg"])
        let image = try #require(page.images.last)
        #expect(try await catalog.image(image.id) == image)
        #expect(try await catalog.image(ImageID(rawValue: 1)) == nil)
    }

    @Test func `an image that was read is cached until its metadata or the gallery changes`()
        async throws
    {
        _ = try pictures(3)
        let catalog = try await scratch.catalog()
        let id = try await catalog.images(at: 1..<2)[0].id
        #expect(catalog.recentImage(id) == nil)
        let image = try #require(try await catalog.image(id))
        #expect(catalog.recentImage(id) == image)
        var metadata = ImageMetadata()
        metadata.width = 7
        catalog.learned(metadata, version: image.version, of: id)
        #expect(catalog.recentImage(id) == nil)
        #expect(try await catalog.image(id)?.metadata.width == 7)
        #expect(catalog.recentImage(id)?.metadata.width == 7)
        try scratch.remove("pictures/0.jpg")
        await catalog.rescanned()
        #expect(catalog.recentImage(id) == nil)
        #expect(try await catalog.image(id)?.metadata.width == 7)
        await catalog.close()
        #expect(catalog.recentImage(id) == nil)
    }

    private func image(called name: String) -> GalleryImage {
        GalleryImage(
            id: ImageID(rawValue: 1), name: name, location: .remote(url: "http://a.test/"), version: nil,
            metadata: ImageMetadata())
    }

    @Test func `an image read before its metadata changed is not cached`() async throws {
        let recent = RecentImages()
        let (old, new) = (image(called: "old"), image(called: "new"))
        let (gate, opening) = AsyncStream.makeStream(of: Void.self)
        let early = recent.lookUp(old.id, revision: 1) {
            for await _ in gate {}
            return (1, old)
        }
        recent.forget(old.id)
        opening.finish()
        #expect(try await early.value == old && recent.image(old.id, revision: 1) == nil)
        #expect(try await recent.lookUp(old.id, revision: 1) { (1, new) }.value == new)
        #expect(recent.image(new.id, revision: 1) == new && recent.image(new.id, revision: 2) == nil)
    }

    @Test func `concurrent requests for an image share one lookup, until the image or the revision changes`()
        async throws
    {
        let recent = RecentImages()
        let image = image(called: "a")
        let lookups = Guarded(0)
        let gates = (0..<3).map { _ in AsyncStream.makeStream(of: Void.self) }
        @Sendable func look() async -> (revision: UInt64, image: GalleryImage?) {
            let number = lookups.withLock { lookups in
                lookups += 1
                return lookups
            }
            for await _ in gates[number - 1].stream {}
            return (1, image)
        }
        let crowd = (0..<100).map { _ in recent.lookUp(image.id, revision: 1, look) }
        let other = recent.lookUp(ImageID(rawValue: 2), revision: 1) { (1, nil) }
        #expect(try await other.value == nil, "a lookup does not wait for another image's")
        recent.forget(image.id)
        let late = (0..<100).map { _ in recent.lookUp(image.id, revision: 1, look) }
        let later = recent.lookUp(image.id, revision: 2, look)
        for gate in gates { gate.continuation.finish() }
        for task in crowd + late + [later] { #expect(try await task.value == image) }
        #expect(lookups.withLock(\.self) == 3)
        #expect(try await recent.lookUp(image.id, revision: 1) { (1, nil) }.value == nil, "no lookup is left in flight")
    }

    @Test func `images of several sources are found by id at once, and removed ones are omitted`() async throws {
        let names = try pictures(5)
        let list = try scratch.file("b.txt", "http://a.test/l0.jpg\nhttp://a.test/l1.jpg\n")
        let series = try URLTemplate("http://a.test/{index}.jpg", count: 3)
        let catalog = try await scratch.catalog([
            .folder(path: scratch.path("pictures")), .list(path: list, format: .text), .template(series),
        ])
        let all = try await catalog.all()
        #expect(all.map(\.name) == names + ["l0.jpg", "l1.jpg"] + (0..<3).map(series.name(at:)))
        let ids = all.reversed().map(\.id)
        let found = try await catalog.images(ids + ids + [ImageID(rawValue: 1)])
        #expect(found.count == all.count)
        for image in all { #expect(found[image.id] == image) }
        try scratch.remove("pictures/3.jpg")
        await catalog.rescanned()
        #expect(try await catalog.images(ids).count == all.count - 1)
        #expect(try await catalog.images([]).isEmpty)
        await #expect(throws: CatalogError.limitOutOfRange) {
            try await catalog.images((0...500).map { ImageID(rawValue: $0) })
        }
    }

    @Test func `invalid offsets and limits are refused, and offsets beyond the end give empty pages`() async throws {
        _ = try pictures(2)
        let catalog = try await scratch.catalog()
        for limit in [0, -1, 501, .min, .max] {
            await #expect(throws: CatalogError.limitOutOfRange) { try await catalog.page(offset: 0, limit: limit) }
        }
        await #expect(throws: CatalogError.offsetOutOfRange) { try await catalog.page(offset: -1, limit: 1) }
        await #expect(throws: CatalogError.offsetOutOfRange) { try await catalog.images(at: -1..<1) }
        await #expect(throws: CatalogError.limitOutOfRange) { try await catalog.images(at: 0..<Int.max) }
        for offset in [2, 3, Int.max] {
            let page = try await catalog.page(offset: offset, limit: 500)
            #expect(page.images.isEmpty && page.next == nil && page.offset == offset)
        }
        await #expect(throws: CatalogError.staleCursor) {
            try await catalog.page(after: Cursor(after: ImageID(rawValue: 4), hint: 0), limit: 1)
        }
    }

    @Test func `a cursor keeps its place when its image is removed, even repeatedly`() async throws {
        _ = try pictures(6)
        let catalog = try await scratch.catalog()
        let page = try await catalog.page(offset: 0, limit: 3)
        let next = try #require(page.next)
        for name in ["2.jpg", "1.jpg", "0.jpg"] {
            try scratch.remove("pictures/" + name)
            await catalog.rescanned()
            #expect(try await catalog.page(after: next, limit: 9).images.map(\.name) == ["3.jpg", "4.jpg", "5.jpg"])
        }
    }

    /// Readers follow `next` while files are added and removed at random: every image that exists throughout is seen
    /// exactly once, in order, and no image is seen twice.
    @Test(arguments: 0..<6 as Range<UInt64>)
    func `a reader neither misses nor repeats an image while others are added and removed`(seed: UInt64) async throws {
        var random = SeededRandom(seed: seed)
        var present: Set<String> = []
        for number in 0..<60 where Bool.random(using: &random) {
            present.insert("d\(number % 3)/\(number).jpg")
        }
        for name in present { try scratch.file("pictures/" + name) }
        try scratch.file("pictures/always.jpg")
        let catalog = try await scratch.catalog()
        var always = Set(try await catalog.all().compactMap(\.path))
        var seen: [String] = []
        var page = try await catalog.page(offset: 0, limit: Int.random(in: 1...5, using: &random))
        while true {
            seen += page.images.compactMap(\.path)
            guard let next = page.next else { break }
            for _ in 0..<Int.random(in: 0..<6, using: &random) {
                let number = Int.random(in: 0..<60, using: &random)
                let name = "d\(number % 3)/\(number).jpg"
                if present.remove(name) != nil {
                    try scratch.remove("pictures/" + name)
                    always.remove(name)
                } else {
                    present.insert(name)
                    try scratch.file("pictures/" + name)
                }
            }
            await catalog.rescanned()
            let cursor = try #require(Cursor(plain: next.plainText))
            page = try await catalog.page(after: cursor, limit: Int.random(in: 1...5, using: &random))
        }
        #expect(Set(seen).count == seen.count)
        let steady = seen.filter(always.contains)
        #expect(Set(steady) == always && steady.count == always.count)
        let isInOrder = zip(seen, seen.dropFirst()).allSatisfy { order($0) < order($1) }
        #expect(isInOrder)
    }

    private func order(_ path: String) -> Order {
        let parts = path.split(separator: "/")
        return Order(
            folder: NaturalKey(Array((parts.count > 1 ? parts[0] : "").utf8)),
            name: NaturalKey(Array(parts[parts.count - 1].utf8)))
    }

    private struct Order: Comparable {
        let folder: NaturalKey
        let name: NaturalKey

        static func < (left: Order, right: Order) -> Bool { (left.folder, left.name) < (right.folder, right.name) }
    }
}

@Suite struct GrowthTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    @Test(.timeLimit(.minutes(1))) func `pages can be read while a source is still being scanned`() async throws {
        let lines = (0..<6_000).map { "http://a.test/\($0)\n" }.joined()
        let list = Source.list(path: try scratch.file("a.txt", lines), format: .text)
        let catalog = try await scratch.opened([list]) { $0.growthInterval = .milliseconds(5) }
        var totals: [Int] = []
        var page = try await catalog.page(offset: 0, limit: 500)
        var urls = page.images.compactMap(\.url)
        while let next = page.next {
            page = try await catalog.page(after: next, limit: 500)
            urls += page.images.compactMap(\.url)
            totals.append(page.total)
            await Task.yield()
        }
        #expect(urls == (0..<6_000).map { "http://a.test/\($0)" })
        #expect(totals == totals.sorted())
    }

    @Test func `known images are available at once after a restart`() async throws {
        for number in 0..<300 { try scratch.file("pictures/\(number).jpg") }
        var catalog = try await scratch.catalog()
        let images = try await catalog.all()
        let revision = catalog.state.revision
        await catalog.close()
        catalog = try await scratch.opened()
        #expect(catalog.state.total == 300)
        #expect(catalog.state.revision > revision)
        #expect(try await catalog.page(offset: 0, limit: 500).images == images)
        await catalog.scanCompleted()
        #expect(try await catalog.page(offset: 0, limit: 500).images == images)
    }

    @Test func `a rescan without changes makes no new revision`() async throws {
        try scratch.file("pictures/a.jpg")
        let catalog = try await scratch.catalog()
        let revision = catalog.state.revision
        await catalog.rescanned()
        #expect(catalog.state.revision == revision)
        try scratch.file("pictures/a.jpg", "longer than before")
        await catalog.rescanned()
        #expect(catalog.state.revision == revision + 1)
    }

    @Test func `ids survive changes to other files and the deletion of the data folder`() async throws {
        for name in ["b.jpg", "x/d.jpg"] { try scratch.file("pictures/" + name) }
        var catalog = try await scratch.catalog()
        let ids = try await catalog.all().map(\.id)
        for name in ["a.jpg", "c.jpg", "x/a.jpg"] { try scratch.file("pictures/" + name) }
        await catalog.rescanned()
        let more = try await catalog.all()
        #expect(more.map(\.name) == ["a.jpg", "b.jpg", "c.jpg", "a.jpg", "d.jpg"])
        #expect([more[1].id, more[4].id] == ids)
        await catalog.close()
        try scratch.remove("data")
        catalog = try await scratch.catalog()
        #expect(try await catalog.all().map(\.id) == more.map(\.id))
    }
}
