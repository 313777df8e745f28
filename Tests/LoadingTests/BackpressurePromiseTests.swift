import BlockingIO
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

/// A paused origin is always resumed, however the threads of the origin and the spool interleave.
@Suite(.timeLimit(.minutes(1))) struct BackpressurePromiseTests {
    /// A spool without a loader around it.
    private struct SpoolFixture {
        let pool: BlockingPool
        let news = Recorder<OriginalFetch.Event>()
        let store: OriginalCache

        init(threads: Int) throws {
            let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            let folder = LoaderFixture.makeFolder()
            pool = BlockingPool(label: "spool", threads: threads)
            let database = try CacheDatabase(path: folder + "/renditions.sqlite", logger: logger)
            store = try OriginalCache(
                folder: folder + "/originals", budget: 1 << 30, database: database, logger: logger)
        }

        func fetch(unwrittenLimit: Int) -> OriginalFetch {
            OriginalFetch(
                image: ImageID(rawValue: 1), url: "http://origin/1", before: nil, store: store, pool: pool,
                time: HeldTime(), unwrittenLimit: unwrittenLimit, onEvent: { [news] in news.record($0) })
        }
    }

    @Test func `the origin is paused while too many bytes are unwritten, and resumed afterwards`() async throws {
        let fixture = try SpoolFixture(threads: 1)
        let mayWrite = DispatchSemaphore(value: 0)
        fixture.pool.submit { mayWrite.wait() }
        let origins = MockOrigins()
        let fetch = fixture.fetch(unwrittenLimit: 1_000)
        fetch.start(origins, priority: .visible())
        let source = await origins.fetches.element(0)
        source.send(.started(.of(40_000)))
        for _ in 0..<10 { source.send(.bytes(picture(4_000))) }
        source.send(.finished)
        #expect(source.steering.all == [.pause])
        mayWrite.signal()
        #expect(await source.steering.first(2) == [.pause, .resume])
        fetch.cancel()
    }

    @Test func `a slow pause does not outlast the resume that follows it`() async throws {
        let fixture = try SpoolFixture(threads: 1)
        // The pool is blocked until the pause has begun, so everything is written before the pause takes effect.
        let pauseBegan = DispatchSemaphore(value: 0)
        let wasHeldOnce = Guarded(false)
        let origins = PausingOrigins(pieces: [picture(5_000), picture(10)]) { [pool = fixture.pool] in
            let isFirst = wasHeldOnce.withLock { wasHeld in
                defer { wasHeld = true }
                return !wasHeld
            }
            guard isFirst else { return }
            pauseBegan.signal()
            let isWritten = DispatchSemaphore(value: 0)
            pool.submit { isWritten.signal() }
            isWritten.wait()
        }
        fixture.pool.submit { pauseBegan.wait() }
        let fetch = fixture.fetch(unwrittenLimit: 1_000)
        fetch.start(origins, priority: .visible())
        #expect(await eventually { fixture.news.all.contains { if case .fetched = $0 { true } else { false } } })
        let source = await origins.fetches.element(0)
        #expect(source.pauses > 0)
        #expect(!source.isPaused)
        fetch.cancel()
    }

    @Test(arguments: [1, 2, 3]) func `every original completes, however pauses and resumes interleave`(
        _ seed: UInt64
    ) async throws {
        let fixture = try SpoolFixture(threads: 2)
        var fetches: [OriginalFetch] = []
        var sources: [PausingOrigins] = []
        var random = SeededRandom(seed: seed)
        let fetchCount = 24
        for _ in 0..<fetchCount {
            let pieces = (0..<200).map { _ in [UInt8](repeating: 7, count: 1 + random.number(below: 2_000)) }
            let origins = PausingOrigins(pieces: pieces) { sched_yield() }
            let fetch = fixture.fetch(unwrittenLimit: 1 + random.number(below: 6_000))
            fetch.start(origins, priority: .visible())
            fetches.append(fetch)
            sources.append(origins)
        }
        func whole() -> Int { fixture.news.all.count { if case .fetched = $0 { true } else { false } } }
        #expect(await eventually { whole() == fetchCount })
        var pauses = 0
        for origins in sources { pauses += await origins.fetches.element(0).pauses }
        #expect(pauses > 0, "no fetch was paused")
        for fetch in fetches { fetch.cancel() }
    }

    @Test func `a resume is issued only after the preceding pause has been delivered`() {
        var pressure = Backpressure(limit: 100)
        pressure.received(101)
        #expect(pressure.isPaused)
        #expect(pressure.nextCommand() == .pause)
        pressure.wrote(101)
        #expect(pressure.nextCommand() == nil, "another thread is still delivering the pause")
        pressure.commandDelivered()
        #expect(pressure.nextCommand() == .resume)
        pressure.commandDelivered()
        #expect(pressure.nextCommand() == nil)
    }
}
