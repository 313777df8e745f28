import Foundation
import Glibc
import Images
import Logging
import RenderWorkers
import Renditions
import Scheduling
import Synchronization
import TestSupport
import Testing

@testable import Catalog
@testable import GalleryServer

/// Workers that hold their results until the test releases them.
final class HeldWorkers: Rendering {
    typealias Deliver = @Sendable (Result<RenderResult, RenderError>) -> Void

    private struct State {
        var held: [(job: RenderJob, deliver: Deliver)] = []
        var files = 0
        var most = 0
        var begun = 0
        var lanes: Set<Priority.Level> = []
        var cancelled = 0
        var answer: (@Sendable (Int32) -> Result<RenderResult, RenderError>)?
    }

    private let state = Mutex(State())

    struct Handle: RenderHandle {
        let workers: HeldWorkers
        func cancel() { workers.state.withLock { $0.cancelled += 1 } }
        func reprioritise(_ priority: Priority) {}
    }

    func render(_ job: RenderJob, priority: Priority, deliver: @escaping Deliver) -> any RenderHandle {
        let answer = state.withLock { state in
            state.begun += 1
            state.lanes.insert(priority.level)
            state.files += job.descriptors.count
            if state.answer == nil { state.held.append((job, deliver)) }
            state.most = max(state.most, state.held.reduce(0) { $0 + $1.job.descriptors.count })
            return state.answer
        }
        if let answer { deliver(Self.answer(job, answer)) }
        return Handle(workers: self)
    }

    /// The result of a job. If one of several files ends the worker or no worker is available, the whole job fails.
    private static func answer(
        _ job: RenderJob, _ answer: (Int32) -> Result<RenderResult, RenderError>
    ) -> Result<RenderResult, RenderError> {
        switch job.work {
        case .readMetadataOfAll, .readSidecars: break
        default: return answer(job.descriptors[0])
        }
        var all = RenderResult()
        for descriptor in job.descriptors {
            switch answer(descriptor) {
            case .success(let one): all.fileResults.append(.metadata(one.metadata, one.source))
            case .failure(let error) where error.reason == .decoderDied || error.reason == .unavailable:
                return .failure(error)
            case .failure(let error): all.fileResults.append(.failed(error))
            }
        }
        return .success(all)
    }

    /// The number of jobs, and of files in them.
    var begun: Int { state.withLock(\.begun) }
    var files: Int { state.withLock(\.files) }
    var most: Int { state.withLock(\.most) }
    var held: Int { state.withLock { $0.held.reduce(0) { $0 + $1.job.descriptors.count } } }
    var cancelled: Int { state.withLock(\.cancelled) }
    var lanes: Set<Priority.Level> { state.withLock(\.lanes) }

    /// Delivers the held results, and from now on every result at once.
    func answer(_ answer: @escaping @Sendable (Int32) -> Result<RenderResult, RenderError>) {
        let held = state.withLock { state in
            state.answer = answer
            defer { state.held = [] }
            return state.held
        }
        for held in held { held.deliver(Self.answer(held.job, answer)) }
    }

    /// The result for a file without metadata of its own.
    static func good(_ descriptor: Int32) -> Result<RenderResult, RenderError> {
        var metadata = ImageMetadata()
        metadata.title = "looked into"
        metadata.readerVersion = ImageMetadata.currentReader
        return .success(RenderResult(metadata: metadata, source: source(descriptor)))
    }

    static func source(_ descriptor: Int32) -> SourceStatus {
        var status = stat()
        fstat(descriptor, &status)
        return SourceStatus(
            size: Int64(status.st_size), modifiedSeconds: Int64(status.st_mtim.tv_sec),
            nanoseconds: Int64(status.st_mtim.tv_nsec))
    }
}

@Suite struct MetadataIndexerTests {
    private let folder: URL
    private let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("examiner-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: folder.appendingPathComponent("pictures"), withIntermediateDirectories: true)
    }

    private func write(_ name: String, _ bytes: [UInt8] = Array("a picture".utf8)) throws {
        try Data(bytes).write(to: folder.appendingPathComponent("pictures/\(name)"))
    }

    private func catalog() async throws -> Catalog {
        var configuration = Catalog.Configuration(dataFolder: folder.appendingPathComponent("data").path)
        // Files written a moment ago count as complete.
        configuration.settling = .zero
        let catalog = try await Catalog.open(
            configuration, sources: [.folder(path: folder.appendingPathComponent("pictures").path)], logger: logger)
        await catalog.scanCompleted()
        return catalog
    }

    private func end(_ indexer: MetadataIndexer, _ catalog: Catalog, keep: Bool = false) async {
        await indexer.stop()
        await catalog.close()
        if !keep { try? FileManager.default.removeItem(at: folder) }
    }

    @Test func `files are indexed at background priority, a limited number at a time`() async throws {
        for number in 0..<100 { try write("\(number).jpg") }
        let (catalog, workers) = (try await catalog(), HeldWorkers())
        let indexer = MetadataIndexer(catalog: catalog, renderer: workers, logger: logger)
        indexer.start()
        #expect(await eventually { workers.held == MetadataIndexer.filesAtOnce })
        #expect(indexer.progress.done < 100)
        workers.answer(HeldWorkers.good)
        #expect(await eventually { indexer.progress == IndexingProgress(done: 100, total: 100) })
        #expect(workers.files == 100 && workers.most == MetadataIndexer.filesAtOnce && workers.lanes == [.background])
        #expect(workers.begun < 20)
        let images = try await catalog.page(offset: 0, limit: 200).images
        #expect(images.count == 100 && images.allSatisfy { $0.metadata.title == "looked into" })
        // Indexing continues when a file is added.
        try write("new.jpg")
        catalog.rescan()
        #expect(await eventually { indexer.progress == IndexingProgress(done: 101, total: 101) })
        #expect(workers.files == 101)
        await end(indexer, catalog)
    }

    @Test func `columns are loaded once indexing is complete, before any request needs them`() async throws {
        for number in 0..<20 { try write("\(number).jpg") }
        let (catalog, workers) = (try await catalog(), HeldWorkers())
        let indexer = MetadataIndexer(catalog: catalog, renderer: workers, logger: logger)
        indexer.start()
        let columns = catalog.indexStore.disk.columns
        #expect(await eventually { workers.held == 20 })
        #expect(columns.current.blocks.isEmpty)
        workers.answer(HeldWorkers.good)
        let isKnown = { (block: ColumnBlock) in
            (0..<20).allSatisfy { block.noteTexts.has(Array("looked into".utf8), in: Int(block.notes[$0])) }
        }
        #expect(await eventually { columns.current[0].map { isKnown($0.block) } == true })
        await end(indexer, catalog)
    }

    @Test func `after a restart only changed files are indexed`() async throws {
        for number in 0..<20 { try write("\(number).jpg") }
        for expected in [20, 0, 1] {
            if expected == 1 { try write("7.jpg", Array("another picture".utf8)) }
            let (catalog, workers) = (try await catalog(), HeldWorkers())
            workers.answer(HeldWorkers.good)
            let indexer = MetadataIndexer(catalog: catalog, renderer: workers, logger: logger)
            indexer.start()
            #expect(await eventually { indexer.progress == IndexingProgress(done: 20, total: 20) })
            #expect(workers.files == expected)
            await end(indexer, catalog, keep: expected != 1)
        }
    }

    @Test func `a broken file is remembered, and a temporary failure is retried`() async throws {
        try write("broken.jpg")
        var (catalog, workers) = (try await catalog(), HeldWorkers())
        workers.answer { _ in .failure(RenderError(.damaged, "It is broken.")) }
        var indexer = MetadataIndexer(catalog: catalog, renderer: workers, logger: logger)
        indexer.start()
        #expect(await eventually { indexer.progress.done == 1 })
        #expect(try await catalog.page(offset: 0, limit: 1).images.first?.metadata.isBroken == true)
        await end(indexer, catalog, keep: true)
        try write("later.jpg")
        (catalog, workers) = (try await self.catalog(), HeldWorkers())
        let tries = Mutex(0)
        workers.answer { descriptor in
            let number = tries.withLock { tries in
                tries += 1
                return tries
            }
            return number < 4 ? .failure(.unavailable("not yet")) : HeldWorkers.good(descriptor)
        }
        indexer = MetadataIndexer(
            catalog: catalog, renderer: workers,
            pace: BackgroundPace(retry: .milliseconds(1), longestRetry: .milliseconds(2)),
            logger: logger)
        indexer.start()
        #expect(await eventually { indexer.progress == IndexingProgress(done: 2, total: 2) })
        #expect(workers.begun == 4)
        await end(indexer, catalog)
    }

    @Test func `a file that crashes its worker does not affect others in the same job`() async throws {
        for number in 0..<20 { try write("\(number).jpg", Array((number == 7 ? "deadly" : "picture").utf8)) }
        let (catalog, workers) = (try await catalog(), HeldWorkers())
        workers.answer { descriptor in
            var first: UInt8 = 0
            pread(descriptor, &first, 1, 0)
            return first == UInt8(ascii: "d") ? .failure(.decoderDied("signal 11")) : HeldWorkers.good(descriptor)
        }
        let indexer = MetadataIndexer(catalog: catalog, renderer: workers, logger: logger)
        indexer.start()
        #expect(await eventually { indexer.progress == IndexingProgress(done: 20, total: 20) })
        let images = try await catalog.page(offset: 0, limit: 100).images
        #expect(images.filter { $0.metadata.isBroken == true }.map(\.name) == ["7.jpg"])
        #expect(images.count { $0.metadata.title == "looked into" } == 19)
        await end(indexer, catalog)
    }

    @Test func `metadata read while a file changes is discarded`() async throws {
        try write("a.jpg")
        let (catalog, workers) = (try await catalog(), HeldWorkers())
        let indexer = MetadataIndexer(
            catalog: catalog, renderer: workers,
            pace: BackgroundPace(retry: .milliseconds(1), longestRetry: .milliseconds(2)), logger: logger)
        indexer.start()
        #expect(await eventually { workers.held == 1 })
        let tries = Mutex(0)
        workers.answer { descriptor in
            guard case .success(var answer) = HeldWorkers.good(descriptor) else { return .failure(.unavailable("")) }
            let isFirst = tries.withLock { tries in
                tries += 1
                return tries == 1
            }
            if isFirst {
                answer.source.size += 1
                answer.metadata.title = "half of it"
            }
            return .success(answer)
        }
        #expect(await eventually { indexer.progress.done == 1 })
        #expect(try await catalog.page(offset: 0, limit: 1).images.first?.metadata.title == "looked into")
        #expect(workers.begun == 2)
        await end(indexer, catalog)
    }

    @Test func `a stop cancels the work in flight, and no metadata is recorded afterwards`() async throws {
        for number in 0..<100 { try write("\(number).jpg") }
        let (catalog, workers) = (try await catalog(), HeldWorkers())
        let indexer = MetadataIndexer(catalog: catalog, renderer: workers, logger: logger)
        indexer.start()
        #expect(await eventually { workers.held == MetadataIndexer.filesAtOnce })
        await indexer.stop()
        workers.answer(HeldWorkers.good)
        let images = try await catalog.page(offset: 0, limit: 200).images
        #expect(images.count == 100 && images.allSatisfy { $0.metadata.title == nil })
        #expect(workers.files == MetadataIndexer.filesAtOnce)
        await end(indexer, catalog)
    }

    @Test func `indexing waits for a running scan, for a limited time`() async throws {
        try write("a.jpg")
        for (patience, begins) in [(Duration.seconds(3_600), false), (.zero, true)] {
            let (catalog, workers) = (try await catalog(), HeldWorkers())
            catalog.scanning.suspend()
            catalog.rescan()
            let pace = BackgroundPace(maximumScanWait: patience, scanPoll: .milliseconds(1))
            let indexer = MetadataIndexer(catalog: catalog, renderer: workers, pace: pace, logger: logger)
            indexer.start()
            #expect(await eventually { indexer.runner.sawScan })
            if begins { #expect(await eventually { workers.held == 1 && indexer.progress.total == 1 }) }
            if !begins { #expect(indexer.progress.total == 0) }
            catalog.scanning.resume()
            #expect(await eventually { workers.held == 1 })
            await end(indexer, catalog, keep: !begins)
        }
    }

    @Test func `real workers index real images`() async throws {
        try write("a.jpg", try picture(red: 200, width: 90, height: 30))
        try write("b.svg", Array("<svg xmlns='http://www.w3.org/2000/svg' width='70' height='50'/>".utf8))
        try write("c.jpg", Array("no picture at all".utf8))
        let catalog = try await catalog()
        // Workers of its own: the shared ones are busy with requests, and indexing comes last.
        let workers = try TestGallery.newWorkers()
        let indexer = MetadataIndexer(catalog: catalog, renderer: workers, logger: logger)
        indexer.start()
        let all = IndexingProgress(done: 3, total: 3)
        for _ in 0..<6 where !(await eventually { indexer.progress == all }) {}
        #expect(indexer.progress == all)
        let images = try await catalog.page(offset: 0, limit: 3).images
        #expect(images.map(\.metadata.width) == [90, 70, nil])
        #expect(images.map(\.metadata.mediaType) == ["image/jpeg", "image/svg+xml", nil])
        #expect(images.map(\.metadata.isBroken) == [false, false, true])
        // Placeholders come with the first tile.
        #expect(images.allSatisfy { $0.metadata.placeholder == nil })
        await end(indexer, catalog)
        await workers.stop()
    }
}
