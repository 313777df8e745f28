import Dispatch
import Glibc
import Images
import Locking
import Logging
import Origins
import Scheduling
import TestSupport
import Testing

@testable import Loading

/// An origin that was told to pause is told to go on, however the threads of origin and spool fall between each other.
@Suite(.timeLimit(.minutes(1))) struct BackpressurePromiseTests {
    /// A spool without a loader around it.
    private struct Spoolery {
        let lane: BlockingLane
        let news = Recorder<OriginalFetch.News>()
        let store: OriginalStore

        init(threads: Int) throws {
            let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            let folder = TestHouse.makeFolder()
            lane = BlockingLane(label: "spool", threads: threads)
            let database = try CacheDatabase(path: folder + "/renditions.sqlite", logger: logger)
            store = try OriginalStore(
                folder: folder + "/originals", budget: 1 << 30, database: database, logger: logger)
        }

        func fetch(unwrittenLimit: Int) -> OriginalFetch {
            OriginalFetch(
                image: ImageID(rawValue: 1), url: "http://origin/1", before: nil, store: store, lane: lane,
                time: HeldTime(), unwrittenLimit: unwrittenLimit, news: { [news] in news.record($0) })
        }
    }

    @Test func `a pause that takes its time does not outlast the resume that follows it`() async throws {
        let house = try Spoolery(threads: 1)
        // The lane is held until the pause is under way, and everything is written before the pause takes effect.
        let pauseBegan = DispatchSemaphore(value: 0)
        let wasHeldOnce = Guarded(false)
        let origins = PausingOrigins(pieces: [picture(5_000), picture(10)]) { [lane = house.lane] in
            let isFirst = wasHeldOnce.withLock { wasHeld in
                defer { wasHeld = true }
                return !wasHeld
            }
            guard isFirst else { return }
            pauseBegan.signal()
            let isWritten = DispatchSemaphore(value: 0)
            lane.submit(BlockingLane.newWork(), priority: .background) { isWritten.signal() }
            isWritten.wait()
        }
        house.lane.submit(BlockingLane.newWork(), priority: .background) { pauseBegan.wait() }
        let fetch = house.fetch(unwrittenLimit: 1_000)
        fetch.start(origins, priority: .visible())
        #expect(await eventually { house.news.all.contains { if case .fetched = $0 { true } else { false } } })
        let source = await origins.fetches.element(0)
        #expect(source.pauses > 0)
        #expect(!source.isPaused)
        fetch.cancel()
    }

    @Test(arguments: [1, 2, 3]) func `whatever way pauses and resumes meet, every picture becomes whole`(
        _ seed: UInt64
    ) async throws {
        let house = try Spoolery(threads: 2)
        var fetches: [OriginalFetch] = []
        var sources: [PausingOrigins] = []
        var random = SeededRandom(seed: seed)
        let fetchCount = 24
        for _ in 0..<fetchCount {
            let pieces = (0..<200).map { _ in [UInt8](repeating: 7, count: 1 + random.number(below: 2_000)) }
            let origins = PausingOrigins(pieces: pieces) { sched_yield() }
            let fetch = house.fetch(unwrittenLimit: 1 + random.number(below: 6_000))
            fetch.start(origins, priority: .visible())
            fetches.append(fetch)
            sources.append(origins)
        }
        func whole() -> Int { house.news.all.count { if case .fetched = $0 { true } else { false } } }
        #expect(await eventually { whole() == fetchCount })
        var pauses = 0
        for origins in sources { pauses += await origins.fetches.element(0).pauses }
        #expect(pauses > 0, "it was not a test of pauses")
        for fetch in fetches { fetch.cancel() }
    }

    @Test func `a resume is told after the pause before it, however late that is`() {
        var pressure = Backpressure(limit: 100)
        pressure.received(101)
        #expect(pressure.isPaused)
        #expect(pressure.nextOrder() == .pause)
        pressure.wrote(101)
        #expect(pressure.nextOrder() == nil, "another thread is telling it")
        pressure.told()
        #expect(pressure.nextOrder() == .resume)
        pressure.told()
        #expect(pressure.nextOrder() == nil)
    }
}
