import Dispatch
import GRDB
import Images
import Locking
import Testing

@testable import Catalog

@Suite struct IndexingTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private static var indexed: ImageMetadata {
        var metadata = ImageMetadata()
        metadata.readerVersion = ImageMetadata.currentReader
        return metadata
    }

    /// All unindexed files from `place` on, or from the beginning, read in steps.
    private func unindexedFiles(
        _ catalog: Catalog, _ place: inout IndexingPosition?, limit: Int = 7
    ) throws -> [UnindexedFile] {
        var all: [UnindexedFile] = []
        while true {
            let some = try catalog.unindexed(after: &place, limit: limit)
            #expect(some.count <= limit)
            if some.isEmpty { return all }
            all += some
        }
    }

    private func learn(_ files: [UnindexedFile], _ catalog: Catalog) {
        for file in files { catalog.learned(Self.indexed, version: file.version, of: file.image) }
    }

    private func pictures(_ names: [String]) throws {
        for name in names { try scratch.file("pictures/\(name)", name) }
    }

    @Test func `files are handed out for indexing once, in order, and list entries are not`() async throws {
        try pictures(["b.jpg", "a.jpg", "sub/c.jpg"])
        let list = try scratch.file("a.txt", "http://a.test/x")
        let catalog = try await scratch.catalog([
            .list(path: list, format: .text), .folder(path: scratch.path("pictures")),
        ])
        var place: IndexingPosition?
        let files = try unindexedFiles(catalog, &place, limit: 2)
        #expect(files.map(\.path) == ["a.jpg", "b.jpg", "sub/c.jpg"] && files.allSatisfy { $0.folder == 1 })
        #expect(files.map(\.image) == (try await catalog.all().dropFirst().map(\.id)))
        #expect(catalog.indexing.total == 3 && catalog.indexing.given == 3)
        place = nil
        #expect(try unindexedFiles(catalog, &place).isEmpty)
    }

    @Test func `indexed files are not handed out after a restart, whether or not progress was saved`() async throws {
        try pictures((0..<20).map { "\($0).jpg" })
        var catalog = try await scratch.catalog()
        var place: IndexingPosition?
        var files = try unindexedFiles(catalog, &place)
        #expect(files.count == 20)
        // The program ends before the results of the last two are reported.
        learn(Array(files.dropLast(2)), catalog)
        await catalog.close()
        catalog = try await scratch.catalog()
        place = nil
        files = try unindexedFiles(catalog, &place)
        #expect(files.map(\.path) == ["18.jpg", "19.jpg"])
        learn(files, catalog)
        #expect(try !catalog.settleIndexing(#require(place), left: []))
        await catalog.close()
        catalog = try await scratch.catalog()
        // Nothing is even looked up: without metadata, all files would be given out.
        try await catalog.indexStore.disk.database.write { try $0.execute(sql: "DELETE FROM facts") }
        place = nil
        #expect(try unindexedFiles(catalog, &place).isEmpty)
        #expect(catalog.indexing.given == 20)
        await catalog.close()
    }

    @Test func `only changed and new files are handed out after a rescan`() async throws {
        try pictures(["a.jpg", "b.jpg", "c.jpg"])
        var catalog = try await scratch.catalog()
        var place: IndexingPosition?
        learn(try unindexedFiles(catalog, &place), catalog)
        _ = try catalog.settleIndexing(#require(place), left: [])
        try scratch.file("pictures/b.jpg", "longer than before")
        try pictures(["d.jpg"])
        let isTold = Guarded(false)
        catalog.onChange { isTold.withLock { $0 = true } }
        await catalog.rescanned()
        let told = isTold.withLock { $0 }
        #expect(told)
        let files = try unindexedFiles(catalog, &place)
        #expect(files.map(\.path) == ["b.jpg", "d.jpg"])
        // Even if the program ended before they were indexed.
        await catalog.close()
        catalog = try await scratch.catalog()
        place = nil
        #expect(try unindexedFiles(catalog, &place).map(\.path) == ["b.jpg", "d.jpg"])
        learn(files, catalog)
        _ = try catalog.settleIndexing(#require(place), left: [])
        await catalog.close()
        catalog = try await scratch.catalog()
        place = nil
        #expect(try unindexedFiles(catalog, &place).isEmpty)
        await catalog.close()
    }

    @Test func `metadata of older content or of an incomplete reading does not count as indexed`() async throws {
        try pictures(["a.jpg", "b.jpg", "c.jpg"])
        let catalog = try await scratch.catalog()
        let images = try await catalog.all()
        catalog.learned(Self.indexed, version: ContentVersion(rawValue: 5), of: images[0].id)
        var lesser = ImageMetadata()
        lesser.mediaType = "image/jpeg"
        catalog.learned(lesser, version: images[1].version, of: images[1].id)
        catalog.learned(Self.indexed, version: images[2].version, of: images[2].id)
        var place: IndexingPosition?
        #expect(try unindexedFiles(catalog, &place).map(\.path) == ["a.jpg", "b.jpg"])
        await catalog.close()
    }

    @Test func `files that could not be indexed are handed out again, now or after a restart`() async throws {
        try pictures(["a.jpg", "b.jpg", "c.jpg"])
        var catalog = try await scratch.catalog()
        var place: IndexingPosition?
        let files = try unindexedFiles(catalog, &place)
        learn([files[0]], catalog)
        catalog.reopen([files[1]])
        #expect(try unindexedFiles(catalog, &place).map(\.path) == ["b.jpg"])
        learn([files[1]], catalog)
        _ = try catalog.settleIndexing(#require(place), left: [files[2]])
        await catalog.close()
        catalog = try await scratch.catalog()
        place = nil
        #expect(try unindexedFiles(catalog, &place).map(\.path) == ["c.jpg"])
        await catalog.close()
    }

    @Test func `a broken file is handed out once, until a full rescan is requested`() async throws {
        try pictures(["a.jpg", "b.jpg"])
        let catalog = try await scratch.catalog()
        var place: IndexingPosition?
        let files = try unindexedFiles(catalog, &place)
        var broken = Self.indexed
        broken.isBroken = true
        catalog.learned(broken, version: files[0].version, of: files[0].image)
        learn([files[1]], catalog)
        _ = try catalog.settleIndexing(#require(place), left: [])
        catalog.rescan([0])
        await catalog.scanCompleted()
        #expect(try unindexedFiles(catalog, &place).isEmpty)
        catalog.rescan()
        await catalog.scanCompleted()
        await withCheckedContinuation { done in catalog.scanning.async { done.resume() } }
        #expect(try unindexedFiles(catalog, &place).map(\.path) == ["a.jpg"])
        await catalog.close()
    }

    @Test(arguments: [
        // As the version before wrote it, and as programs did that did not record their version.
        "UPDATE counter SET value = value - 1 WHERE name = 'readerVersion'",
        "DELETE FROM counter WHERE name = 'readerVersion'",
    ])
    func `after an update that reads more, every file is handed out again, and is known meanwhile`(
        older: String
    ) async throws {
        try pictures((0..<20).map { "\($0).jpg" })
        var catalog = try await scratch.catalog()
        var place: IndexingPosition?
        var metadata = Self.indexed
        metadata.title = "known"
        for file in try unindexedFiles(catalog, &place) {
            catalog.learned(metadata, version: file.version, of: file.image)
        }
        #expect(try !catalog.settleIndexing(#require(place), left: []))
        try await catalog.indexStore.disk.database.write { db in
            try db.execute(sql: "UPDATE facts SET examination = examination - 1; " + older)
        }
        await catalog.close()
        catalog = try await scratch.catalog()
        place = nil
        let files = try unindexedFiles(catalog, &place)
        #expect(files.count == 20)
        #expect(try await catalog.all().count { $0.metadata.title == "known" } == 20)
        // A file of which less is read now does not keep what was wrong.
        learn(files, catalog)
        #expect(try await catalog.all().allSatisfy { $0.metadata.title == nil })
        #expect(try !catalog.settleIndexing(#require(place), left: []))
        await catalog.close()
        catalog = try await scratch.catalog()
        place = nil
        #expect(try unindexedFiles(catalog, &place).isEmpty)
        #expect(try await catalog.all().allSatisfy { $0.metadata.title == nil })
        await catalog.close()
    }

    @Test func `an older program leaves files for the newer one`() async throws {
        try pictures(["a.jpg"])
        var catalog = try await scratch.catalog()
        var place: IndexingPosition?
        learn(try unindexedFiles(catalog, &place), catalog)
        #expect(try !catalog.settleIndexing(#require(place), left: []))
        // What the version after this one has recorded.
        try await catalog.indexStore.disk.database.write { db in
            try db.execute(sql: "UPDATE counter SET value = value + 1 WHERE name = 'readerVersion'")
        }
        await catalog.close()
        catalog = try await scratch.catalog()
        place = nil
        #expect(try unindexedFiles(catalog, &place).isEmpty)
        let version = try await catalog.indexStore.disk.database.read { db in
            try Int.fetchOne(db, sql: "SELECT value FROM counter WHERE name = 'readerVersion'")
        }
        #expect(version == ImageMetadata.currentReader)
        await catalog.close()
    }

    @Test func `progress is not saved during a scan or after the catalog has changed`() async throws {
        try pictures(["a.jpg", "b.jpg"])
        let catalog = try await scratch.catalog()
        var place: IndexingPosition?
        learn(try unindexedFiles(catalog, &place), catalog)
        let before = try #require(place)
        try pictures(["c.jpg"])
        await catalog.rescanned()
        #expect(!catalog.settleIndexing(before, left: []))
        #expect(try unindexedFiles(catalog, &place).map(\.path) == ["c.jpg"])
        catalog.mutableState.withLock { $0.isScanning = true }
        #expect(try catalog.settleIndexing(#require(place), left: []))
        catalog.mutableState.withLock { $0.isScanning = false }
        let row = try await catalog.indexStore.disk.database.read {
            try Int.fetchOne($0, sql: "SELECT examinedRow FROM source")
        }
        #expect(row == nil)
        await catalog.close()
    }
}
