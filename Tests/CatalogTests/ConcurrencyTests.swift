import Images
import Locking
import Synchronization
import TestSupport
import Testing

@testable import Catalog

@Suite struct ConcurrencyTests {
    private final class Seen: Sendable {
        let isDone = Atomic(false)
        let paths = Guarded<[ImageID: String]>([:])
    }

    /// Readers page, look up and learn while files come and go under them: no call fails, and an id never means another
    /// file than before.
    @Test(.timeLimit(.minutes(1))) func `readers never see a half-made order, however it changes`() async throws {
        let scratch = try Scratch()
        for number in 0..<40 { try scratch.file("pictures/\(number).jpg") }
        let catalog = try await scratch.catalog { $0.learningDelay = .milliseconds(1) }
        let seen = Seen()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<3 {
                group.addTask {
                    var random = SeededRandom(seed: 11)
                    while !seen.isDone.load(ordering: .relaxed) {
                        let page = try await catalog.page(offset: Int.random(in: 0..<50, using: &random), limit: 20)
                        for image in page.images {
                            seen.paths.withLock { paths in
                                #expect(paths[image.id] == nil || paths[image.id] == image.path)
                                paths[image.id] = image.path
                            }
                            catalog.learned(ImageFacts(), version: image.version, of: image.id)
                        }
                        if let first = page.images.first { _ = try await catalog.image(first.id) }
                        _ = catalog.state
                    }
                }
            }
            var random = SeededRandom(seed: 12)
            for _ in 0..<60 {
                let name = "pictures/\(Int.random(in: 0..<60, using: &random)).jpg"
                do { try scratch.remove(name) } catch { try scratch.file(name) }
                await catalog.rescanned()
            }
            seen.isDone.store(true, ordering: .relaxed)
            try await group.waitForAll()
        }
        #expect(catalog.state.problems.count == 0)
    }
}

@Suite struct DeskTests {
    @Test func `what takes long in a great catalog is done at the desk, whoever asks`() async throws {
        let scratch = try Scratch()
        for number in 0..<3 { try scratch.file("pictures/\(number).jpg") }
        let catalog = try await scratch.catalog()
        let asker = Desk(label: "asker")
        for count in [5, 500] {
            let place = try await withTaskExecutorPreference(asker) {
                try await catalog.reading(count) { _ in (catalog.desk.isCurrent, asker.isCurrent) }
            }
            #expect(place == (true, false))
        }
        let place = try await catalog.reading(5, for: .view) { _ in
            (catalog.desk.isCurrent, catalog.viewersDesk.isCurrent)
        }
        #expect(place == (false, true))
        for purpose in [ReadingPurpose.view, .program] {
            let isApart = try await catalog.reading(4, for: purpose) { _ in
                !catalog.desk.isCurrent && !catalog.viewersDesk.isCurrent
            }
            #expect(isApart, "a picture or a few wait for nobody's page")
        }
        let ids = try await catalog.all().map(\.id)
        let images = try await withTaskExecutorPreference(asker) { try await catalog.images(ids) }
        #expect(Set(images.keys) == Set(ids))
        #expect(catalog.count == (catalog.state.revision, 3))
        await catalog.close()
    }

    @Test func `who comes when as much waits as may is told to come back, and then is served`() async throws {
        let desk = Desk(label: "test", bound: 2)
        let gates = (0..<2).map { _ in AsyncStream.makeStream(of: Void.self) }
        let (begun, beginning) = AsyncStream.makeStream(of: Void.self)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (gate, _) in gates {
                group.addTask {
                    try await desk.serve {
                        beginning.yield()
                        for await _ in gate {}
                    }
                }
            }
            var beginnings = begun.makeAsyncIterator()
            for _ in 0..<2 { await beginnings.next() }
            await #expect(throws: CatalogError.busy) { try await desk.serve {} }
            for (_, opened) in gates { opened.finish() }
            try await group.waitForAll()
        }
        try await desk.serve {}
    }
}
