import GRDB
import Glibc
import Images
import TestSupport
import Testing

@testable import Catalog

/// A file that has moved keeps its metadata, wherever it is found again.
@Suite(.serialized) struct MoveTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    /// Stores a distinct width for each image, as the metadata indexer would.
    private func learn(_ catalog: Catalog, _ contents: [String: String]) async throws {
        for (number, image) in try await catalog.all().enumerated() {
            let path = try #require(image.path)
            let content = Array(try #require(contents[path]).utf8)
            var metadata = ImageMetadata()
            metadata.width = number + 1
            metadata.digest = content.withUnsafeBytes { ContentDigest(head: $0, size: Int64(content.count)) }
            metadata.readerVersion = ImageMetadata.currentReader
            catalog.learned(metadata, version: image.version, of: image.id)
        }
        await catalog.metadata.drain()
    }

    private func widths(_ catalog: Catalog) async throws -> [String: Int?] {
        Dictionary(uniqueKeysWithValues: try await catalog.all().map { ($0.path ?? "", $0.metadata.width) })
    }

    @Test func `a file copied to another disk and removed here is recognized by its digest`() async throws {
        let contents = ["a.jpg": "one of many", "b.jpg": "two of many"]
        for (name, content) in contents { try scratch.file("pictures/" + name, content) }
        let catalog = try await scratch.catalog()
        try await learn(catalog, contents)
        // Another inode number and another time; and a file of the same size with other content.
        try scratch.file("pictures/sub/c.jpg", "one of many")
        try scratch.file("pictures/sub/d.jpg", "six of many")
        try scratch.remove("pictures/a.jpg")
        await catalog.rescanned()
        #expect(try await widths(catalog) == ["b.jpg": 2, "sub/c.jpg": 1, "sub/d.jpg": nil])
        // A digest is no proof: files that only look the same are still indexed.
        var place: IndexingPosition?
        let open = try catalog.unindexed(after: &place, limit: 10).map(\.path)
        #expect(Set(open) == ["sub/c.jpg", "sub/d.jpg"])
        await catalog.close()
    }

    @Test(arguments: [("first", "second"), ("second", "first")])
    func `a file moved to another source keeps its metadata`(from: String, to: String)
        async throws
    {
        for folder in ["first", "second"] { try scratch.file("\(folder)/\(folder).jpg", folder) }
        try scratch.file("\(from)/moved.jpg", "moved")
        let sources = ["first", "second"].map { Source.folder(path: scratch.path($0)) }
        let catalog = try await scratch.catalog(sources) { $0.moving = .seconds(60) }
        try await learn(catalog, ["first.jpg": "first", "second.jpg": "second", "moved.jpg": "moved"])
        let known = try await widths(catalog)
        try #require(rename(scratch.path("\(from)/moved.jpg"), scratch.path("\(to)/moved.jpg")) == 0)
        await catalog.rescanned()
        #expect(known.values.allSatisfy { $0 != nil } && known.count == 3)
        #expect(try await widths(catalog) == known)
        await catalog.close()
    }

    @Test func `metadata of a removed file is deleted`() async throws {
        for name in ["a.jpg", "b.jpg"] { try scratch.file("pictures/" + name, name) }
        let catalog = try await scratch.catalog()
        try await learn(catalog, ["a.jpg": "a.jpg", "b.jpg": "b.jpg"])
        try scratch.remove("pictures/a.jpg")
        await catalog.rescanned()
        await catalog.close()
        let again = try await scratch.catalog()
        let rows = try await again.indexStore.disk.database.read { db in
            try db.cachedStatement(sql: "SELECT COUNT(*) FROM facts WHERE ?").row(1) { $0.count(0) }
        }
        #expect(rows == 1)
        await again.close()
    }
}
