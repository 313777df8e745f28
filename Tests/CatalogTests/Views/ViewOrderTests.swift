import Foundation
import GRDB
import Glibc
import Images
import TestSupport
import Testing

@testable import Catalog

@Suite struct ViewOrderTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func view(_ parameters: [String: String]) throws -> View { try View { parameters[$0] } }

    private func names(_ catalog: Catalog, _ parameters: [String: String]) async throws -> [String] {
        try await catalog.page(offset: 0, limit: 500, of: try view(parameters)).images.map(\.name)
    }

    private func learn(_ catalog: Catalog, _ name: String, _ change: (inout ImageMetadata) -> Void) async throws {
        let image = try #require(try await catalog.all().first { $0.name == name })
        var metadata = ImageMetadata()
        change(&metadata)
        catalog.learned(metadata, version: image.version, of: image.id)
    }

    /// Waits until metadata is written to the index, from which orders are built.
    private func written(_ catalog: Catalog) async { await catalog.metadata.drain() }

    private func gallery() async throws -> Catalog {
        for (path, bytes) in [("a/IMG_10.jpg", 30), ("a/img_2.png", 10), ("b/c/Zoë.gif", 20), ("b/last.jpg", 5)] {
            try scratch.file("pictures/" + path, String(repeating: "x", count: bytes))
        }
        let catalog = try await scratch.catalog()
        try await learn(catalog, "IMG_10.jpg") { metadata in
            metadata.takenAt = "2019-07-01T00:30:00+02:00"
            metadata.camera = .init()
            metadata.camera?.model = "Lumix GX9"
            metadata.camera?.lens = "Leica 25mm"
            metadata.camera?.sensitivity = 400
            metadata.place = .init(latitude: 48.8584, longitude: 2.2945)
            metadata.width = 400
            metadata.height = 300
        }
        try await learn(catalog, "Zoë.gif") { metadata in
            metadata.takenAt = "2019-06-30T23:30:00Z"
            metadata.isIncomplete = true
            metadata.rating = 4
            metadata.title = "Evening at the lake"
            metadata.description = "Leica the dog swims"
            metadata.keywords = ["Sommer", "see"]
            metadata.placeNames = .init()
            metadata.placeNames?.city = "Zürich"
        }
        await written(catalog)
        return catalog
    }

    @Test func `each sort puts images without a value last in both directions, ordered by path`() async throws {
        let catalog = try await gallery()
        #expect(try await names(catalog, [:]) == ["img_2.png", "IMG_10.jpg", "last.jpg", "Zoë.gif"])
        let plain = try await names(catalog, [:])
        #expect(try await names(catalog, ["direction": "desc"]) == plain.reversed())
        // By local time, the picture taken abroad is later.
        #expect(try await names(catalog, ["sort": "taken"]).prefix(2) == ["Zoë.gif", "IMG_10.jpg"])
        #expect(
            try await names(catalog, ["sort": "taken", "direction": "desc"])
                == ["IMG_10.jpg", "Zoë.gif", "img_2.png", "last.jpg"])
        #expect(try await names(catalog, ["sort": "taken"]).suffix(2) == ["img_2.png", "last.jpg"])
        #expect(try await names(catalog, ["sort": "size"]) == ["last.jpg", "img_2.png", "Zoë.gif", "IMG_10.jpg"])
        #expect(try await names(catalog, ["sort": "name"]) == ["img_2.png", "IMG_10.jpg", "last.jpg", "Zoë.gif"])
        #expect(
            try await names(catalog, ["sort": "name", "direction": "desc"])
                == ["Zoë.gif", "last.jpg", "IMG_10.jpg", "img_2.png"])
    }

    @Test func `a burst is in sequence by fractions of a second, and an incomplete date is its beginning`() async throws
    {
        let times = [
            "a.jpg": "2019-06-01T10:00:00.9Z", "b.jpg": "2019-06-01T10:00:00.178406Z",
            "c.jpg": "2019-06-01T10:00:00.0947Z", "d.jpg": "2019-06-01T10:00:00.5Z",
            "e.jpg": "2019-06-01T10:00:00.12Z", "f.jpg": "2019-06-01T10:00:00Z",
            "g.jpg": "2019-06-01T09:59:59.9999999Z",
            "h.jpg": "2019-06", "i.jpg": "2019-05-31T23:59:59.5Z", "j.jpg": "1956", "k.jpg": "1956-01-01T00:00:00.25Z",
            "l.jpg": "1955-12-31",
        ]
        for name in times.keys { try scratch.file("pictures/" + name) }
        let catalog = try await scratch.catalog()
        for (name, time) in times { try await learn(catalog, name) { $0.takenAt = time } }
        await written(catalog)
        let sorted = ["l", "j", "k", "i", "h", "g", "f", "c", "e", "b", "d", "a"].map { $0 + ".jpg" }
        #expect(try await names(catalog, ["sort": "taken"]) == sorted)
        #expect(try await names(catalog, ["sort": "taken", "direction": "desc"]) == sorted.reversed())
        #expect(try await names(catalog, ["sort": "taken", "q": "taken:2019-05-31"]) == ["i.jpg"])
        let months = try await catalog.timeline(of: view(["sort": "taken"])).months
        #expect(months.map(\.month) == [12, 1, 5, 6] && months.map(\.count) == [1, 2, 1, 8])
        let unsorted = try await catalog.timeline(of: view(["sort": "name"])).months
        #expect(unsorted.map(\.count).sorted() == [1, 1, 2, 8])
    }

    @Test(arguments: ["asc", "desc"]) func `a timeline matches the images of its order, before and after eviction`(
        direction: String
    ) async throws {
        var random = SeededRandom(seed: 3)
        for number in 0..<80 { try scratch.file("pictures/\(number).jpg") }
        let catalog = try await scratch.catalog()
        for image in try await catalog.all().dropLast(7) {
            var metadata = ImageMetadata()
            let (month, day) = (1 + random.number(below: 12), 10 + random.number(below: 18))
            metadata.takenAt = "20\(10 + random.number(below: 3))-\(month < 10 ? "0" : "")\(month)-\(day)T12:00:00Z"
            catalog.learned(metadata, version: image.version, of: image.id)
        }
        await written(catalog)
        let view = try view(["sort": "taken", "direction": direction])
        let timeline = try await catalog.timeline(of: view)
        let images = try await catalog.page(offset: 0, limit: 100, of: view).images
        var expected: [(month: String?, first: Int, count: Int)] = []
        for (position, image) in images.enumerated() {
            let month = image.metadata.takenAt.map { String($0.prefix(7)) }
            if expected.isEmpty || expected[expected.count - 1].month != month { expected.append((month, position, 0)) }
            expected[expected.count - 1].count += 1
        }
        let months = timeline.months.map { month in
            month.year.map { "\($0)-\((month.month ?? 0) < 10 ? "0" : "")\(month.month ?? 0)" }
        }
        #expect(months == expected.map(\.month) && months.count > 10 && months.last == .some(nil))
        #expect(timeline.months.map(\.first) == expected.map(\.first))
        #expect(timeline.months.map(\.count) == expected.map(\.count))
        // Nobody has used it for a while: it is dropped, and rebuilt when needed.
        catalog.forgetIdleOrders()
        #expect(catalog.orders.count > 0)
        catalog.forgetIdleOrders(now: .now + .seconds(61))
        #expect(catalog.orders.count == 0)
        #expect(try await catalog.timeline(of: view).months == timeline.months)
        await catalog.close()
    }

    @Test func `an image added last is last in the order by time added`() async throws {
        let catalog = try await gallery()
        try scratch.file("pictures/a/0.jpg")
        await catalog.rescanned()
        #expect(try await names(catalog, ["sort": "added"]).last == "0.jpg")
        #expect(try await names(catalog, ["sort": "added", "direction": "desc"]).first == "0.jpg")
    }

    @Test func `a shuffle depends only on its seed, and new images do not reorder the others`() async throws {
        let catalog = try await gallery()
        let first = try await names(catalog, ["sort": "shuffle", "seed": "7"])
        #expect(try await names(catalog, ["sort": "shuffle", "seed": "7"]) == first)
        var others: Set<[String]> = []
        for seed in 0..<20 { others.insert(try await names(catalog, ["sort": "shuffle", "seed": "\(seed)"])) }
        #expect(others.count > 5)
        try scratch.file("pictures/a/new.jpg")
        await catalog.rescanned()
        let later = try await catalog.order(
            of: try view(["sort": "shuffle", "seed": "7"]), at: try catalog.moment(), mustBeNew: true)
        let found = try catalog.images(of: later, at: 0..<later.count).map(\.name)
        #expect(found.filter { $0 != "new.jpg" } == first && found.count == 5)
    }

    @Test(arguments: [
        ("zoe", ["Zoë.gif"]), ("ZOË", ["Zoë.gif"]), ("img", ["img_2.png", "IMG_10.jpg"]),
        ("b", ["last.jpg", "Zoë.gif"]),
        ("img -10", ["img_2.png"]), ("lumix", ["IMG_10.jpg"]), ("camera:gx9", ["IMG_10.jpg"]), ("camera:img", []),
        ("lens:leica", ["IMG_10.jpg"]), ("camera:leica", ["IMG_10.jpg"]), ("leica", ["IMG_10.jpg", "Zoë.gif"]),
        ("lens:lumix", []), ("iso:400", ["IMG_10.jpg"]), ("iso:100..399", []), ("iso:200..", ["IMG_10.jpg"]),
        ("june 2019", ["Zoë.gif"]), ("2019", ["IMG_10.jpg", "Zoë.gif"]), ("\"2019\"", []), ("img 2019", ["IMG_10.jpg"]),
        ("-2019", ["img_2.png", "last.jpg"]), ("swims", ["Zoë.gif"]),
        ("on:06-30", ["Zoë.gif"]), ("on:07-01", ["IMG_10.jpg"]), ("on:02-29", []), ("-on:06-30 2019", ["IMG_10.jpg"]),
        ("taken:2019-06", ["Zoë.gif"]), ("taken:2019-07", ["IMG_10.jpg"]), ("taken:2019", ["IMG_10.jpg", "Zoë.gif"]),
        ("type:jpeg", ["IMG_10.jpg", "last.jpg"]), ("-type:jpeg", ["img_2.png", "Zoë.gif"]), ("folder:c", ["Zoë.gif"]),
        ("folder:b", ["last.jpg", "Zoë.gif"]), ("folder:b/c", ["Zoë.gif"]), ("near:48.85,2.35,10km", ["IMG_10.jpg"]),
        ("rating:4", ["Zoë.gif"]), ("rating:3..5", ["Zoë.gif"]), ("rating:5", []), ("rating:-1", []),
        ("rating:0", ["img_2.png", "IMG_10.jpg", "last.jpg"]),
        ("-rating:1..", ["img_2.png", "IMG_10.jpg", "last.jpg"]),
        ("near:48.85,2.35,2km", []), ("is:broken", ["Zoë.gif"]), ("nothing", []),
        ("lake", ["Zoë.gif"]), ("sommer zurich", ["Zoë.gif"]), ("\"see zurich\"", []),
    ])
    func `searches find the matching images`(text: String, found: [String]) async throws {
        let catalog = try await gallery()
        #expect(try await names(catalog, ["q": text]) == found)
    }

    @Test func `positions, ids and pages of a view agree, by offset and by cursor`() async throws {
        for number in 0..<50 { try scratch.file("pictures/\(number % 3)/\(number).jpg") }
        let catalog = try await scratch.catalog()
        for parameters in [
            ["sort": "name", "direction": "desc"], ["sort": "shuffle"], ["q": "1"], ["direction": "desc"],
        ] {
            let view = try view(parameters)
            let order = try await catalog.order(of: view)
            let all = try await catalog.page(offset: 0, limit: 500, of: view)
            #expect(all.total == order.count && all.images.count == order.count && all.revision == order.revision)
            #expect(order.count > 10)
            for (position, image) in all.images.enumerated() {
                #expect(order.id(at: position) == image.id)
                #expect(order.position(of: image.id) == position)
            }
            var read: [ImageID] = []
            var page = try await catalog.page(offset: 0, limit: 7, of: view)
            while true {
                read += page.images.map(\.id)
                guard let next = page.next else { break }
                page = try await catalog.page(after: next, limit: 7, of: view)
            }
            #expect(read == all.images.map(\.id))
        }
    }

    @Test func `a folder's view contains everything below it and nothing beside it`() async throws {
        for path in ["a/1.jpg", "a/b/2.jpg", "ab/3.jpg", "4.jpg"] { try scratch.file("pictures/" + path) }
        let catalog = try await scratch.catalog()
        #expect(Set(try await names(catalog, ["folder": "a"])) == ["1.jpg", "2.jpg"])
        #expect(try await names(catalog, ["folder": "a/b"]) == ["2.jpg"])
        let top = try await catalog.folders(in: "")
        #expect(
            top.map(\.path) == ["a", "ab"] && top.map(\.count) == [2, 1] && top.map(\.hasFolders) == [true, false])
        #expect(try await catalog.folders(in: "a").map(\.path) == ["a/b"])
        #expect(try await catalog.folders(in: "none").isEmpty)
    }

    @Test func `a timeline has the first position and the count of each month`() async throws {
        let catalog = try await gallery()
        let timeline = try await catalog.timeline(of: try view(["sort": "taken", "direction": "desc"]))
        #expect(timeline.total == 4)
        #expect(
            timeline.months == [
                .init(year: 2019, month: 7, first: 0, count: 1), .init(year: 2019, month: 6, first: 1, count: 1),
                .init(year: nil, month: nil, first: 2, count: 2),
            ])
    }

    @Test func `the shape of an order gives the sum of its aspect ratios`() async throws {
        let catalog = try await gallery()
        let shape = try await catalog.shape(of: .plain)
        #expect(shape.parts == [0] && shape.sums.count == 1)
        #expect(abs(shape.sums[0] - (3 * AspectRatio.assumed + 4.0 / 3)) < 0.02)
        let (_, bytes) = try await catalog.ratios(of: .plain, at: 0..<512)
        #expect(bytes == [0, AspectRatio.byte(width: 4, height: 3), 0, 0])
        let none = try await catalog.shape(of: try view(["q": "nowhere"]))
        #expect(none.parts.isEmpty && none.sums.isEmpty)
    }

    @Test func `blocks of a shape start anew with each month of an order by time`() async throws {
        let catalog = try await gallery()
        let shape = try await catalog.shape(of: try view(["sort": "taken"]))
        #expect(shape.parts == [0, 1, 2] && shape.sums.count == 3)
        #expect(abs(shape.sums[2] - 2 * AspectRatio.assumed) < 0.02)
    }

    @Test func `metadata changes an order's revision only if it changes the order`() async throws {
        let catalog = try await gallery()
        let view = try view(["sort": "taken"])
        let before = try await catalog.order(of: view)
        try await learn(catalog, "last.jpg") { $0.width = 7 }
        await written(catalog)
        let same = try await catalog.order(of: view, at: try catalog.moment(), mustBeNew: true)
        #expect(same.revision == before.revision)
        try await learn(catalog, "last.jpg") { $0.takenAt = "2001-01-01T00:00:00Z" }
        await written(catalog)
        let after = try await catalog.order(of: view, at: try catalog.moment(), mustBeNew: true)
        #expect(after.revision != before.revision)
        #expect(try catalog.images(of: after, at: 0..<1).map(\.name) == ["last.jpg"])
    }

    @Test func `the timeline and shape match their order, whatever was learned since it was built`() async throws {
        let catalog = try await gallery()
        let view = try view(["sort": "taken"])
        let before = try await catalog.timeline(of: view)
        let shape = try await catalog.shape(of: view)
        for name in ["last.jpg", "img_2.png"] {
            try await learn(catalog, name) {
                $0.takenAt = "2031-01-01T00:00:00Z"
                $0.width = 900
                $0.height = 100
            }
        }
        await written(catalog)
        // The order was built less than a second ago, and is reused.
        #expect(try await catalog.order(of: view).revision == before.revision)
        #expect(try await catalog.timeline(of: view) == before)
        #expect(try await catalog.shape(of: view) == shape)
        let after = try await catalog.order(of: view, at: try catalog.moment(), mustBeNew: true)
        #expect(after.revision != before.revision)
        let months = try await catalog.timeline(of: view)
        #expect(months.revision == after.revision && months.months != before.months)
        #expect(try await catalog.shape(of: view).revision == after.revision)
        #expect(try await catalog.shape(of: view).parts == months.months.map(\.first))
    }

    @Test func `an order gets a new revision even if only its months change`()
        async throws
    {
        let catalog = try await gallery()
        let view = try view(["sort": "taken"])
        let before = try await catalog.order(of: view)
        // The image was the first without a date, and is now the last of those with one.
        let id = try #require(before.id(at: 2))
        let name = try #require(try catalog.images(of: before, at: 2..<3).first?.name)
        try await learn(catalog, name) { $0.takenAt = "2039-01-01T00:00:00Z" }
        await written(catalog)
        let after = try await catalog.order(of: view, at: try catalog.moment(), mustBeNew: true)
        #expect(after.id(at: 2) == id && after.sequence == before.sequence)
        #expect(after.revision != before.revision)
    }

    @Test func `columns are restored after a restart, and those that changed are read again`() async throws {
        var catalog = try await gallery()
        let views = try [["sort": "taken"], ["sort": "size"], ["q": "lumix"], ["q": "is:broken"], ["folder": "b/c"]]
            .map { try view($0) }
        var before: [[String]] = []
        for view in views { before.append(try await catalog.page(offset: 0, limit: 9, of: view).images.map(\.name)) }
        await catalog.close()
        catalog = try await scratch.catalog()
        let index = catalog.indexStore.disk
        let kept = try await index.database.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM columns") }
        #expect(kept == 1)
        for (view, names) in zip(views, before) {
            #expect(try await catalog.page(offset: 0, limit: 9, of: view).images.map(\.name) == names)
        }
        await catalog.close()
        // Changed while nothing was watching, and metadata stored before any order was requested.
        try scratch.file("pictures/b/last.jpg", String(repeating: "y", count: 1_000))
        catalog = try await scratch.catalog()
        try await learn(catalog, "img_2.png") { $0.takenAt = "1999-01-01T00:00:00Z" }
        await written(catalog)
        #expect(try await names(catalog, ["sort": "size"]).last == "last.jpg")
        #expect(try await names(catalog, ["sort": "taken"]).first == "img_2.png")
    }

    @Test func `a page whose images are gone is taken from a new order`() async throws {
        for number in 0..<20 { try scratch.file("pictures/\(number).jpg") }
        let catalog = try await scratch.catalog()
        let view = try view(["direction": "desc", "sort": "name"])
        #expect(try await catalog.page(offset: 0, limit: 500, of: view).total == 20)
        for number in 10..<20 { try scratch.remove("pictures/\(number).jpg") }
        await catalog.rescanned()
        // The rows are gone, so the cached order can no longer be read.
        let page = try await catalog.page(offset: 0, limit: 500, of: view)
        #expect(page.images.map(\.name) == (0..<10).reversed().map { "\($0).jpg" })
    }

    @Test func `a template can be ordered only by position, and says so`() async throws {
        let series = try URLTemplate("http://a.test/{index}.jpg", count: 1_000_000_000)
        let catalog = try await scratch.catalog([.template(series)])
        await #expect(throws: CatalogError.positionsOnly) {
            try await catalog.page(offset: 0, limit: 1, of: try view(["sort": "taken"]))
        }
        await #expect(throws: CatalogError.positionsOnly) {
            try await catalog.page(offset: 0, limit: 1, of: try view(["q": "x"]))
        }
        let last = try await catalog.page(offset: 0, limit: 1, of: try view(["direction": "desc"]))
        #expect(last.images.map(\.name) == [series.name(at: 999_999_999)])
    }

    @Test func `two source folders are distinguished by name`() async throws {
        try scratch.file("one/a/1.jpg")
        try scratch.file("two/a/2.jpg")
        let catalog = try await scratch.catalog([
            .folder(path: scratch.path("one")), .folder(path: scratch.path("two")),
        ])
        let top = try await catalog.folders(in: "")
        #expect(top.map(\.path) == ["one", "two"])
        #expect(top.allSatisfy { $0.count == 1 && $0.hasFolders })
        for (folder, name) in zip(top, ["1.jpg", "2.jpg"]) {
            #expect(try await names(catalog, ["folder": folder.path]) == [name])
            #expect(try await catalog.folders(in: folder.path).map(\.name) == ["a"])
        }
    }

    @Test func `the radix sort is stable`() {
        var random = SeededRandom(seed: 3)
        for count in [0, 1, 2, 1_000] {
            for bits in [1, 8, 33, 64] {
                let keys = (0..<count).map { _ in UInt64.random(in: 0...UInt64.max >> UInt64(64 - bits), using: &random)
                }
                let expected = keys.indices.sorted { (keys[$0], $0) < (keys[$1], $1) }
                #expect(RadixSort.order(keys).map(Int.init) == expected)
            }
        }
    }
}
