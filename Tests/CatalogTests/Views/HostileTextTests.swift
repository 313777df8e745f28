import Images
import Testing

@testable import Catalog

/// Texts that would be taken for others, or that would make a search slow.
@Suite struct HostileTextTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func names(_ catalog: Catalog, _ parameters: [String: String]) async throws -> [String] {
        let view = try View { parameters[$0] }
        return try await catalog.page(offset: 0, limit: 500, of: view).images.map(\.name)
    }

    @Test func `a search of one field of long texts takes no longer than another search`() async throws {
        for number in 0..<40 { try scratch.file("pictures/\(number).jpg") }
        let catalog = try await scratch.catalog()
        for number in 0..<40 {
            let image = try #require(try await catalog.all().first { $0.name == "\(number).jpg" })
            var metadata = ImageMetadata()
            metadata.title = "\(number)"
            metadata.description = String(repeating: "a", count: 16_000)
            metadata.camera = .init()
            metadata.camera?.model = number % 2 == 0 ? "Canon" : "Fujifilm"
            metadata.camera?.lens = number % 4 == 0 ? "Macro 100" : nil
            catalog.learned(metadata, version: image.version, of: image.id)
        }
        await catalog.metadata.drain()
        // A naive search would look for the field again at each letter.
        let began = ContinuousClock.now
        #expect(try await names(catalog, ["q": "camera:a"]).count == 20)
        #expect(try await names(catalog, ["q": "lens:a"]).count == 10)
        #expect(ContinuousClock.now - began < .seconds(2))
    }

    @Test func `folders whose names differ only in their normalisation stay apart`() async throws {
        let (composed, decomposed) = ("caf\u{e9}", "cafe\u{301}")
        try scratch.file("pictures/\(composed)/1.jpg")
        try scratch.file("pictures/\(decomposed)/2.jpg")
        try scratch.file("pictures/\(decomposed)/3.jpg")
        let catalog = try await scratch.catalog()
        for _ in 0..<2 {
            #expect(try await names(catalog, ["folder": composed]) == ["1.jpg"])
            #expect(try await names(catalog, ["folder": decomposed]) == ["2.jpg", "3.jpg"])
        }
        let folders = try await catalog.folders(in: "")
        #expect(folders.map(\.count).sorted() == [1, 2])
        #expect(Set(folders.map { Array($0.path.utf8) }) == [Array(composed.utf8), Array(decomposed.utf8)])
    }

    @Test func `a folder longer than any path is refused`() throws {
        #expect(throws: ViewError.self) { _ = try View { ["folder": String(repeating: "a", count: 4_097)][$0] } }
    }
}
