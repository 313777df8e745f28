import Dispatch
import Foundation
import Glibc
import Images
import Locking
import Logging
import Origins
import RenderWorkers
import Renditions
import Scheduling

@testable import Loading

/// A loader whose dependencies are all mocks, in a folder of its own.
final class LoaderFixture: FileOpening, MetadataReceiving {
    typealias Outcome = Result<LoadedContent, LoadFailure>

    let folder: String
    let origins = MockOrigins()
    let renderer = MockWorkers()
    let time = HeldTime()
    let learned = Recorder<(ImageID, ContentVersion?)>()
    let opened = Recorder<String>()
    let pool: RenderPool
    /// Folders whose disk hangs: opening a file there blocks until `disk` is signalled.
    let hanging = Guarded<Set<Int>>([])
    let disk = DispatchSemaphore(value: 0)
    private let loaderBox = Guarded<Loader?>(nil)

    var loader: Loader { loaderBox.withLock { $0! } }

    /// - Parameter permits: Images rendered at once, not counting heavy ones.
    init(
        in folder: String? = nil, permits: Int = 2, others: MockCoordination? = nil,
        _ change: (inout Loader.Configuration) -> Void = { _ in }
    ) throws {
        self.folder = folder ?? Self.makeFolder()
        pool = try renderer.pool {
            $0.permits = permits
            $0.logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        }
        var configuration = Loader.Configuration()
        configuration.directory = self.folder + "/cache"
        configuration.logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        change(&configuration)
        let loader = try Loader(
            configuration: configuration, origins: origins, renderer: pool, files: self, metadataReceiver: self,
            time: time,
            coordination: others ?? SingleNode(), tier: others ?? SingleNode())
        loaderBox.withLock { $0 = loader }
    }

    /// Shuts the loader down but keeps its folder.
    func close() async {
        let loader = loaderBox.withLock { loader in
            defer { loader = nil }
            return loader
        }
        await loader?.shutdown()
        await pool.stop()
    }

    /// Creates a folder that outlives its fixture, so that another can continue with its content. All are deleted when
    /// the tests end.
    static func makeFolder() -> String { makeFolder(in: allFolders) }

    private static let allFolders: String = {
        atexit { try? FileManager.default.removeItem(atPath: LoaderFixture.allFolders) }
        return makeFolder(in: "/tmp")
    }()

    private static func makeFolder(in parent: String) -> String {
        var template = Array("\(parent)/loading-tests-XXXXXX".utf8CString)
        mkdtemp(&template)
        return template.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
    }

    // MARK: - The loader's requests

    func openFile(folder: Int, path: String) throws(LoadFailure) -> Int32 {
        opened.record(path)
        if hanging.withLock({ $0.contains(folder) }) { disk.wait() }
        let number = open(self.folder + "/" + path, O_RDONLY | O_CLOEXEC)
        guard number >= 0 else { throw LoadFailure(status: 404, publicMessage: "Gone.", isPermanent: true) }
        return number
    }

    func learned(_ metadata: ImageMetadata, version: ContentVersion?, of image: ImageID) {
        learned.record((image, version))
    }

    // MARK: - Images and loads

    func remote(_ id: UInt64) -> GalleryImage {
        GalleryImage(
            id: ImageID(rawValue: id), name: "\(id)", location: .remote(url: "http://origin/\(id)"),
            version: nil, metadata: ImageMetadata())
    }

    func local(_ id: UInt64, in folder: Int = 0, version: ContentVersion? = nil) -> GalleryImage {
        GalleryImage(
            id: ImageID(rawValue: id), name: "\(id)",
            location: .file(folder: folder, path: "\(id).jpg"),
            version: version, metadata: ImageMetadata())
    }

    @discardableResult
    func write(_ content: [UInt8], to id: UInt64, modified: Int = 1_000_000) -> ContentVersion {
        let path = folder + "/\(id).jpg"
        let file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        _ = Glibc.write(file, content, content.count)
        let times = [timespec(tv_sec: modified, tv_nsec: 0), timespec(tv_sec: modified, tv_nsec: 0)]
        futimens(file, times)
        Glibc.close(file)
        return ContentVersion(fileSize: Int64(content.count), modifiedSeconds: Int64(modified), nanoseconds: 0)
    }

    @discardableResult
    func load(
        _ image: GalleryImage, _ rendition: Rendition = .tile, _ format: OutputFormat = .webp,
        _ priority: Priority = .visible(), retry: Bool = false, into recorder: Recorder<Outcome>
    ) -> any LoadHandle {
        let request = LoadRequest(image: image, rendition: rendition, format: format, bypassesNegativeCache: retry)
        return loader.begin(request, priority: priority) { recorder.record($0) }
    }

    func load(
        _ image: GalleryImage, _ rendition: Rendition = .tile, _ format: OutputFormat = .webp, retry: Bool = false
    ) async -> Outcome {
        let recorder = Recorder<Outcome>()
        load(image, rendition, format, retry: retry, into: recorder)
        return await recorder.element(0)
    }
}

extension Loader {
    /// Starts a load whose outcome is delivered even if memory has the rendition.
    @discardableResult
    func begin(
        _ request: LoadRequest, priority: Priority, deliver: @escaping @Sendable (LoaderFixture.Outcome) -> Void
    ) -> any LoadHandle {
        switch load(request, priority: priority, deliver: deliver) {
        case .loading(let handle): return handle
        case .cached(let bytes):
            deliver(.success(.bytes(bytes)))
            return Over()
        }
    }

    private struct Over: LoadHandle {
        func cancel() {}
        func reprioritise(_ priority: Priority) {}
    }
}

extension Priority {
    static func visible(_ viewport: UInt64 = 1, _ distance: UInt32 = 0, for session: Int? = nil) -> Priority {
        Priority(level: .visible, viewport: viewport, distance: distance, flow: session.map { Flow(of: $0) } ?? .common)
    }
    static func prefetch(_ viewport: UInt64 = 1, _ distance: UInt32 = 0) -> Priority {
        Priority(level: .prefetch, viewport: viewport, distance: distance)
    }
}

extension Result<LoadedContent, LoadFailure> {
    var bytes: RenditionBytes? {
        if case .success(.bytes(let bytes)) = self { return bytes }
        return nil
    }
    var partialOriginal: PartialOriginal? {
        if case .success(.partial(let original)) = self { return original }
        return nil
    }
    var file: OriginalFile? {
        if case .success(.file(let file)) = self { return file }
        return nil
    }
    var failure: LoadFailure? {
        if case .failure(let failure) = self { return failure }
        return nil
    }
}

extension PartialOriginal {
    /// Waits for the next bytes and returns them; nil at the end.
    func next(_ count: Int = 65_536) async throws -> [UInt8]? {
        while true {
            let woken = Recorder<Bool>()
            switch pull(upTo: count, wake: { woken.record(true) }) {
            case .bytes(let bytes): return bytes
            case .finished: return nil
            case .failed(let failure): throw failure
            case .pending: _ = await woken.element(0)
            }
        }
    }

    func rest() async throws -> [UInt8] {
        var all: [UInt8] = []
        while let bytes = try await next() { all += bytes }
        return all
    }
}

/// Bytes that begin like a JPEG.
func picture(_ count: Int, seed: UInt8 = 0) -> [UInt8] {
    [0xff, 0xd8, 0xff, 0xe0] + (0..<max(0, count - 4)).map { UInt8(truncatingIfNeeded: $0 &* 31) &+ seed }
}
