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

/// Workers that answer when they are told to.
final class HeldWorkers: Rendering {
    typealias Deliver = @Sendable (Result<RenderAnswer, RenderError>) -> Void

    private struct State {
        var held: [(job: RenderJob, deliver: Deliver)] = []
        var files = 0
        var most = 0
        var begun = 0
        var lanes: Set<Priority.Lane> = []
        var cancelled = 0
        var answer: (@Sendable (Int32) -> Result<RenderAnswer, RenderError>)?
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
            state.lanes.insert(priority.lane)
            state.files += job.descriptors.count
            if state.answer == nil { state.held.append((job, deliver)) }
            state.most = max(state.most, state.held.reduce(0) { $0 + $1.job.descriptors.count })
            return state.answer
        }
        if let answer { deliver(Self.answer(job, answer)) }
        return Handle(workers: self)
    }

    /// A survey in which an original is heavy, or would end the worker, as what is answered of it tells.
    private static func answer(
        _ job: RenderJob, _ answer: (Int32) -> Result<RenderAnswer, RenderError>
    ) -> Result<RenderAnswer, RenderError> {
        guard case .survey = job.work else { return answer(job.descriptors[0]) }
        var all = RenderAnswer()
        for descriptor in job.descriptors {
            switch answer(descriptor) {
            case .success(let one): all.visits.append(.examined(one.facts, one.source))
            case .failure(let error) where error.reason == .decoderDied || error.reason == .unavailable:
                return .failure(error)
            case .failure(let error): all.visits.append(.failed(error))
            }
        }
        return .success(all)
    }

    /// Visits, and files that were looked into in them.
    var begun: Int { state.withLock(\.begun) }
    var files: Int { state.withLock(\.files) }
    var most: Int { state.withLock(\.most) }
    var held: Int { state.withLock { $0.held.reduce(0) { $0 + $1.job.descriptors.count } } }
    var cancelled: Int { state.withLock(\.cancelled) }
    var lanes: Set<Priority.Lane> { state.withLock(\.lanes) }

    /// Answers what waits, and from now on everything at once.
    func answer(_ answer: @escaping @Sendable (Int32) -> Result<RenderAnswer, RenderError>) {
        let held = state.withLock { state in
            state.answer = answer
            defer { state.held = [] }
            return state.held
        }
        for held in held { held.deliver(Self.answer(held.job, answer)) }
    }

    /// What a worker says of a file whose head tells nothing.
    static func good(_ descriptor: Int32) -> Result<RenderAnswer, RenderError> {
        var facts = ImageFacts()
        facts.title = "looked into"
        facts.examination = ImageFacts.presentExamination
        return .success(RenderAnswer(facts: facts, source: source(descriptor)))
    }

    static func source(_ descriptor: Int32) -> SourceStatus {
        var status = stat()
        fstat(descriptor, &status)
        return SourceStatus(
            size: Int64(status.st_size), modifiedSeconds: Int64(status.st_mtim.tv_sec),
            nanoseconds: Int64(status.st_mtim.tv_nsec))
    }
}

@Suite struct ExaminerTests {
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
        // What was written a moment ago is whole.
        configuration.settling = .zero
        let catalog = try await Catalog.open(
            configuration, sources: [.folder(path: folder.appendingPathComponent("pictures").path)], logger: logger)
        await catalog.scanCompleted()
        return catalog
    }

    private func end(_ examiner: Examiner, _ catalog: Catalog, keep: Bool = false) async {
        await examiner.stop()
        await catalog.close()
        if !keep { try? FileManager.default.removeItem(at: folder) }
    }

    @Test func `each file is looked into behind everything else, only so many at a time`() async throws {
        for number in 0..<100 { try write("\(number).jpg") }
        let (catalog, workers) = (try await catalog(), HeldWorkers())
        let examiner = Examiner(catalog: catalog, renderer: workers, logger: logger)
        examiner.start()
        #expect(await eventually { workers.held == Examiner.filesAtOnce })
        #expect(examiner.progress.done < 100)
        workers.answer(HeldWorkers.good)
        #expect(await eventually { examiner.progress == ExaminationProgress(done: 100, total: 100) })
        #expect(workers.files == 100 && workers.most == Examiner.filesAtOnce && workers.lanes == [.background])
        #expect(workers.begun < 20)
        let images = try await catalog.page(offset: 0, limit: 200).images
        #expect(images.count == 100 && images.allSatisfy { $0.facts.title == "looked into" })
        // It goes on when something comes.
        try write("new.jpg")
        catalog.rescan()
        #expect(await eventually { examiner.progress == ExaminationProgress(done: 101, total: 101) })
        #expect(workers.files == 101)
        await end(examiner, catalog)
    }

    @Test func `what orders are made by is read when all has been looked into, before anybody asks`() async throws {
        for number in 0..<20 { try write("\(number).jpg") }
        let (catalog, workers) = (try await catalog(), HeldWorkers())
        let examiner = Examiner(catalog: catalog, renderer: workers, logger: logger)
        examiner.start()
        let columns = catalog.shelf.disk.columns
        #expect(await eventually { workers.held == 20 })
        #expect(columns.current.blocks.isEmpty)
        workers.answer(HeldWorkers.good)
        let isKnown = { (block: ColumnBlock) in
            (0..<20).allSatisfy { block.noteTexts.has(Array("looked into".utf8), in: Int(block.notes[$0])) }
        }
        #expect(await eventually { columns.current[0].map { isKnown($0.block) } == true })
        await end(examiner, catalog)
    }

    @Test func `a restart looks into nothing that is as it was`() async throws {
        for number in 0..<20 { try write("\(number).jpg") }
        for expected in [20, 0, 1] {
            if expected == 1 { try write("7.jpg", Array("another picture".utf8)) }
            let (catalog, workers) = (try await catalog(), HeldWorkers())
            workers.answer(HeldWorkers.good)
            let examiner = Examiner(catalog: catalog, renderer: workers, logger: logger)
            examiner.start()
            #expect(await eventually { examiner.progress == ExaminationProgress(done: 20, total: 20) })
            #expect(workers.files == expected)
            await end(examiner, catalog, keep: expected != 1)
        }
    }

    @Test func `what cannot be shown is remembered, and what may pass is tried again`() async throws {
        try write("broken.jpg")
        var (catalog, workers) = (try await catalog(), HeldWorkers())
        workers.answer { _ in .failure(RenderError(.damaged, "It is broken.")) }
        var examiner = Examiner(catalog: catalog, renderer: workers, logger: logger)
        examiner.start()
        #expect(await eventually { examiner.progress.done == 1 })
        #expect(try await catalog.page(offset: 0, limit: 1).images.first?.facts.isBroken == true)
        await end(examiner, catalog, keep: true)
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
        examiner = Examiner(
            catalog: catalog, renderer: workers,
            pace: ExaminationPace(first: .milliseconds(1), longest: .milliseconds(2), settling: .milliseconds(1)),
            logger: logger)
        examiner.start()
        #expect(await eventually { examiner.progress == ExaminationProgress(done: 2, total: 2) })
        #expect(workers.begun == 4)
        await end(examiner, catalog)
    }

    @Test func `a file that ends its worker costs those that it was surveyed with nothing`() async throws {
        for number in 0..<20 { try write("\(number).jpg", Array((number == 7 ? "deadly" : "picture").utf8)) }
        let (catalog, workers) = (try await catalog(), HeldWorkers())
        workers.answer { descriptor in
            var first: UInt8 = 0
            pread(descriptor, &first, 1, 0)
            return first == UInt8(ascii: "d") ? .failure(.decoderDied("signal 11")) : HeldWorkers.good(descriptor)
        }
        let examiner = Examiner(catalog: catalog, renderer: workers, logger: logger)
        examiner.start()
        #expect(await eventually { examiner.progress == ExaminationProgress(done: 20, total: 20) })
        let images = try await catalog.page(offset: 0, limit: 100).images
        #expect(images.filter { $0.facts.isBroken == true }.map(\.name) == ["7.jpg"])
        #expect(images.count { $0.facts.title == "looked into" } == 19)
        await end(examiner, catalog)
    }

    @Test func `what is read of a file while it changes is not kept`() async throws {
        try write("a.jpg")
        let (catalog, workers) = (try await catalog(), HeldWorkers())
        let examiner = Examiner(
            catalog: catalog, renderer: workers,
            pace: ExaminationPace(first: .milliseconds(1), longest: .milliseconds(2)), logger: logger)
        examiner.start()
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
                answer.facts.title = "half of it"
            }
            return .success(answer)
        }
        #expect(await eventually { examiner.progress.done == 1 })
        #expect(try await catalog.page(offset: 0, limit: 1).images.first?.facts.title == "looked into")
        #expect(workers.begun == 2)
        await end(examiner, catalog)
    }

    @Test func `a stop gives up what is under way, and nothing is learnt after it`() async throws {
        for number in 0..<100 { try write("\(number).jpg") }
        let (catalog, workers) = (try await catalog(), HeldWorkers())
        let examiner = Examiner(catalog: catalog, renderer: workers, logger: logger)
        examiner.start()
        #expect(await eventually { workers.held == Examiner.filesAtOnce })
        await examiner.stop()
        workers.answer(HeldWorkers.good)
        let images = try await catalog.page(offset: 0, limit: 200).images
        #expect(images.count == 100 && images.allSatisfy { $0.facts.title == nil })
        #expect(workers.files == Examiner.filesAtOnce)
        await end(examiner, catalog)
    }

    @Test func `names come first, for a while`() async throws {
        try write("a.jpg")
        for (patience, begins) in [(Duration.seconds(3_600), false), (.zero, true)] {
            let (catalog, workers) = (try await catalog(), HeldWorkers())
            catalog.scanning.suspend()
            catalog.rescan()
            var pace = ExaminationPace()
            pace.patience = patience
            pace.looking = .milliseconds(1)
            let examiner = Examiner(catalog: catalog, renderer: workers, pace: pace, logger: logger)
            examiner.start()
            await examiner.settled()
            #expect(examiner.progress.total == (begins ? 1 : 0))
            if begins { #expect(await eventually { workers.held == 1 }) }
            catalog.scanning.resume()
            #expect(await eventually { workers.held == 1 })
            await end(examiner, catalog, keep: !begins)
        }
    }

    @Test func `real workers tell of real pictures what nobody has asked for`() async throws {
        try write("a.jpg", try picture(red: 200, width: 90, height: 30))
        try write("b.svg", Array("<svg xmlns='http://www.w3.org/2000/svg' width='70' height='50'/>".utf8))
        try write("c.jpg", Array("no picture at all".utf8))
        let catalog = try await catalog()
        // Of its own: those that all tests share have something to do that was asked for, and leave this to the end.
        let workers = try TestGallery.newWorkers()
        let examiner = Examiner(catalog: catalog, renderer: workers, logger: logger)
        examiner.start()
        let all = ExaminationProgress(done: 3, total: 3)
        for _ in 0..<6 where !(await eventually { examiner.progress == all }) {}
        #expect(examiner.progress == all)
        let images = try await catalog.page(offset: 0, limit: 3).images
        #expect(images.map(\.facts.width) == [90, 70, nil])
        #expect(images.map(\.facts.mediaType) == ["image/jpeg", "image/svg+xml", nil])
        #expect(images.map(\.facts.isBroken) == [false, false, true])
        // Placeholders come with the first tile.
        #expect(images.allSatisfy { $0.facts.placeholder == nil })
        await end(examiner, catalog)
        await workers.stop()
    }
}
