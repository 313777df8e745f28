import Catalog
import Decoding
import EventLoops
import Foundation
import HTTPTypes
import Loading
import Logging
import Origins
import RenderWorkers
import Renditions
import TestSupport

@testable import GalleryServer
@testable import HTTPServer

/// A complete gallery with a folder of its own, used without sockets.
final class TestGallery: Sendable {
    let folder: URL
    let catalog: Catalog
    let tokens: TokenRegistry
    let figures = ServerStatistics()
    let loader: Loader
    private let origins: OriginFetcher
    let responder: GalleryResponder
    private let loop: EventLoop

    /// - Parameter files: The contents of the folder, by name.
    init(files: [String: [UInt8]], allowedOrigins: [String] = []) async throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("gallery-\(UUID().uuidString)")
        let pictures = folder.appendingPathComponent("pictures")
        let front = folder.appendingPathComponent("front")
        for folder in [pictures, front] {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        }
        for (name, bytes) in files {
            try Data(bytes).write(to: pictures.appendingPathComponent(name))
            // The same files have the same versions in every gallery.
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSince1970: 1_700_000_000)],
                ofItemAtPath: pictures.appendingPathComponent(name).path)
        }
        try Data("<!doctype html>".utf8).write(to: front.appendingPathComponent("index.html"))
        var configuration = Gallery.Configuration(
            dataFolder: folder.appendingPathComponent("data").path, publicFolder: front.path)
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        configuration.loading.logger = logger
        configuration.allowedOrigins = allowedOrigins
        catalog = try await Catalog.open(
            configuration.catalog, sources: [.folder(path: pictures.path)], logger: logger)
        await catalog.scanCompleted()
        origins = try OriginFetcher(configuration: configuration.origins, logger: logger)
        let workers = try Self.workers.get()
        let access = CatalogAccess(catalog: catalog)
        loader = try Loader(
            configuration: configuration.loading, origins: origins, renderer: workers, files: access,
            metadataReceiver: access)
        tokens = TokenRegistry(loader: loader)
        responder = try GalleryResponder(
            configuration: configuration, library: try await GalleryLibrary(configuration, sources: [], logger: logger),
            catalog: catalog,
            loader: loader, tokens: tokens, forwarding: SingleNode(), origins: origins, workers: workers,
            streams: StreamLimiter(limit: 100), indexer: nil, prefiller: nil,
            cluster: nil, log: nil, bucket: nil, traces: nil, figures: figures, logger: logger)
        loop = try EventLoop(label: "test")
    }

    /// Real workers, shared by all tests of this run: `tessera-renderer` next to the tests.
    static let workers = Result { try newWorkers() }

    /// The same for a single test.
    static func newWorkers() throws -> RenderPool {
        let program = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        return try RenderPool(
            program: URL(fileURLWithPath: program).deletingLastPathComponent()
                .appendingPathComponent("tessera-renderer").path)
    }

    /// Stops everything and removes the folder.
    func close() async {
        await loader.shutdown()
        await origins.shutDown()
        await catalog.close()
        try? FileManager.default.removeItem(at: folder)
    }

    func get(_ target: String, headers: HTTPFields = [:]) async throws -> Answer {
        try await ask(.get, target, headers: headers)
    }

    /// The immediate response; nil if the request takes the normal path.
    func immediate(_ target: String, headers: HTTPFields = [:]) throws -> ImmediateResponse? {
        let request = try Request(.get, target, headers: headers, loop: loop)
        return PlainRequest(request.head).flatMap { responder.respondImmediately(to: $0, from: request.address) }
    }

    func post(_ target: String, _ json: String) async throws -> Answer {
        try await ask(.post, target, headers: [.contentType: "application/json"], body: Array(json.utf8))
    }

    func ask(
        _ method: HTTPRequest.Method, _ target: String, headers: HTTPFields = [:], body: [UInt8] = []
    ) async throws -> Answer {
        let request = try Request(method, target, headers: headers, body: body, loop: loop)
        return Answer(await responder.response(to: request))
    }
}

/// A response with accessors for the tests.
struct Answer {
    let response: Response

    init(_ response: Response) {
        self.response = response
    }

    var status: Int { response.status.code }

    /// A header field, whether it is prepared or added to this response.
    func header(_ name: String) -> String? {
        let prepared = String(decoding: response.prepared?.bytes ?? [], as: UTF8.self).split(separator: "\r\n")
        let before = prepared.filter { $0.hasPrefix(name + ": ") }.map { String($0.dropFirst(name.count + 2)) }
        let values = before + (HTTPField.Name(name).map { response.headers[values: $0] } ?? [])
        return values.isEmpty ? nil : values.joined(separator: ", ")
    }

    /// The complete body; nil if it is cut off.
    func body() async -> [UInt8]? {
        switch response.body {
        case .empty: return []
        case .bytes(let bytes): return bytes
        case .file(let region): return await pulled(FileStream(region))
        case .stream(let stream, _): return await pulled(stream)
        }
    }

    func json<Value: Decodable>(as type: Value.Type = Value.self) async throws -> Value {
        try JSONDecoder().decode(type, from: Data(await body() ?? []))
    }

    private func pulled(_ stream: any BodyStream) async -> [UInt8]? {
        var all: [UInt8] = []
        while true {
            let (woken, continuation) = AsyncStream.makeStream(of: Void.self)
            switch stream.pull(upTo: 16_384, wake: { continuation.yield() }) {
            case .bytes(let bytes):
                all += bytes
            case .pending:
                var iterator = woken.makeAsyncIterator()
                await iterator.next()
            case .finished:
                stream.ended(.complete)
                return all
            case .aborted, .timedOut:
                stream.ended(.aborted)
                return nil
            }
        }
    }
}

/// The members of the API's responses that tests read.
struct PageAnswer: Decodable {
    struct Image: Decodable {
        let id: String
        let index: Int
        let name: String
        let incomplete: Bool?
        let links: [String: String]
    }

    let revision: Int
    let total: Int
    let offset: Int
    let images: [Image]
    let next: String?
}

struct TokensAnswer: Decodable {
    struct Granted: Decodable {
        let slot: Int
        let image: String
        let token: String
        let href: String
    }

    struct Refused: Decodable {
        let slot: Int
        let image: String
    }

    let session: String
    let tokens: [Granted]
    let refused: [Refused]?
}

struct ProblemAnswer: Decodable {
    let status: Int
    let title: String
    let detail: String?
    let field: String?
}

/// A picture of a single colour, as a JPEG.
func picture(red: UInt8, green: UInt8 = 80, blue: UInt8 = 120, width: Int = 64, height: Int = 48) throws -> [UInt8] {
    let bytes = (0..<width * height).flatMap { _ in [red, green, blue] }
    guard let pixels = Pixels(width: width, height: height, bytes: bytes) else { throw CocoaError(.featureUnsupported) }
    return try pixels.encoded(as: .jpeg)
}

/// A picture of random pixels as a JPEG, the same each time.
func noise(width: Int, height: Int) throws -> [UInt8] {
    var random = SeededRandom(seed: 1)
    let bytes = (0..<width * height * 3).map { _ in UInt8(truncatingIfNeeded: random.next()) }
    guard let pixels = Pixels(width: width, height: height, bytes: bytes) else { throw CocoaError(.featureUnsupported) }
    return try pixels.encoded(as: .jpeg)
}
