import Foundation
import Images
import Loading
import Locking
import Logging
import Origins
import Renditions
import Scheduling
import TestSupport
import Testing

@testable import Catalog
@testable import GalleryServer

/// Workers that render at once unless they are held.
private final class PromptWorkers: Rendering {
    private struct State {
        var isHeld = false
        var held: [@Sendable () -> Void] = []
        var isRefusing = false
        var failing: Set<[UInt8]> = []
        var asked: [[UInt8]] = []
        var wanted: [Set<Rendition>] = []
        var lanes: Set<Priority.Level> = []
        var underWay = 0
        var most = 0
        var cancelled = 0
        /// The size of each tile in bytes.
        var length = 1_000
    }

    private let state = Guarded(State())

    struct Handle: RenderHandle {
        let workers: PromptWorkers
        func cancel() { workers.state.withLock { $0.cancelled += 1 } }
        func reprioritise(_ priority: Priority) {}
    }

    func render(
        _ job: RenderJob, priority: Priority,
        deliver: @escaping @Sendable (Result<RenderResult, RenderError>) -> Void
    ) -> any RenderHandle {
        var content = [UInt8](repeating: 0, count: 100)
        content.removeLast(100 - max(0, pread(job.descriptors[0], &content, 100, 0)))
        guard case .make(let wanted) = job.work else { return Handle(workers: self) }
        let (isHeld, refuses, isFailing, length) = state.withLock { [content] state in
            state.asked.append(content)
            state.wanted.append(Set(wanted.keys))
            state.lanes.insert(priority.level)
            state.underWay += 1
            state.most = max(state.most, state.underWay)
            return (state.isHeld, state.isRefusing, state.failing.contains(content), state.length)
        }
        var status = stat()
        fstat(job.descriptors[0], &status)
        let source = SourceStatus(
            size: Int64(status.st_size), modifiedSeconds: Int64(status.st_mtim.tv_sec),
            nanoseconds: Int64(status.st_mtim.tv_nsec))
        let work: @Sendable () -> Void = { [self] in
            state.withLock { $0.underWay -= 1 }
            guard !refuses else { return deliver(.failure(RenderError.unavailable("It was told to."))) }
            guard !isFailing else {
                var error = RenderError(.damaged, "Damaged.")
                error.source = source
                return deliver(.failure(error))
            }
            var answer = RenderResult(metadata: ImageMetadata(), source: source)
            answer.metadata.mediaType = "image/jpeg"
            (answer.metadata.width, answer.metadata.height) = (4_000, 3_000)
            for (rendition, format) in wanted {
                let side = rendition.longestSide ?? 4_000
                answer.renditions[rendition] = Rendered(
                    bytes: Array(repeating: 7, count: length), format: format, width: side, height: side * 3 / 4)
            }
            deliver(.success(answer))
        }
        if isHeld {
            state.withLock { $0.held.append(work) }
        } else {
            DispatchQueue.global().async { work() }
        }
        return Handle(workers: self)
    }

    var asked: [[UInt8]] { state.withLock(\.asked) }
    var wanted: [Set<Rendition>] { state.withLock(\.wanted) }
    var lanes: Set<Priority.Level> { state.withLock(\.lanes) }
    var most: Int { state.withLock(\.most) }
    var cancelled: Int { state.withLock(\.cancelled) }
    func hold() { state.withLock { $0.isHeld = true } }
    func fail(_ content: String) { state.withLock { _ = $0.failing.insert(Array(content.utf8)) } }
    func letGo() {
        let held = state.withLock { state in
            state.isHeld = false
            defer { state.held = [] }
            return state.held
        }
        for work in held { work() }
    }
    func refuse() { state.withLock { $0.isRefusing = true } }
    func accept() { state.withLock { $0.isRefusing = false } }
    func setLength(_ length: Int) { state.withLock { $0.length = length } }
}

/// The prefiller makes each tile of the folders once, below all requests, and never more than its share of the disk.
@Suite(.timeLimit(.minutes(2))) struct TilePrefillerTests {
    private let folder: URL
    private let workers = PromptWorkers()
    private let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("ahead-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: folder.appendingPathComponent("pictures"), withIntermediateDirectories: true)
    }

    private func write(_ name: String, _ text: String) throws {
        try Data(text.utf8).write(to: folder.appendingPathComponent("pictures/\(name)"))
    }

    /// A gallery with a running prefiller.
    private final class Fixture: Sendable {
        let catalog: Catalog
        let loader: Loader
        let prefiller: TilePrefiller
        private let origins: OriginFetcher

        init(
            _ folder: URL, _ workers: PromptWorkers, sources: [Source]? = nil, tileBytes: Int64 = 2 << 30,
            pause: Duration = .milliseconds(10), logger: Logger
        ) async throws {
            var configuration = Catalog.Configuration(dataFolder: folder.appendingPathComponent("data").path)
            configuration.settling = .zero
            catalog = try await Catalog.open(
                configuration,
                sources: sources ?? [.folder(path: folder.appendingPathComponent("pictures").path)], logger: logger)
            await catalog.scanCompleted()
            origins = try OriginFetcher(configuration: Origins.Configuration(), logger: logger)
            var loading = Loader.Configuration()
            loading.directory = folder.appendingPathComponent("data/cache").path
            loading.tileBytes = tileBytes
            // The loader remembers no failures; only the prefiller does.
            loading.failureLifetime = .zero
            loading.logger = logger
            let access = CatalogAccess(catalog: catalog)
            loader = try Loader(
                configuration: loading, origins: origins, renderer: workers, files: access, metadataReceiver: access)
            prefiller = TilePrefiller(
                catalog: catalog, loader: loader, atOnce: 2,
                pace: BackgroundPace(scanPoll: .milliseconds(10), settling: .milliseconds(10), retry: pause),
                logger: logger)
            prefiller.start()
        }

        func isDone(_ count: Int) -> Bool { prefiller.progress == .init(done: count, total: count) }

        func close() async {
            prefiller.stop()
            await loader.shutdown()
            await origins.shutDown()
            await catalog.close()
        }
    }

    private func remove() { try? FileManager.default.removeItem(at: folder) }

    @Test func `prefilled tiles serve later requests and take no memory`() async throws {
        defer { remove() }
        for number in 0..<150 { try write("\(number).jpg", "picture \(number)") }
        let fixture = try await Fixture(folder, workers, logger: logger)
        #expect(await eventually { fixture.isDone(150) })
        #expect(Set(workers.asked).count == 150 && workers.asked.count == 150)
        #expect(Set(workers.wanted) == [[.tile, .preview]])
        #expect(workers.lanes == [.background] && workers.most <= 2)
        #expect(fixture.loader.statistics.memoryBytes == 0)
        let images = try await fixture.catalog.images(at: 0..<60)
        for (number, image) in images.enumerated() {
            let wanted: (Rendition, OutputFormat) = number % 2 == 0 ? (.tile, .avif) : (.preview, .webp)
            let request = LoadRequest(image: image, rendition: wanted.0, format: wanted.1)
            let bytes = await withCheckedContinuation { continuation in
                let start = fixture.loader.load(request, priority: Priority(level: .visible, viewport: 1, distance: 0))
                {
                    continuation.resume(returning: $0)
                }
                if case .cached(let bytes) = start { continuation.resume(returning: .success(.bytes(bytes))) }
            }
            guard case .success(.bytes) = bytes else { throw CancellationError() }
        }
        #expect(images.count == 60 && workers.asked.count == 150)
        await fixture.close()
    }

    @Test func `after a restart only new and changed files are made`() async throws {
        defer { remove() }
        for number in 0..<20 { try write("\(number).jpg", "picture \(number)") }
        let first = try await Fixture(folder, workers, logger: logger)
        #expect(await eventually { first.isDone(20) })
        await first.close()
        let fixture = try await Fixture(folder, workers, logger: logger)
        #expect(await eventually { fixture.isDone(20) })
        #expect(workers.asked.count == 20)
        try write("new.jpg", "new")
        try write("3.jpg", "changed")
        fixture.catalog.rescan()
        #expect(await eventually { fixture.isDone(21) })
        #expect(Set(workers.asked.dropFirst(20)) == [Array("new".utf8), Array("changed".utf8)])
        #expect(workers.asked.count == 22)
        await fixture.close()
    }

    @Test func `a file that cannot be rendered is tried once`() async throws {
        defer { remove() }
        try write("a.jpg", "bad")
        try write("b.jpg", "good")
        workers.fail("bad")
        let fixture = try await Fixture(folder, workers, logger: logger)
        #expect(await eventually { fixture.isDone(2) })
        try write("c.jpg", "new")
        fixture.catalog.rescan()
        #expect(await eventually { fixture.isDone(3) })
        #expect(workers.asked.sorted { $0.count < $1.count } == ["bad", "new", "good"].map { Array($0.utf8) })
        await fixture.close()
    }

    @Test func `temporary failures are retried, and other failures on request`() async throws {
        defer { remove() }
        for number in 0..<40 { try write("\(number).jpg", "picture \(number)") }
        workers.refuse()
        let fixture = try await Fixture(folder, workers, logger: logger)
        // This many failures in a row are no coincidence: the prefiller waits, and begins again.
        #expect(await eventually { workers.asked.count > 20 })
        #expect(fixture.prefiller.progress.done < 40)
        workers.fail("picture 7")
        workers.accept()
        #expect(await eventually { fixture.isDone(40) })
        let asked = workers.asked.count { $0 == Array("picture 7".utf8) }
        fixture.prefiller.tryAgain()
        try write("new.jpg", "new")
        fixture.catalog.rescan()
        #expect(await eventually { fixture.isDone(41) })
        #expect(workers.asked.count { $0 == Array("picture 7".utf8) } == asked + 1)
        await fixture.close()
    }

    @Test func `prefilling stops if the tile cache keeps nothing`() async throws {
        defer { remove() }
        for number in 0..<300 { try write("\(number).jpg", "picture \(number)") }
        let fixture = try await Fixture(folder, workers, tileBytes: 10, pause: .seconds(60), logger: logger)
        #expect(await eventually { !workers.asked.isEmpty })
        #expect(await eventually { fixture.loader.statistics.jobs == 0 })
        #expect(workers.asked.count <= 64 && fixture.prefiller.progress.done == 0)
        await fixture.close()
    }

    @Test func `a tile that a viewer also waits for is kept in memory`() async throws {
        defer { remove() }
        try write("a.jpg", "picture")
        workers.hold()
        let fixture = try await Fixture(folder, workers, logger: logger)
        #expect(await eventually { workers.asked.count == 1 })
        let image = try await fixture.catalog.images(at: 0..<1)[0]
        let request = LoadRequest(image: image, rendition: .tile, format: .avif)
        async let seen: Bool = withCheckedContinuation { continuation in
            _ = fixture.loader.load(request, priority: Priority(level: .visible, viewport: 1, distance: 0)) { result in
                if case .success = result {
                    continuation.resume(returning: true)
                } else {
                    continuation.resume(returning: false)
                }
            }
        }
        #expect(await eventually { fixture.loader.statistics.waiting == 2 })
        workers.letGo()
        #expect(await seen && fixture.loader.cached(request) != nil && workers.asked.count == 1)
        await fixture.close()
    }

    @Test func `prefilling stops before tiles in use would be evicted`() async throws {
        defer { remove() }
        for number in 0..<400 { try write("\(number).jpg", "picture \(number)") }
        workers.setLength(5_000)
        let fixture = try await Fixture(folder, workers, tileBytes: 1_000_000, logger: logger)
        #expect(await eventually { fixture.prefiller.progress.isFull })
        // Each image has a tile and a preview.
        #expect((60..<90).contains(workers.asked.count), "\(workers.asked.count)")
        #expect(fixture.loader.shareOfTileBudget < 1)
        await fixture.close()
    }

    @Test func `nothing is fetched from an origin in advance`() async throws {
        defer { remove() }
        let list = folder.appendingPathComponent("list.txt")
        try Data("http://127.0.0.1:9/a.jpg\nhttp://127.0.0.1:9/b.jpg\n".utf8).write(to: list)
        let fixture = try await Fixture(
            folder, workers, sources: [.list(path: list.path, format: .text)], logger: logger)
        #expect(await eventually { fixture.isDone(2) })
        #expect(workers.asked.isEmpty && fixture.loader.statistics.fetchesBegun == 0)
        await fixture.close()
    }

    @Test func `a stop cancels the work in flight`() async throws {
        defer { remove() }
        for number in 0..<5 { try write("\(number).jpg", "picture \(number)") }
        workers.hold()
        let fixture = try await Fixture(folder, workers, logger: logger)
        #expect(await eventually { workers.asked.count == 2 })
        fixture.prefiller.stop()
        #expect(await eventually { workers.cancelled == 2 })
        #expect(workers.asked.count == 2)
        await fixture.close()
    }
}
