import Foundation
import Images
import Locking
import Logging
import RenderWorkers
import Renditions
import Scheduling
import TestSupport
import Testing

@testable import Catalog
@testable import GalleryServer

@Suite struct SharedIndexingTests {
    /// The other nodes, simulated by the test.
    private final class Others: MetadataSharing {
        struct State {
            var theirs: Set<ImageID> = []
            var asked = 0
            var released: [ImageContent] = []
        }

        let state = Guarded(State())

        func learned() {}

        func claim(_ contents: [ImageContent], granted: @escaping @Sendable (Set<ImageContent>) -> Void) {
            granted(
                state.withLock { state in
                    state.asked += 1
                    return Set(contents.filter { !state.theirs.contains($0.image) })
                })
        }

        func release(_ contents: [ImageContent]) { state.withLock { $0.released += contents } }
    }

    /// Workers that deliver results at once, and count files.
    private final class QuickWorkers: Rendering {
        let files = Guarded(0)

        struct Handle: RenderHandle {
            func cancel() {}
            func reprioritise(_ priority: Priority) {}
        }

        func render(
            _ job: RenderJob, priority: Priority,
            deliver: @escaping @Sendable (Result<RenderResult, RenderError>) -> Void
        ) -> any RenderHandle {
            files.withLock { $0 += job.descriptors.count }
            let answers = job.descriptors.map(HeldWorkers.good)
            guard job.descriptors.count > 1 else {
                deliver(answers[0])
                return Handle()
            }
            var all = RenderResult()
            all.fileResults = answers.compactMap { try? $0.get() }.map { .metadata($0.metadata, $0.source) }
            deliver(.success(all))
            return Handle()
        }
    }

    @Test func `files claimed by other nodes wait for their metadata or the end of the claim`() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("shared-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let pictures = folder.appendingPathComponent("pictures")
        try FileManager.default.createDirectory(at: pictures, withIntermediateDirectories: true)
        for number in 0..<10 {
            try Data("\(number)".utf8).write(to: pictures.appendingPathComponent("\(number).jpg"))
        }
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let others = Others()
        var configuration = Catalog.Configuration(dataFolder: folder.appendingPathComponent("data").path)
        configuration.sharing = others
        let catalog = try await Catalog.open(configuration, sources: [.folder(path: pictures.path)], logger: logger)
        await catalog.scanCompleted()
        let images = try await catalog.page(offset: 0, limit: 20).images
        others.state.withLock { $0.theirs = Set(images.prefix(4).map(\.id)) }
        let workers = QuickWorkers()
        let pace = BackgroundPace(claimPoll: .milliseconds(10))
        let indexer = MetadataIndexer(catalog: catalog, renderer: workers, sharing: others, pace: pace, logger: logger)
        indexer.start()
        #expect(await eventually { indexer.progress.done == 6 })
        #expect(workers.files.withLock(\.self) == 6)
        // The metadata of two files arrives; two other files become free.
        var metadata = ImageMetadata()
        metadata.readerVersion = ImageMetadata.currentReader
        try catalog.received(
            images.prefix(2).map { SharedMetadata(image: $0.id, version: $0.version, metadata: metadata) })
        #expect(await eventually { indexer.progress.done == 8 })
        others.state.withLock { $0.theirs = [] }
        #expect(await eventually { indexer.progress.done == 10 })
        #expect(workers.files.withLock(\.self) == 8)
        await indexer.stop()
        await catalog.close()
    }
}
