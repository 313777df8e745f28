import Origins
import Scheduling
import TestSupport
import Testing

/// When the last waiter leaves, the origin's socket is closed within 50 ms, even if the origin never responds.
@Suite struct AbortTests {
    /// More than the 50 ms, for machines under load.
    private static let limit = Duration.milliseconds(250)

    @Test func `a cancel closes the socket of an origin that never responds`() async throws {
        let arrived = Signal<Void>()
        let closed = Signal<ContinuousClock.Instant>()
        let origin = ScriptedOrigin { visit in
            arrived.send()
            closed.send(visit.hang())
        }
        let fetcher = try OriginFetcher.forTests()
        var waits: [Duration] = []
        for _ in 0..<40 {
            let watched = fetcher.watch(origin.url())
            await arrived.next()
            let start = ContinuousClock.now
            watched.fetch.cancel()
            let end = try #require(await closed.next())
            waits.append(start.duration(to: end))
        }
        waits.sort()
        print("cancel to closed socket: median \(waits[20]), p90 \(waits[36]), largest \(waits[39])")
        #expect(waits[36] < AbortTests.limit)
        #expect(await eventually { fetcher.statistics.aborted == 40 && fetcher.statistics.inFlight == 0 })
        await fetcher.shutDown()
        origin.stop()
    }

    @Test func `a cancel closes the socket of an origin that hangs within the body`() async throws {
        let closed = Signal<ContinuousClock.Instant>()
        let origin = ScriptedOrigin { visit in
            visit.send(visit.head("200 OK", ["Content-Length: 1000"]))
            visit.send([UInt8](repeating: 7, count: 10))
            closed.send(visit.hang())
        }
        let fetcher = try OriginFetcher.forTests()
        let watched = fetcher.watch(origin.url())
        await watched.first { if case .bytes = $0 { true } else { false } }
        let start = ContinuousClock.now
        watched.fetch.cancel()
        let end = try #require(await closed.next())
        #expect(start.duration(to: end) < AbortTests.limit)
        await fetcher.shutDown()
        origin.stop()
    }

    @Test func `a cancel closes the socket of a paused fetch`() async throws {
        let closed = Signal<ContinuousClock.Instant>()
        let origin = ScriptedOrigin { visit in
            visit.send(visit.head("200 OK", ["Content-Length: 50000000"]))
            visit.send([UInt8](repeating: 7, count: 1_000_000))
            closed.send(visit.hang())
        }
        let fetcher = try OriginFetcher.forTests()
        let watched = fetcher.watch(origin.url())
        watched.fetch.pause()
        await watched.first { if case .started = $0 { true } else { false } }
        watched.fetch.cancel()
        #expect(await closed.next() != nil)
        await fetcher.shutDown()
        origin.stop()
    }

    @Test func `a fetch cancelled in the queue opens no socket`() async throws {
        let arrived = Signal<Void>()
        let origin = ScriptedOrigin { visit in
            arrived.send()
            visit.hang()
        }
        let fetcher = try OriginFetcher.forTests { $0.permitsPerOrigin = 1 }
        let first = fetcher.watch(origin.url("/first"))
        await arrived.next()
        let second = fetcher.watch(origin.url("/second"))
        second.fetch.cancel()
        first.fetch.cancel()
        let third = fetcher.watch(origin.url("/third"))
        await arrived.next()
        #expect(origin.requests.map(\.target) == ["/first", "/third"])
        third.fetch.cancel()
        await fetcher.shutDown()
        origin.stop()
    }

    @Test func `a cancelled fetch never finishes, and a second cancel is a no-op`() async throws {
        let origin = ScriptedOrigin { visit in
            guard visit.request.target == "/last" else { return _ = visit.hang() }
            visit.answer(body: pattern(1000))
        }
        let fetcher = try OriginFetcher.forTests()
        for _ in 0..<50 {
            let watched = fetcher.watch(origin.url("/cancelled"))
            watched.fetch.cancel()
            watched.fetch.cancel()
            watched.fetch.reprioritise(.prefetch(1))
            watched.fetch.pause()
            watched.fetch.resume()
        }
        let last = await fetcher.outcome(of: origin.url("/last"))
        #expect(last.isFinished)
        #expect(fetcher.statistics.finished == 1)
        #expect(fetcher.statistics.aborted == 50)
        await fetcher.shutDown()
        origin.stop()
    }

    @Test func `a shutdown fails fetches in flight and later ones`() async throws {
        let arrived = Signal<Void>()
        let origin = ScriptedOrigin { visit in
            arrived.send()
            visit.hang()
        }
        let fetcher = try OriginFetcher.forTests()
        let watched = fetcher.watch(origin.url())
        await arrived.next()
        await fetcher.shutDown()
        #expect(await watched.outcome().error?.reason == .stopped)
        #expect(await fetcher.outcome(of: origin.url()).error?.reason == .stopped)
        #expect(await eventually { origin.openNow == 0 })
        origin.stop()
    }
}
