import BlockingIO
import Dispatch
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

/// Workers that hang while reading one folder, until the test heals it.
private final class HangingWorkers: Rendering {
    typealias Deliver = @Sendable (Result<RenderResult, RenderError>) -> Void

    private struct State {
        var hungGroup: Int?
        var held: [Deliver] = []
        var cancelled = 0
        var begun: [Int?: Int] = [:]
    }

    private let state: Guarded<State>

    init(hungGroup: Int) { state = Guarded(State(hungGroup: hungGroup)) }

    private struct Handle: RenderHandle {
        let cancelled: @Sendable () -> Void
        func cancel() { cancelled() }
        func reprioritise(_ priority: Priority) {}
    }

    func render(_ job: RenderJob, priority: Priority, deliver: @escaping Deliver) -> any RenderHandle {
        let isHung = state.withLock { state in
            state.begun[job.group, default: 0] += 1
            let isHung = job.group == state.hungGroup
            if isHung { state.held.append(deliver) }
            return isHung
        }
        if !isHung { deliver(Self.answer(job)) }
        return Handle { [self] in if isHung { state.withLock { $0.cancelled += 1 } } }
    }

    private static func answer(_ job: RenderJob) -> Result<RenderResult, RenderError> {
        var answer = RenderResult()
        for descriptor in job.descriptors {
            guard case .success(let one) = HeldWorkers.good(descriptor) else { continue }
            (answer.metadata, answer.source) = (one.metadata, one.source)
            answer.fileResults.append(.metadata(one.metadata, one.source))
        }
        if case .make(let wanted) = job.work {
            answer.metadata.mediaType = "image/jpeg"
            (answer.metadata.width, answer.metadata.height) = (4_000, 3_000)
            for (rendition, format) in wanted {
                let side = rendition.longestSide ?? 4_000
                answer.renditions[rendition] = Rendered(
                    bytes: [1, 2, 3], format: format, width: side, height: side * 3 / 4)
            }
        }
        return .success(answer)
    }

    var held: Int { state.withLock(\.held.count) }
    var cancelled: Int { state.withLock(\.cancelled) }
    func begun(in group: Int) -> Int { state.withLock { $0.begun[group, default: 0] } }

    /// Ends the first held job at its deadline, as the worker pool would.
    func expire() {
        let first = state.withLock { $0.held.isEmpty ? nil : $0.held.removeFirst() }
        first?(.failure(.sourceHangs("told to")))
    }

    func heal() { state.withLock { $0.hungGroup = nil } }
}

/// Files that cannot be opened while the test holds them.
private final class HeldFiles: FileOpening {
    private let files: any FileOpening
    private let gate = DispatchSemaphore(value: 0)
    private let held = Guarded<(isHolding: Bool, count: Int)>((true, 0))

    init(_ files: any FileOpening) { self.files = files }

    var count: Int { held.withLock(\.count) }

    func openFile(folder: Int, path: String) throws(LoadFailure) -> Int32 {
        let isHeld = held.withLock { held in
            if held.isHolding { held.count += 1 }
            return held.isHolding
        }
        if isHeld { gate.wait() }
        return try files.openFile(folder: folder, path: path)
    }

    func letGo() {
        let count = held.withLock { held in
            held.isHolding = false
            return held.count
        }
        for _ in 0..<count { gate.signal() }
    }
}

/// A folder whose disk hangs blocks background work only for its own images.
@Suite(.timeLimit(.minutes(1))) struct HungFolderTests {
    private let root = FileManager.default.temporaryDirectory.appendingPathComponent("hung-\(UUID().uuidString)")
    private let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    private let workers = HangingWorkers(hungGroup: 0)

    private func catalog(hung: Int, healthy: Int) async throws -> Catalog {
        for (name, count) in [("hung", hung), ("healthy", healthy)] {
            let folder = root.appendingPathComponent(name)
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            for number in 0..<count {
                try Data("\(name) \(number)".utf8).write(to: folder.appendingPathComponent("\(name)\(number).jpg"))
            }
        }
        var configuration = Catalog.Configuration(dataFolder: root.appendingPathComponent("data").path)
        configuration.settling = .zero
        let catalog = try await Catalog.open(
            configuration,
            sources: ["hung", "healthy"].map { .folder(path: root.appendingPathComponent($0).path) }, logger: logger)
        await catalog.scanCompleted()
        return catalog
    }

    @Test func `other folders are indexed while one hangs, and that one once it responds again`() async throws {
        defer { try? FileManager.default.removeItem(at: root) }
        let catalog = try await catalog(hung: 200, healthy: 50)
        let indexer = MetadataIndexer(
            catalog: catalog, renderer: workers,
            pace: BackgroundPace(retry: .milliseconds(200), longestRetry: .milliseconds(200)), logger: logger)
        indexer.start()
        // The hung folder occupies all jobs that may run at a time.
        #expect(await eventually { workers.held == MetadataIndexer.filesAtOnce / RenderJob.maximumFilesPerJob })
        workers.expire()
        #expect(await eventually { indexer.progress == IndexingProgress(done: 50, total: 250) })
        #expect(workers.cancelled >= 3)
        workers.heal()
        // A retry may already have begun.
        #expect(
            await eventually {
                workers.expire()
                return indexer.progress == IndexingProgress(done: 250, total: 250)
            })
        let images = try await catalog.page(offset: 0, limit: 300).images
        #expect(
            images.count == 250
                && images.allSatisfy { $0.metadata.title == "looked into" && $0.metadata.isBroken != true })
        await indexer.stop()
        await catalog.close()
    }

    @Test func `tiles of other folders are prefilled while one hangs, and its own once it responds`() async throws {
        defer { try? FileManager.default.removeItem(at: root) }
        let catalog = try await catalog(hung: 40, healthy: 40)
        let origins = try OriginFetcher(configuration: Origins.Configuration(), logger: logger)
        var loading = Loader.Configuration()
        loading.directory = root.appendingPathComponent("cache").path
        loading.failureLifetime = .zero
        loading.logger = logger
        let access = CatalogAccess(catalog: catalog)
        let loader = try Loader(
            configuration: loading, origins: origins, renderer: workers, files: access, metadataReceiver: access)
        let ahead = TilePrefiller(
            catalog: catalog, loader: loader, atOnce: 2,
            pace: BackgroundPace(retry: .seconds(3), longestRetry: .seconds(3)), logger: logger)
        ahead.start()
        #expect(
            await eventually {
                workers.expire()
                return workers.begun(in: 1) == 40 && ahead.progress.done == 80
            })
        // Each pass loads no more files of the hung folder than were in progress when the first one failed.
        #expect(workers.begun(in: 0) <= 8)
        workers.heal()
        let images = try await catalog.images(at: 0..<80)
        #expect(
            await eventually {
                workers.expire()
                return loader.lacking(TilePrefiller.rendition, TilePrefiller.format, of: images).isEmpty
            })
        #expect(workers.begun(in: 1) == 40)
        ahead.stop()
        await loader.shutdown()
        await origins.shutDown()
        await catalog.close()
    }

    @Test func `a folder is not skipped because other loads come first, and its tiles are made later`() async throws {
        defer { try? FileManager.default.removeItem(at: root) }
        let catalog = try await catalog(hung: 7, healthy: 0)
        workers.heal()
        let origins = try OriginFetcher(configuration: Origins.Configuration(), logger: logger)
        var loading = Loader.Configuration()
        loading.directory = root.appendingPathComponent("cache").path
        loading.failureLifetime = .zero
        loading.diskDeadline = .milliseconds(100)
        loading.logger = logger
        let access = CatalogAccess(catalog: catalog)
        let files = HeldFiles(access)
        let loader = try Loader(
            configuration: loading, origins: origins, renderer: workers, files: files, metadataReceiver: access)
        let images = try await catalog.images(at: 0..<7)
        // A prefetch occupies the only thread of the folder that prefetch may occupy.
        let other = LoadRequest(image: images[0], rendition: .preview, format: .jpeg)
        _ = loader.load(other, priority: Priority(level: .prefetch, viewport: 0, distance: 0)) { _ in }
        #expect(await eventually { files.count == 1 })
        let ahead = TilePrefiller(
            catalog: catalog, loader: loader, atOnce: 2,
            pace: BackgroundPace(retry: .seconds(4), longestRetry: .seconds(4)), logger: logger)
        ahead.start()
        #expect(await eventually { loader.statistics.failures == 1 + images.count })
        #expect(ahead.runner.skippedFolders.isEmpty && workers.begun(in: 0) == 0)
        files.letGo()
        #expect(
            await eventually {
                loader.lacking(TilePrefiller.rendition, TilePrefiller.format, of: images).isEmpty
            })
        ahead.stop()
        await loader.shutdown()
        await origins.shutDown()
        await catalog.close()
    }

    @Test func `the indexer does not skip a folder because other work comes first`() async throws {
        defer { try? FileManager.default.removeItem(at: root) }
        let catalog = try await catalog(hung: 40, healthy: 0)
        workers.heal()
        let indexer = MetadataIndexer(
            catalog: catalog, renderer: workers,
            pace: BackgroundPace(retry: .seconds(60), longestRetry: .seconds(60), diskDeadline: .seconds(1)),
            logger: logger)
        let pool = indexer.runner.pool
        let gate = DispatchSemaphore(value: 0)
        // Two run, and the third comes before the files of the indexer.
        for _ in 0..<3 {
            pool.submit(in: 0, priority: Priority(level: .visible, viewport: 1, distance: 0)) { gate.wait() }
        }
        indexer.start()
        let surveys = (40 + RenderJob.maximumFilesPerJob - 1) / RenderJob.maximumFilesPerJob
        #expect(await eventually { pool.count == 3 + surveys })
        gate.signal()
        #expect(await eventually { pool.count == 2 })
        for _ in 0..<2 { gate.signal() }
        // Before the retry, only files of folders that are not skipped are indexed.
        try Data("new".utf8).write(to: root.appendingPathComponent("hung/new.jpg"))
        catalog.rescan()
        #expect(await eventually { indexer.progress == IndexingProgress(done: 1, total: 41) })
        await indexer.stop()
        await catalog.close()
    }
}
