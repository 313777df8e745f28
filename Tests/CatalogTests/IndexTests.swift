import Dispatch
import FoundationEssentials
import GRDB
import Images
import Locking
import Logging
import Testing

@testable import Catalog

@Suite struct LearningTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private var full: ImageFacts {
        var facts = ImageFacts()
        facts.width = 4032
        facts.height = 3024
        facts.mediaType = "image/jpeg"
        facts.frames = 1
        facts.placeholder = [1, 2, 3]
        facts.takenAt = "2024-05-01T10:00:00Z"
        facts.orientation = 6
        var camera = ImageFacts.Camera()
        camera.make = "M"
        camera.model = "N"
        camera.lens = "L"
        camera.exposureTime = 0.004
        camera.aperture = 1.8
        camera.sensitivity = 100
        camera.focalLength = 35
        facts.camera = camera
        facts.place = .init(latitude: -1.5, longitude: 2.5, altitude: 3.5)
        facts.isIncomplete = true
        facts.isBroken = false
        facts.rating = -1
        facts.title = "Ein Tag, a day, 一日"
        facts.keywords = ["Katze", "cat", "with a blank"]
        facts.placeNames = .init()
        facts.placeNames?.location = "Altstadt"
        facts.placeNames?.city = "Bern"
        facts.placeNames?.state = "BE"
        facts.placeNames?.country = "Schweiz"
        facts.examination = ImageFacts.presentExamination
        return facts
    }

    @Test func `what was learnt is seen at once, and after a restart`() async throws {
        try scratch.file("pictures/a.jpg", "12345")
        var catalog = try await scratch.catalog { $0.learningDelay = .seconds(3600) }
        let before = try #require(try await catalog.all().first)
        #expect(before.facts.byteCount == 5)
        catalog.learned(full, version: before.version, of: before.id)
        var expected = full
        expected.byteCount = 5
        #expect(try await catalog.image(before.id)?.facts == expected)
        await catalog.close()
        catalog = try await scratch.catalog()
        #expect(try await catalog.image(before.id)?.facts == expected)
    }

    @Test func `a changed file loses its facts, and late news of the old content is ignored`() async throws {
        try scratch.file("pictures/a.jpg", "old")
        let catalog = try await scratch.catalog()
        let old = try #require(try await catalog.all().first)
        catalog.learned(full, version: old.version, of: old.id)
        try scratch.file("pictures/a.jpg", "newer")
        await catalog.rescanned()
        let new = try #require(try await catalog.image(old.id))
        #expect(new.version != nil && new.version != old.version)
        #expect(new.facts.width == nil && new.facts.byteCount == 5)
        catalog.learned(full, version: old.version, of: old.id)
        #expect(try await catalog.image(old.id)?.facts.width == nil)
        catalog.learned(full, version: new.version, of: old.id)
        #expect(try await catalog.image(old.id)?.facts.width == 4032)
    }

    @Test func `facts of one content add up, and those of another take their place`() async throws {
        let list = Source.list(path: try scratch.file("a.txt", "http://a.test/x"), format: .text)
        let catalog = try await scratch.catalog([list]) { $0.learningBatch = 1 }
        let id = try #require(try await catalog.all().first).id
        func facts(width: Int? = nil, type: String? = nil) -> ImageFacts {
            var facts = ImageFacts()
            facts.width = width
            facts.mediaType = type
            return facts
        }
        let steps: [(ImageFacts, UInt64?)] = [
            (facts(width: 1), 1), (facts(type: "a"), 1), (facts(width: 2), nil), (facts(type: "b"), 2),
        ]
        let expected: [(Int?, String?, UInt64?)] = [(1, nil, 1), (1, "a", 1), (2, "a", 1), (nil, "b", 2)]
        for isWritten in [false, true] {
            // Other contents the second time: what is known of the first ones stays true.
            func version(_ number: UInt64) -> UInt64 { number + (isWritten ? 10 : 0) }
            for (step, result) in zip(steps, expected) {
                catalog.learned(step.0, version: step.1.map { ContentVersion(rawValue: version($0)) }, of: id)
                if isWritten { await catalog.facts.drain() }
                let image = try #require(try await catalog.image(id))
                #expect(image.facts.width == result.0 && image.facts.mediaType == result.1)
                #expect(image.version?.rawValue == result.2.map(version))
            }
        }
    }

    @Test func `that a file is incomplete stays known of its content, and is not said of another one`() async throws {
        try scratch.file("pictures/a.jpg", "half")
        let catalog = try await scratch.catalog { $0.learningBatch = 1 }
        let half = try #require(try await catalog.all().first)
        #expect(half.facts.isIncomplete == nil)
        var facts = ImageFacts()
        facts.isIncomplete = true
        catalog.learned(facts, version: half.version, of: half.id)
        // What does not know of it adds to it; what knows better replaces it.
        for isWritten in [false, true] {
            var others = ImageFacts()
            others.width = isWritten ? 2 : 1
            catalog.learned(others, version: half.version, of: half.id)
            if isWritten { await catalog.facts.drain() }
            #expect(try await catalog.image(half.id)?.facts.isIncomplete == true)
        }
        facts.isIncomplete = false
        catalog.learned(facts, version: half.version, of: half.id)
        await catalog.facts.drain()
        #expect(try await catalog.image(half.id)?.facts.isIncomplete == false)
        facts.isIncomplete = true
        catalog.learned(facts, version: half.version, of: half.id)
        try scratch.file("pictures/a.jpg", "all of it")
        await catalog.rescanned()
        #expect(try await catalog.image(half.id)?.facts.isIncomplete == nil)
    }

    @Test(arguments: [1, 2])
    func `an index of an older form is brought up to date with all that it has`(form: Int) async throws {
        try scratch.file("pictures/a.jpg", "12345")
        var catalog = try await scratch.catalog()
        let image = try #require(try await catalog.all().first)
        var old = ImageFacts()
        (old.width, old.height, old.mediaType, old.placeholder) = (4032, 3024, "image/jpeg", [1, 2, 3])
        old.camera = full.camera
        old.isIncomplete = form == 1 ? nil : true
        catalog.learned(old, version: image.version, of: image.id)
        await catalog.facts.drain()
        // As an older version of this program left it.
        let columns = FactsColumns.third + (form == 1 ? ["isIncomplete"] : [])
        try await catalog.shelf.disk.database.write { db in
            for column in columns { try db.execute(sql: "ALTER TABLE facts DROP COLUMN \(column)") }
            try db.execute(sql: "ALTER TABLE source DROP COLUMN examinedRow; DROP TABLE unexamined")
            try db.execute(sql: "PRAGMA user_version = \(form)")
        }
        await catalog.close()
        catalog = try await scratch.catalog()
        #expect(catalog.state.problems.count == 0)
        old.byteCount = 5
        #expect(try await catalog.image(image.id)?.facts == old)
        var all = full
        all.byteCount = 5
        catalog.learned(full, version: image.version, of: image.id)
        await catalog.close()
        catalog = try await scratch.catalog()
        #expect(try await catalog.image(image.id)?.facts == all)
        await catalog.close()
    }

    @Test func `a thousand facts are a few transactions`() async throws {
        let written = Guarded<[Int]>([])
        let buffer = FactsBuffer(delay: .seconds(3600), batch: 500, logger: Logger(label: "test")) { learnt in
            written.withLock { $0.append(learnt.count) }
        }
        for id in 0..<1000 as Range<UInt64> {
            buffer.add(Learnt(facts: full, version: nil), of: ImageID(rawValue: id))
        }
        await buffer.drain()
        let batches = written.withLock(\.self)
        #expect(batches.count <= 3 && batches.reduce(0, +) == 1000)
    }

    @Test func `facts that cannot be are not kept`() {
        var facts = full
        facts.camera?.exposureTime = .nan
        facts.place = .init(latitude: .infinity, longitude: 0)
        facts.placeholder = Array(repeating: 0, count: 1000)
        facts.camera?.make = String(repeating: "é", count: 10_000)
        facts.title = String(repeating: "é", count: 10_000)
        facts.keywords = (0..<1_000).map { "\($0)" + String(repeating: "x", count: 1_000) } + ["a\nb", ""]
        facts.placeNames?.city = String(repeating: "é", count: 10_000)
        facts.rating = 6
        let bounded = facts.bounded
        #expect((bounded.title?.utf8.count ?? 0) <= 1_024 && (bounded.placeNames?.city?.utf8.count ?? 0) <= 256)
        #expect(bounded.keywords.count == 64 && bounded.keywords.allSatisfy { $0.utf8.count <= 128 })
        #expect(bounded.rating == nil)
        #expect(bounded.camera?.exposureTime == nil && bounded.place == nil && bounded.placeholder == nil)
        #expect((bounded.camera?.make?.utf8.count ?? 0) <= 300)
    }
}

@Suite struct IndexDamageTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func setAside() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: scratch.path("data"))
            .filter { $0.hasPrefix("catalog.sqlite.corrupt-") && !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm") }
    }

    @Test(arguments: ["garbage", "head", "middle", "form"])
    func `a damaged index is set aside, rebuilt, and said so`(kind: String) async throws {
        for number in 0..<200 { try scratch.file("pictures/\(number).jpg") }
        var catalog = try await scratch.catalog()
        let ids = try await catalog.all().map(\.id)
        if kind == "form" {
            try await catalog.shelf.disk.database.write { try $0.execute(sql: "PRAGMA user_version = 99") }
        }
        await catalog.close()
        let path = scratch.path("data/catalog.sqlite")
        var bytes = Array(try Data(contentsOf: URL(filePath: path)))
        switch kind {
        case "garbage": bytes = Array(repeating: 7, count: 10_000)
        case "head": bytes.replaceSubrange(0..<100, with: repeatElement(0, count: 100))
        case "middle": bytes.replaceSubrange(8192..<bytes.count, with: repeatElement(0xaa, count: bytes.count - 8192))
        default: break
        }
        try Data(bytes).write(to: URL(filePath: path))
        catalog = try await scratch.catalog()
        #expect(try await catalog.all().map(\.id) == ids)
        #expect(catalog.state.problems.first.contains { $0.reason.contains("damaged") })
        #expect(try setAside().count == 1)
    }

    @Test(arguments: [
        "UPDATE source SET size = 'x', seconds = 1.5, problems = x'ff'; UPDATE listing SET ids = 5",
        "UPDATE counter SET value = 9000000000000000000 WHERE name = 'nextRow'",
    ])
    func `values that cannot be are damage and no trap`(sql: String) async throws {
        for number in 0..<20 { try scratch.file("pictures/\(number).jpg") }
        var catalog = try await scratch.catalog()
        try await catalog.shelf.disk.database.write { try $0.execute(sql: sql) }
        await catalog.close()
        try scratch.file("pictures/20.jpg")
        catalog = try await scratch.catalog()
        #expect(try await catalog.all().count == 21)
        #expect(try setAside().count == 1)
    }

    @Test func `a data folder that is made is for its owner alone`() async throws {
        _ = try await scratch.catalog(data: "above/data")
        for folder in ["above", "above/data"] {
            let attributes = try FileManager.default.attributesOfItem(atPath: scratch.path(folder))
            #expect((attributes[.posixPermissions] as? Int).map { $0 & 0o077 } == 0)
        }
    }

    @Test func `damage that is met while reading is repaired while serving`() async throws {
        for number in 0..<200 { try scratch.file("pictures/\(number).jpg") }
        let catalog = try await scratch.catalog()
        let ids = try await catalog.all().map(\.id)
        try await catalog.shelf.disk.database.write { try $0.execute(sql: "DELETE FROM image WHERE row = 50") }
        await #expect(throws: CatalogError.indexUnavailable) { try await catalog.page(offset: 0, limit: 500) }
        await withCheckedContinuation { done in catalog.scanning.async { done.resume() } }
        await catalog.scanCompleted()
        #expect(try await catalog.all().map(\.id) == ids)
        #expect(try setAside().count == 1)
    }

    @Test func `a scan that was cut off leaves nothing behind`() async throws {
        for number in 0..<20 { try scratch.file("pictures/\(number).jpg") }
        var catalog = try await scratch.catalog()
        // As a killed process would leave it: rows written, and no listing that has them.
        try await catalog.shelf.disk.database.write { db in
            try db.execute(sql: "INSERT INTO image (row, id, location) VALUES (1000, 5, 'x'), (1001, 6, 'y')")
            try db.execute(sql: "UPDATE counter SET value = 1002 WHERE name = 'nextRow'")
        }
        await catalog.close()
        catalog = try await scratch.catalog()
        #expect(catalog.state.total == 20)
        let rows = try await catalog.shelf.disk.database.read {
            try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM image")
        }
        #expect(rows == 20)
    }

    @Test func `removed files vanish from the index, too`() async throws {
        for number in 0..<20 { try scratch.file("pictures/\(number).jpg") }
        let catalog = try await scratch.catalog()
        for number in 0..<15 { try scratch.remove("pictures/\(number).jpg") }
        await catalog.rescanned()
        #expect(catalog.state.total == 5)
        let rows = try await catalog.shelf.disk.database.read {
            try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM image")
        }
        #expect(rows == 5)
    }
}

@Suite struct DataFolderTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    @Test func `a second catalog on one data folder is refused, and let in when the first is closed`() async throws {
        let first = try await scratch.catalog()
        await #expect(throws: CatalogError.dataFolderInUse(path: scratch.path("data"))) { try await scratch.catalog() }
        await first.close()
        let second = try await scratch.catalog()
        await second.close()
        await second.close()
        await #expect(throws: CatalogError.closed) { try await second.page(offset: 0, limit: 1) }
    }

    @Test(arguments: ["/proc/nowhere/data", "/dev/null/data", "/dev/null"])
    func `a data folder that cannot be used is a clear error`(path: String) async throws {
        let pictures = Source.folder(path: try scratch.folder("pictures"))
        let configuration = Catalog.Configuration(dataFolder: path)
        do {
            _ = try await Catalog.open(configuration, sources: [pictures], logger: .init(label: "test"))
            Issue.record("it opened")
        } catch let error as CatalogError {
            guard case .dataFolderUnusable(path, _) = error else { throw error }
        }
    }

    @Test func `a full disk at the beginning is a clear error`() async throws {
        await #expect {
            try await scratch.catalog { $0.maximumIndexPages = 3 }
        } throws: {
            guard case .dataFolderUnusable(_, let reason) = $0 as? CatalogError else { return false }
            return reason.contains("full")
        }
    }

    @Test func `when the disk fills up while a source is read, the gallery goes on in memory and says so`() async throws
    {
        let text = (0..<5000).map { "http://a.test/\($0)\n" }.joined()
        let list = Source.list(path: try scratch.file("a.txt", text), format: .text)
        let catalog = try await scratch.catalog([list]) { $0.maximumIndexPages = 40 }
        #expect(try await catalog.all().compactMap(\.url) == (0..<5000).map { "http://a.test/\($0)" })
        #expect(catalog.state.problems.count == 1)
        #expect(catalog.state.problems.first.first?.reason.contains("goes on in memory") == true)
    }

    @Test func `facts that the disk does not take are shown all the same`() async throws {
        let template = try URLTemplate("http://a.test/{index}", count: 5000)
        let catalog = try await scratch.catalog([.template(template)]) {
            $0.maximumIndexPages = 18
            $0.learningDelay = .seconds(3600)
        }
        var facts = ImageFacts()
        facts.placeholder = Array(repeating: 1, count: 25)
        facts.mediaType = String(repeating: "x", count: 200)
        let ids = try await catalog.all().map(\.id)
        for id in ids { catalog.learned(facts, version: nil, of: id) }
        await catalog.facts.drain()
        let all = try await catalog.all()
        #expect(all.count == 5_000 && all.allSatisfy { $0.facts == facts })
        #expect(catalog.state.problems.first.contains { $0.reason.contains("Make room in the data folder") })
    }

    @Test func `sources that cannot be read are refused before anything is made`() async throws {
        for source in [Source.folder(path: "/nowhere"), .list(path: "/nowhere.txt", format: .text)] {
            await #expect {
                try await scratch.catalog([source], data: "other")
            } throws: {
                guard case .badSource(_, let reason) = $0 as? CatalogError else { return false }
                return reason.contains("does not exist")
            }
        }
        #expect(!FileManager.default.fileExists(atPath: scratch.path("other")))
    }

    @Test func `values that cannot work are refused by name`() {
        func field(_ change: (inout Catalog.Configuration) -> Void) -> String? {
            var configuration = Catalog.Configuration(dataFolder: "x")
            change(&configuration)
            do throws(CatalogError) {
                try configuration.validate()
                return nil
            } catch {
                guard case .badConfiguration(let field, _) = error else { return "?" }
                return field
            }
        }
        #expect(field { _ in } == nil)
        #expect(field { $0.dataFolder = "" } == "dataFolder")
        #expect(field { $0.dataFolder = "a\0b" } == "dataFolder")
        #expect(field { $0.learningDelay = .seconds(-1) } == "learningDelay")
        #expect(field { $0.learningBatch = 0 } == "learningBatch")
        #expect(field { $0.longestLine = 0 } == "longestLine")
    }
}
