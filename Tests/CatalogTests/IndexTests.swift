import Dispatch
import FoundationEssentials
import GRDB
import Images
import Locking
import Logging
import TestSupport
import Testing

@testable import Catalog

@Suite struct LearningTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private var full: ImageMetadata {
        var metadata = ImageMetadata()
        metadata.width = 4032
        metadata.height = 3024
        metadata.mediaType = "image/jpeg"
        metadata.frames = 1
        metadata.placeholder = [1, 2, 3]
        metadata.takenAt = "2024-05-01T10:00:00Z"
        metadata.orientation = 6
        var camera = ImageMetadata.Camera()
        camera.make = "M"
        camera.model = "N"
        camera.lens = "L"
        camera.exposureTime = 0.004
        camera.aperture = 1.8
        camera.sensitivity = 100
        camera.focalLength = 35
        metadata.camera = camera
        metadata.place = .init(latitude: -1.5, longitude: 2.5, altitude: 3.5)
        metadata.isIncomplete = true
        metadata.isBroken = false
        metadata.rating = -1
        metadata.title = "Ein Tag, a day, 一日"
        metadata.description = "Was er bringt"
        metadata.keywords = ["Katze", "cat", "with a blank"]
        metadata.placeNames = .init()
        metadata.placeNames?.location = "Altstadt"
        metadata.placeNames?.city = "Bern"
        metadata.placeNames?.state = "BE"
        metadata.placeNames?.country = "Schweiz"
        metadata.readerVersion = ImageMetadata.currentReader
        return metadata
    }

    @Test func `learned metadata is visible at once and after a restart`() async throws {
        try scratch.file("pictures/a.jpg", "12345")
        var catalog = try await scratch.catalog { $0.learningDelay = .seconds(3600) }
        let before = try #require(try await catalog.all().first)
        #expect(before.metadata.byteCount == 5)
        catalog.learned(full, version: before.version, of: before.id)
        var expected = full
        expected.byteCount = 5
        #expect(try await catalog.image(before.id)?.metadata == expected)
        await catalog.close()
        catalog = try await scratch.catalog()
        #expect(try await catalog.image(before.id)?.metadata == expected)
    }

    @Test func `a changed file loses its metadata, and late metadata of the old content is ignored`() async throws {
        try scratch.file("pictures/a.jpg", "old")
        let catalog = try await scratch.catalog()
        let old = try #require(try await catalog.all().first)
        catalog.learned(full, version: old.version, of: old.id)
        try scratch.file("pictures/a.jpg", "newer")
        await catalog.rescanned()
        let new = try #require(try await catalog.image(old.id))
        #expect(new.version != nil && new.version != old.version)
        #expect(new.metadata.width == nil && new.metadata.byteCount == 5)
        catalog.learned(full, version: old.version, of: old.id)
        #expect(try await catalog.image(old.id)?.metadata.width == nil)
        catalog.learned(full, version: new.version, of: old.id)
        #expect(try await catalog.image(old.id)?.metadata.width == 4032)
    }

    @Test func `metadata of the same content is combined, and that of other content replaces it`() async throws {
        let list = Source.list(path: try scratch.file("a.txt", "http://a.test/x"), format: .text)
        let catalog = try await scratch.catalog([list]) { $0.learningBatch = 1 }
        let id = try #require(try await catalog.all().first).id
        func metadata(width: Int? = nil, type: String? = nil) -> ImageMetadata {
            var metadata = ImageMetadata()
            metadata.width = width
            metadata.mediaType = type
            return metadata
        }
        let steps: [(ImageMetadata, UInt64?)] = [
            (metadata(width: 1), 1), (metadata(type: "a"), 1), (metadata(width: 2), nil), (metadata(type: "b"), 2),
        ]
        let expected: [(Int?, String?, UInt64?)] = [(1, nil, 1), (1, "a", 1), (2, "a", 1), (nil, "b", 2)]
        for isWritten in [false, true] {
            // Other versions the second time: the metadata of the first ones stays.
            func version(_ number: UInt64) -> UInt64 { number + (isWritten ? 10 : 0) }
            for (step, result) in zip(steps, expected) {
                catalog.learned(step.0, version: step.1.map { ContentVersion(rawValue: version($0)) }, of: id)
                if isWritten { await catalog.metadata.drain() }
                let image = try #require(try await catalog.image(id))
                #expect(image.metadata.width == result.0 && image.metadata.mediaType == result.1)
                #expect(image.version?.rawValue == result.2.map(version))
            }
        }
    }

    @Test(arguments: [false, true]) func `a complete reading leaves nothing of an older one, except for pixels`(
        isWritten: Bool
    ) async throws {
        try scratch.file("pictures/a.jpg", "12345")
        let catalog = try await scratch.catalog { $0.learningDelay = .seconds(3600) }
        let image = try #require(try await catalog.all().first)
        func learn(_ metadata: ImageMetadata) async throws -> ImageMetadata {
            catalog.learned(metadata, version: image.version, of: image.id)
            if isWritten { await catalog.metadata.drain() }
            return try #require(await catalog.image(image.id)).metadata
        }
        var older = full
        older.readerVersion = ImageMetadata.currentReader - 1
        _ = try await learn(older)
        // An equally complete reading adds to it.
        var other = ImageMetadata()
        (other.readerVersion, other.rating) = (ImageMetadata.currentReader - 1, 3)
        var known = try await learn(other)
        #expect(known.rating == 3 && known.title == full.title && known.place == full.place)
        // A failure to read tells nothing.
        var broken = ImageMetadata()
        (broken.readerVersion, broken.isBroken) = (ImageMetadata.currentReader, true)
        known = try await learn(broken)
        #expect(known.isBroken == true && known.title == full.title)
        (other.sidecars, other.rating, other.takenAt) = (SidecarVersion.none, 2, "2000")
        known = try await learn(other)
        #expect(known.rating == 2 && known.takenAt == "2000" && known.title == nil && known.keywords.isEmpty)
        #expect(known.place == nil && known.placeNames == nil && known.camera == nil)
        #expect(known.width == 4032 && known.placeholder == [1, 2, 3] && known.orientation == 6)
        await catalog.close()
    }

    @Test func `a file stays marked as incomplete until newer metadata or new content says otherwise`() async throws {
        try scratch.file("pictures/a.jpg", "half")
        let catalog = try await scratch.catalog { $0.learningBatch = 1 }
        let half = try #require(try await catalog.all().first)
        #expect(half.metadata.isIncomplete == nil)
        var metadata = ImageMetadata()
        metadata.isIncomplete = true
        catalog.learned(metadata, version: half.version, of: half.id)
        // Metadata that says nothing about it is combined with it; metadata that knows better replaces it.
        for isWritten in [false, true] {
            var others = ImageMetadata()
            others.width = isWritten ? 2 : 1
            catalog.learned(others, version: half.version, of: half.id)
            if isWritten { await catalog.metadata.drain() }
            #expect(try await catalog.image(half.id)?.metadata.isIncomplete == true)
        }
        metadata.isIncomplete = false
        catalog.learned(metadata, version: half.version, of: half.id)
        await catalog.metadata.drain()
        #expect(try await catalog.image(half.id)?.metadata.isIncomplete == false)
        metadata.isIncomplete = true
        catalog.learned(metadata, version: half.version, of: half.id)
        try scratch.file("pictures/a.jpg", "all of it")
        await catalog.rescanned()
        #expect(try await catalog.image(half.id)?.metadata.isIncomplete == nil)
    }

    @Test(arguments: [1, 2])
    func `an index with an older schema is migrated with all its metadata`(form: Int) async throws {
        try scratch.file("pictures/a.jpg", "12345")
        var catalog = try await scratch.catalog()
        let image = try #require(try await catalog.all().first)
        var old = ImageMetadata()
        (old.width, old.height, old.mediaType, old.placeholder) = (4032, 3024, "image/jpeg", [1, 2, 3])
        old.camera = full.camera
        old.isIncomplete = form == 1 ? nil : true
        catalog.learned(old, version: image.version, of: image.id)
        await catalog.metadata.drain()
        // As an older version of this program left the index.
        let columns = MetadataColumns.third + (form == 1 ? ["isIncomplete"] : [])
        try await catalog.indexStore.disk.database.write { db in
            for column in columns { try db.execute(sql: "ALTER TABLE facts DROP COLUMN \(column)") }
            try db.execute(sql: "ALTER TABLE source DROP COLUMN examinedRow; DROP TABLE unexamined")
            try db.execute(sql: "PRAGMA user_version = \(form)")
        }
        await catalog.close()
        catalog = try await scratch.catalog()
        #expect(catalog.state.problems.count == 0)
        old.byteCount = 5
        #expect(try await catalog.image(image.id)?.metadata == old)
        var all = full
        all.byteCount = 5
        catalog.learned(full, version: image.version, of: image.id)
        await catalog.close()
        catalog = try await scratch.catalog()
        #expect(try await catalog.image(image.id)?.metadata == all)
        await catalog.close()
    }

    /// Runs one of `lessons` whenever metadata has been learned.
    private final class LateLearner: MetadataSharing {
        private let lessons: Guarded<[@Sendable () -> Void]>

        init(_ lessons: Guarded<[@Sendable () -> Void]>) { self.lessons = lessons }

        func learned() { lessons.withLock { $0.popLast() }?() }
        func claim(_ contents: [ImageContent], granted: @escaping @Sendable (Set<ImageContent>) -> Void) {}
        func release(_ contents: [ImageContent]) {}
    }

    @Test func `metadata learned while the catalog closes is written, and later metadata is silently dropped`()
        async throws
    {
        for number in 0..<3 { try scratch.file("pictures/\(number).jpg") }
        let log = LogRecorder()
        let late = Guarded<[@Sendable () -> Void]>([])
        let learner = LateLearner(late)
        let catalog = try await scratch.catalog(logger: log.logger) {
            $0.sharing = learner
            $0.learningDelay = .seconds(3600)
        }
        let images = try await catalog.all()
        let full = full
        late.withLock { $0 = [{ catalog.learned(full, version: images[1].version, of: images[1].id) }] }
        catalog.learned(full, version: images[0].version, of: images[0].id)
        await catalog.close()
        catalog.learned(full, version: images[2].version, of: images[2].id)
        await catalog.metadata.drain()
        #expect(log.lines.isEmpty, "\(log.lines)")
        let again = try await scratch.catalog()
        #expect(try await again.all().map(\.metadata.mediaType) == ["image/jpeg", "image/jpeg", nil])
        await again.close()
    }

    @Test func `a thousand metadata updates are written in a few transactions`() async throws {
        let written = Guarded<[Int]>([])
        let buffer = MetadataBuffer(delay: .seconds(3600), batch: 500, logger: Logger(label: "test")) { learned in
            written.withLock { $0.append(learned.count) }
        }
        for id in 0..<1000 as Range<UInt64> {
            buffer.add(LearnedMetadata(metadata: full, version: nil), of: ImageID(rawValue: id))
        }
        await buffer.drain()
        let batches = written.withLock(\.self)
        #expect(batches.count <= 3 && batches.reduce(0, +) == 1000)
    }

    @Test func `invalid metadata is dropped or truncated`() {
        var metadata = full
        metadata.camera?.exposureTime = .nan
        metadata.place = .init(latitude: .infinity, longitude: 0)
        metadata.placeholder = Array(repeating: 0, count: 1000)
        metadata.camera?.make = String(repeating: "é", count: 10_000)
        metadata.title = String(repeating: "é", count: 10_000)
        metadata.description = metadata.title
        metadata.keywords = (0..<1_000).map { "\($0)" + String(repeating: "x", count: 1_000) } + ["a\nb", ""]
        metadata.placeNames?.city = String(repeating: "é", count: 10_000)
        metadata.rating = 6
        let bounded = metadata.bounded
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
    func `a damaged index is set aside, rebuilt and reported`(kind: String) async throws {
        for number in 0..<200 { try scratch.file("pictures/\(number).jpg") }
        var catalog = try await scratch.catalog()
        let ids = try await catalog.all().map(\.id)
        if kind == "form" {
            try await catalog.indexStore.disk.database.write { try $0.execute(sql: "PRAGMA user_version = 99") }
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
    func `impossible values count as damage and do not trap`(sql: String) async throws {
        for number in 0..<20 { try scratch.file("pictures/\(number).jpg") }
        var catalog = try await scratch.catalog()
        try await catalog.indexStore.disk.database.write { try $0.execute(sql: sql) }
        await catalog.close()
        try scratch.file("pictures/20.jpg")
        catalog = try await scratch.catalog()
        #expect(try await catalog.all().count == 21)
        #expect(try setAside().count == 1)
    }

    @Test func `a new data folder is accessible only to its owner`() async throws {
        _ = try await scratch.catalog(data: "above/data")
        for folder in ["above", "above/data"] {
            let attributes = try FileManager.default.attributesOfItem(atPath: scratch.path(folder))
            #expect((attributes[.posixPermissions] as? Int).map { $0 & 0o077 } == 0)
        }
    }

    @Test func `damage found while reading is repaired while serving`() async throws {
        for number in 0..<200 { try scratch.file("pictures/\(number).jpg") }
        let catalog = try await scratch.catalog()
        let ids = try await catalog.all().map(\.id)
        try await catalog.indexStore.disk.database.write { try $0.execute(sql: "DELETE FROM image WHERE row = 50") }
        await #expect(throws: CatalogError.indexUnavailable) { try await catalog.page(offset: 0, limit: 500) }
        await withCheckedContinuation { done in catalog.scanning.async { done.resume() } }
        await catalog.scanCompleted()
        #expect(try await catalog.all().map(\.id) == ids)
        #expect(try setAside().count == 1)
    }

    @Test func `an interrupted scan leaves no rows behind`() async throws {
        for number in 0..<20 { try scratch.file("pictures/\(number).jpg") }
        var catalog = try await scratch.catalog()
        // As a killed process would leave the index: with rows that no listing contains.
        try await catalog.indexStore.disk.database.write { db in
            try db.execute(sql: "INSERT INTO image (row, id, location) VALUES (1000, 5, 'x'), (1001, 6, 'y')")
            try db.execute(sql: "UPDATE counter SET value = 1002 WHERE name = 'nextRow'")
        }
        await catalog.close()
        catalog = try await scratch.catalog()
        #expect(catalog.state.total == 20)
        let rows = try await catalog.indexStore.disk.database.read {
            try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM image")
        }
        #expect(rows == 20)
    }

    @Test func `removed files are deleted from the index`() async throws {
        for number in 0..<20 { try scratch.file("pictures/\(number).jpg") }
        let catalog = try await scratch.catalog()
        for number in 0..<15 { try scratch.remove("pictures/\(number).jpg") }
        await catalog.rescanned()
        #expect(catalog.state.total == 5)
        let rows = try await catalog.indexStore.disk.database.read {
            try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM image")
        }
        #expect(rows == 5)
    }
}
