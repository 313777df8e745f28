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

    /// Readers read pages, look up images and store metadata while files are added and removed: no call fails, and an
    /// id never refers to another file than before.
    @Test(.timeLimit(.minutes(1))) func `readers never see a partial order while files change`() async throws {
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
                            catalog.learned(ImageMetadata(), version: image.version, of: image.id)
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

@Suite struct ReadQueueTests {
    @Test func `large reads run on the queue of their purpose, and small ones do not wait for them`() async throws {
        let scratch = try Scratch()
        for number in 0..<3 { try scratch.file("pictures/\(number).jpg") }
        let catalog = try await scratch.catalog()
        let asker = ReadQueue(label: "asker")
        for count in [5, 500] {
            let place = try await withTaskExecutorPreference(asker) {
                try await catalog.reading(count) { _ in (catalog.readQueue.isCurrent, asker.isCurrent) }
            }
            #expect(place == (true, false))
        }
        let place = try await catalog.reading(5, for: .view) { _ in
            (catalog.readQueue.isCurrent, catalog.viewerQueue.isCurrent)
        }
        #expect(place == (false, true))
        for purpose in [ReadingPurpose.view, .program] {
            let isApart = try await catalog.reading(4, for: purpose) { _ in
                !catalog.readQueue.isCurrent && !catalog.viewerQueue.isCurrent
            }
            #expect(isApart, "small reads do not wait behind pages")
        }
        let ids = try await catalog.all().map(\.id)
        let images = try await withTaskExecutorPreference(asker) { try await catalog.images(ids) }
        #expect(Set(images.keys) == Set(ids))
        #expect(catalog.count == (catalog.state.revision, 3))
        await catalog.close()
    }

    @Test func `a read is refused as busy while the queue is full, and served afterwards`() async throws {
        let readQueue = ReadQueue(label: "test", bound: 2)
        let gates = (0..<2).map { _ in AsyncStream.makeStream(of: Void.self) }
        let (begun, beginning) = AsyncStream.makeStream(of: Void.self)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (gate, _) in gates {
                group.addTask {
                    try await readQueue.serve {
                        beginning.yield()
                        for await _ in gate {}
                    }
                }
            }
            var beginnings = begun.makeAsyncIterator()
            for _ in 0..<2 { await beginnings.next() }
            await #expect(throws: CatalogError.busy) { try await readQueue.serve {} }
            for (_, opened) in gates { opened.finish() }
            try await group.waitForAll()
        }
        try await readQueue.serve {}
    }
}
