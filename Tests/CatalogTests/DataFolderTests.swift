import Dispatch
import FoundationEssentials
import GRDB
import Images
import Locking
import Logging
import TestSupport
import Testing

@testable import Catalog

@Suite struct DataFolderTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    @Test func `a second catalog on the same data folder is refused until the first is closed`() async throws {
        let first = try await scratch.catalog()
        await #expect(throws: CatalogError.dataFolderInUse(path: scratch.path("data"))) { try await scratch.catalog() }
        await first.close()
        let second = try await scratch.catalog()
        await second.close()
        await second.close()
        await #expect(throws: CatalogError.closed) { try await second.page(offset: 0, limit: 1) }
    }

    @Test(arguments: ["/proc/nowhere/data", "/dev/null/data", "/dev/null"])
    func `an unusable data folder is a clear error`(path: String) async throws {
        let pictures = Source.folder(path: try scratch.folder("pictures"))
        let configuration = Catalog.Configuration(dataFolder: path)
        do {
            _ = try await Catalog.open(configuration, sources: [pictures], logger: .init(label: "test"))
            Issue.record("the catalog opened")
        } catch let error as CatalogError {
            guard case .dataFolderUnusable(path, _) = error else { throw error }
        }
    }

    @Test func `a full disk at startup is a clear error`() async throws {
        await #expect {
            try await scratch.catalog { $0.maximumIndexPages = 3 }
        } throws: {
            guard case .dataFolderUnusable(_, let reason) = $0 as? CatalogError else { return false }
            return reason.contains("full")
        }
    }

    @Test func `when the disk fills up during a scan, the gallery continues in memory and says so`() async throws {
        let text = (0..<5000).map { "http://a.test/\($0)\n" }.joined()
        let list = Source.list(path: try scratch.file("a.txt", text), format: .text)
        let catalog = try await scratch.catalog([list]) { $0.maximumIndexPages = 40 }
        #expect(try await catalog.all().compactMap(\.url) == (0..<5000).map { "http://a.test/\($0)" })
        #expect(catalog.state.problems.count == 1)
        #expect(catalog.state.problems.first.first?.reason.contains("continues in memory") == true)
    }

    @Test func `metadata that cannot be written to disk is still served`() async throws {
        let template = try URLTemplate("http://a.test/{index}", count: 5000)
        let catalog = try await scratch.catalog([.template(template)]) {
            $0.maximumIndexPages = 18
            $0.learningDelay = .seconds(3600)
        }
        var metadata = ImageMetadata()
        metadata.placeholder = Array(repeating: 1, count: 25)
        metadata.mediaType = String(repeating: "x", count: 200)
        let ids = try await catalog.all().map(\.id)
        for id in ids { catalog.learned(metadata, version: nil, of: id) }
        await catalog.metadata.drain()
        let all = try await catalog.all()
        #expect(all.count == 5_000 && all.allSatisfy { $0.metadata == metadata })
        #expect(catalog.state.problems.first.contains { $0.reason.contains("Free space in the data folder") })
    }

    @Test func `unreadable sources are refused before the data folder is created`() async throws {
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

    @Test func `invalid configuration values are refused by name`() {
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
