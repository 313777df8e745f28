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

@Suite struct SharedExaminingTests {
    /// The other nodes, as a test has them.
    private final class Others: FactsSharing {
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

    /// Workers that answer at once, and count.
    private final class QuickWorkers: Rendering {
        let files = Guarded(0)

        struct Handle: RenderHandle {
            func cancel() {}
            func reprioritise(_ priority: Priority) {}
        }

        func render(
            _ job: RenderJob, priority: Priority,
            deliver: @escaping @Sendable (Result<RenderAnswer, RenderError>) -> Void
        ) -> any RenderHandle {
            files.withLock { $0 += job.descriptors.count }
            let answers = job.descriptors.map(HeldWorkers.good)
            guard job.descriptors.count > 1 else {
                deliver(answers[0])
                return Handle()
            }
            var all = RenderAnswer()
            all.visits = answers.compactMap { try? $0.get() }.map { .examined($0.facts, $0.source) }
            deliver(.success(all))
            return Handle()
        }
    }

    @Test func `what others look into is left to them, until it is heard of or they are gone`() async throws {
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
        var pace = ExaminationPace()
        pace.lookingElsewhere = .milliseconds(10)
        let examiner = Examiner(catalog: catalog, renderer: workers, sharing: others, pace: pace, logger: logger)
        examiner.start()
        #expect(await eventually { examiner.progress.done == 6 })
        #expect(workers.files.withLock(\.self) == 6)
        // Of two something is heard; two are free.
        var facts = ImageFacts()
        facts.examination = ImageFacts.presentExamination
        try catalog.heard(images.prefix(2).map { SharedFacts(image: $0.id, version: $0.version, facts: facts) })
        #expect(await eventually { examiner.progress.done == 8 })
        others.state.withLock { $0.theirs = [] }
        #expect(await eventually { examiner.progress.done == 10 })
        #expect(workers.files.withLock(\.self) == 8)
        await examiner.stop()
        await catalog.close()
    }
}
