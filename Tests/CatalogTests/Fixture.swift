import Catalog
import FoundationEssentials
import Glibc
import Images
import Logging
import Synchronization
import Testing

@testable import Catalog

/// A temporary folder for one test, deleted with it.
final class Scratch: Sendable {
    let path: String

    init() throws {
        let template = Array("/tmp/tessera-catalog-XXXXXX".utf8CString)
        path = try template.withUnsafeBufferPointer { template in
            var name = Array(template)
            guard mkdtemp(&name) != nil else { throw CatalogError.closed }
            return String(decoding: name.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        }
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func path(_ name: String) -> String { path + "/" + name }

    @discardableResult func folder(_ name: String) throws -> String {
        try FileManager.default.createDirectory(atPath: path(name), withIntermediateDirectories: true)
        return path(name)
    }

    @discardableResult func file(_ name: String, _ content: String = "\u{89}PNG\r\n") throws -> String {
        if let slash = name.lastIndex(of: "/") { try folder(String(name[..<slash])) }
        try Data(content.utf8).write(to: URL(filePath: path(name)))
        return path(name)
    }

    @discardableResult func file(_ name: String, bytes: [UInt8]) throws -> String {
        try Data(bytes).write(to: URL(filePath: path(name)))
        return path(name)
    }

    func remove(_ name: String) throws { try FileManager.default.removeItem(atPath: path(name)) }

    func link(_ name: String, to target: String) throws {
        try #require(symlink(target, path(name)) == 0)
    }

    /// A catalog of the folder `pictures`, or of other sources, after a complete scan.
    func catalog(
        _ sources: [Source]? = nil, data: String = "data", logger: Logger? = nil,
        _ change: (inout Catalog.Configuration) throws -> Void = { _ in }
    ) async throws -> Catalog {
        let catalog = try await opened(sources, data: data, logger: logger, change)
        await catalog.scanCompleted()
        return catalog
    }

    func opened(
        _ sources: [Source]? = nil, data: String = "data", logger: Logger? = nil,
        _ change: (inout Catalog.Configuration) throws -> Void = { _ in }
    ) async throws -> Catalog {
        var configuration = Catalog.Configuration(dataFolder: path(data))
        configuration.growthInterval = .milliseconds(50)
        // Tests scan explicitly what they have just written.
        configuration.watches = false
        configuration.settling = .zero
        configuration.moving = .zero
        try change(&configuration)
        var silent = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        silent.logLevel = .critical
        return try await Catalog.open(
            configuration, sources: sources ?? [.folder(path: try folder("pictures"))],
            logger: logger ?? silent)
    }
}

extension Catalog {
    /// All images, read page by page.
    func all(limit: Int = 500) async throws -> [GalleryImage] {
        var page = try await page(offset: 0, limit: limit)
        var images = page.images
        while let next = page.next {
            page = try await self.page(after: next, limit: limit)
            images += page.images
        }
        return images
    }

    func names() async throws -> [String] { try await all().map(\.name) }

    func rescanned() async {
        rescan()
        await scanCompleted()
    }
}

extension GalleryImage {
    var path: String? {
        if case .file(_, let path) = location { path } else { nil }
    }

    var url: String? {
        if case .remote(let url) = location { url } else { nil }
    }
}
