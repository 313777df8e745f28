import Images
import Testing

@testable import Catalog

struct FolderCoverTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    @Test func `a folder's cover is the first image in it, or else beneath it, that is not broken`() async throws {
        for path in [
            "a/b/0.jpg", "a/1.jpg", "a/2.jpg", "deep/x/y/3.jpg", "deep/x/z/4.jpg", "bad/5.jpg", "bad/sub/6.jpg",
        ] {
            try scratch.file("pictures/" + path)
        }
        let catalog = try await scratch.catalog()
        func covers(_ parent: String) async throws -> [String?] {
            try await catalog.folders(in: parent).map { $0.cover?.name }
        }
        #expect(try await covers("") == ["1.jpg", "5.jpg", "3.jpg"])
        #expect(try await covers("deep/x") == ["3.jpg", "4.jpg"])
        let broken = try #require(
            try await catalog.all().first { $0.name == "5.jpg" })
        var metadata = ImageMetadata()
        metadata.isBroken = true
        catalog.learned(metadata, version: broken.version, of: broken.id)
        await catalog.metadata.drain()
        #expect(try await covers("") == ["1.jpg", "6.jpg", "3.jpg"])
    }
}
