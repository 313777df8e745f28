import Locking
import Origins
import Scheduling
import TestSupport
import Testing

/// Permits: limits per origin and in total, priorities, and failing origins that take no permits from others.
@Suite struct PermitTests {
    @Test func `two hundred hung fetches hold only their origin's permits and delay no other origin`() async throws {
        let hung = ScriptedOrigin { $0.hang() }
        let good = ScriptedOrigin { $0.answer(body: pattern(100)) }
        let fetcher = try OriginFetcher.forTests { $0.permitsPerOrigin = 8 }
        let watched = (0..<200).map { fetcher.watch(hung.url("/\($0)")) }
        #expect(await eventually { hung.openNow == 8 })
        for number in 0..<50 {
            #expect(await fetcher.outcome(of: good.url("/\(number)")).isFinished)
        }
        // An origin may notice late that a socket was closed, so wait until the count settles.
        #expect(await eventually { hung.openNow == 8 })
        for one in watched { one.fetch.cancel() }
        #expect(await eventually { hung.openNow == 0 && fetcher.statistics.inFlight == 0 })
        #expect(fetcher.statistics.waiting == 0)
        await fetcher.shutDown()
        hung.stop()
        good.stop()
    }

    @Test func `several hung origins leave a permit for another origin`() async throws {
        let hung = (0..<4).map { _ in ScriptedOrigin { $0.hang() } }
        let good = ScriptedOrigin { $0.answer(body: pattern(100)) }
        let fetcher = try OriginFetcher.forTests {
            $0.permits = 16
            $0.permitsPerOrigin = 8
        }
        for origin in hung {
            for number in 0..<20 { _ = fetcher.watch(origin.url("/\(number)")) }
            #expect(await eventually { origin.openNow > 0 })
        }
        #expect(await fetcher.outcome(of: good.url()).isFinished)
        await fetcher.shutDown()
        for origin in hung + [good] { origin.stop() }
    }

    @Test func `the most urgent fetch starts first, by its current priority`() async throws {
        let gate = Gate()
        let origin = ScriptedOrigin { visit in
            gate.wait()
            visit.answer(body: pattern(1))
        }
        let fetcher = try OriginFetcher.forTests { $0.permitsPerOrigin = 1 }
        let first = fetcher.watch(origin.url("/first"))
        #expect(await eventually { origin.requests.count == 1 })
        let prefetch = fetcher.watch(origin.url("/prefetch"), priority: .prefetch(0))
        let far = fetcher.watch(origin.url("/far"), priority: .visible(9))
        let near = fetcher.watch(origin.url("/near"), priority: .visible(1))
        let promoted = fetcher.watch(origin.url("/promoted"), priority: .prefetch(5))
        #expect(await eventually { fetcher.statistics.waiting == 4 })
        promoted.fetch.reprioritise(.visible(0))
        // Calls are processed in order: once this fetch is waiting, the promotion has been processed.
        let last = fetcher.watch(origin.url("/last"), priority: .prefetch(9))
        #expect(await eventually { fetcher.statistics.waiting == 5 })
        gate.open()
        for watched in [first, prefetch, far, near, promoted, last] { #expect(await watched.outcome().isFinished) }
        #expect(origin.requests.map(\.target) == ["/first", "/promoted", "/near", "/far", "/prefetch", "/last"])
        await fetcher.shutDown()
        origin.stop()
    }

    @Test(arguments: [1, 4]) func `permits rotate among sessions, for one origin or several`(count: Int) async throws {
        let gate = Gate()
        let order = Guarded<[String]>([])
        let origins = (0..<count).map { _ in
            ScriptedOrigin { visit in
                order.withLock { $0.append(visit.request.target) }
                gate.wait()
                visit.answer(body: pattern(1))
            }
        }
        let fetcher = try OriginFetcher.forTests { $0.permits = 1 }
        var watched = [fetcher.watch(origins[0].url("/first"), priority: .visible(0, for: 9))]
        #expect(await eventually { order.withLock { $0.count } == 1 })
        for number in 0..<4 as Range<UInt32> {
            // One client rests, with all requests to one origin; the other has newer viewports, and images at any
            // origin.
            watched.append(fetcher.watch(origins[0].url("/rests"), priority: .visible(number, for: 1)))
            let url = origins[Int(number) % count].url("/flings")
            watched.append(fetcher.watch(url, priority: .visible(number, viewport: 9, for: 2)))
        }
        #expect(await eventually { fetcher.statistics.waiting == 8 })
        gate.open()
        for one in watched { #expect(await one.outcome().isFinished) }
        #expect(order.withLock { $0 } == ["/first"] + (0..<4).flatMap { _ in ["/rests", "/flings"] })
        await fetcher.shutDown()
        for origin in origins { origin.stop() }
    }

    @Test func `prefetches hold at most half of the permits, and visible requests get the rest`() async throws {
        let origin = ScriptedOrigin { $0.hang() }
        let fetcher = try OriginFetcher.forTests { $0.permitsPerOrigin = 6 }
        for number in 0..<20 { _ = fetcher.watch(origin.url("/p\(number)"), priority: .prefetch(0)) }
        for number in 0..<20 { _ = fetcher.watch(origin.url("/v\(number)"), priority: .visible(0)) }
        // A connection is open before its request has been read.
        #expect(await eventually { origin.openNow == 6 && origin.requests.count == 6 })
        #expect(origin.requests.count { $0.target.hasPrefix("/p") } == 3)
        await fetcher.shutDown()
        origin.stop()
    }

    @Test func `a fetch demoted to prefetch yields its permit to visible requests`() async throws {
        let origin = ScriptedOrigin { $0.hang() }
        let fetcher = try OriginFetcher.forTests { $0.permitsPerOrigin = 4 }
        let old = (0..<4).map { fetcher.watch(origin.url("/old\($0)"), priority: .visible(0)) }
        #expect(await eventually { origin.openNow == 4 })
        for number in 0..<4 { _ = fetcher.watch(origin.url("/new\(number)"), priority: .visible(0)) }
        for watched in old { watched.fetch.reprioritise(.prefetch(9)) }
        #expect(await eventually { origin.requests.count { $0.target.hasPrefix("/new") } >= 2 })
        #expect(await eventually { origin.openNow == 4 })
        await fetcher.shutDown()
        origin.stop()
    }

    @Test func `concurrency rises for an origin that copes and falls for one that refuses`() async throws {
        let most = 24
        let gate = Gate()
        let willing = ScriptedOrigin { visit in
            if visit.request.target.hasPrefix("/held") { gate.wait() }
            visit.answer(body: pattern(100))
        }
        let fetcher = try OriginFetcher.forTests {
            $0.permitsPerOrigin = most
            $0.maximumRetries = 0
        }
        for _ in 0..<4 {
            let watched = (0..<100).map { fetcher.watch(willing.url("/\($0)")) }
            for one in watched { #expect(await one.outcome().isFinished) }
        }
        let held = (0..<100).map { fetcher.watch(willing.url("/held\($0)")) }
        #expect(await eventually { willing.openNow > 16 })
        #expect(willing.openNow <= most)
        gate.open()
        for one in held { #expect(await one.outcome().isFinished) }

        let busy = ScriptedOrigin { visit in
            if visit.request.target.hasPrefix("/held") { visit.hang() } else { visit.answer("503 Service Unavailable") }
        }
        for number in 0..<40 { _ = await fetcher.outcome(of: busy.url("/\(number)")) }
        for number in 0..<20 { _ = fetcher.watch(busy.url("/held\(number)")) }
        // 40 requests one after another were all refused, so the window is one request.
        #expect(await eventually { fetcher.statistics.waiting == 19 })
        await fetcher.shutDown()
        willing.stop()
        busy.stop()
    }

    @Test func `connections are reused`() async throws {
        let origin = ScriptedOrigin { $0.answer(body: pattern(100)) }
        let fetcher = try OriginFetcher.forTests()
        for number in 0..<20 { #expect(await fetcher.outcome(of: origin.url("/\(number)")).isFinished) }
        #expect(origin.connections == 1)
        await fetcher.shutDown()
        origin.stop()
    }

    @Test func `a dead origin is suspended, fails fast, and is found again when it is back`() async throws {
        let isAlive = Guarded(false)
        let origin = ScriptedOrigin { visit in
            isAlive.withLock { $0 } ? visit.answer(body: pattern(5)) : visit.reset()
        }
        let fetcher = try OriginFetcher.forTests {
            $0.failuresUntilSuspended = 4
            $0.suspension = .milliseconds(300)
            $0.maximumRetries = 0
            $0.permitsPerOrigin = 1
        }
        let watched = (0..<50).map { fetcher.watch(origin.url("/\($0)")) }
        var suspended = 0
        for one in watched {
            let error = await one.outcome().error
            if error?.reason == .suspended {
                suspended += 1
                #expect(error?.status == 503)
                #expect(error?.retryAfter != nil)
            }
        }
        #expect(suspended >= 40)
        #expect(origin.connections < 10)
        isAlive.withLock { $0 = true }
        var outcome = await fetcher.outcome(of: origin.url("/back"))
        let deadline = ContinuousClock.now + .seconds(10)
        while !outcome.isFinished, ContinuousClock.now < deadline {
            try await Task.sleep(for: outcome.error?.retryAfter ?? .milliseconds(10))
            outcome = await fetcher.outcome(of: origin.url("/back"))
        }
        #expect(outcome.isFinished)
        #expect(fetcher.statistics.suspendedOrigins == 0)
        await fetcher.shutDown()
        origin.stop()
    }

    @Test func `requests queued for a silent origin fail with the first timeouts`() async throws {
        let gate = Gate()
        let origin = ScriptedOrigin { visit in
            gate.wait()
            visit.answer(body: pattern(5))
        }
        let fetcher = try OriginFetcher.forTests { $0.firstByteTimeout = .milliseconds(700) }
        let watched = (0..<60).map { fetcher.watch(origin.url("/\($0)")) }
        var reasons: [OriginError.Reason: Int] = [:]
        for one in watched {
            if let reason = await one.outcome().error?.reason { reasons[reason, default: 0] += 1 }
        }
        #expect(reasons == [.timedOut: 16, .suspended: 44])
        #expect(origin.requests.count == 16)
        gate.open()
        await fetcher.shutDown()
        origin.stop()
    }

    @Test func `one picture that times out does not delay others of its origin`() async throws {
        let gate = Gate()
        let origin = ScriptedOrigin { visit in
            if visit.request.target == "/hung" { gate.wait() }
            visit.answer(body: pattern(5))
        }
        let fetcher = try OriginFetcher.forTests { $0.firstByteTimeout = .milliseconds(300) }
        #expect(await fetcher.outcome(of: origin.url("/hung")).error?.reason == .timedOut)
        for number in 0..<20 { #expect(await fetcher.outcome(of: origin.url("/\(number)")).isFinished) }
        gate.open()
        await fetcher.shutDown()
        origin.stop()
    }

    @Test func `the rate limit spreads requests over time`() async throws {
        let origin = ScriptedOrigin { $0.answer(body: pattern(1)) }
        let fetcher = try OriginFetcher.forTests { $0.requestsPerSecondPerOrigin = 50 }
        let start = ContinuousClock.now
        let watched = (0..<6).map { fetcher.watch(origin.url("/\($0)")) }
        for one in watched { #expect(await one.outcome().isFinished) }
        #expect(start.duration(to: .now) >= .milliseconds(100))
        await fetcher.shutDown()
        origin.stop()
    }
}
