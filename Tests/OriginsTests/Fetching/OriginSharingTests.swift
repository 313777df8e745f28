import EventLoops
import Locking
import TestSupport
import Testing

@testable import Origins

/// Several fetchers together send an origin no more requests than one.
@Suite(.timeLimit(.minutes(1))) struct OriginSharingTests {
    @Test(arguments: [(1, 16), (2, 8), (3, 5), (16, 1), (1_000, 1)])
    func `each node starts with its share of requests`(_ nodes: Int, _ share: Int) async throws {
        let gate = Gate()
        let origin = ScriptedOrigin { visit in
            gate.wait()
            visit.answer(body: pattern(9))
        }
        let fetcher = try OriginFetcher.forTests()
        fetcher.share(among: nodes)
        let fetches = (0..<20).map { fetcher.watch(origin.url("/\($0)")) }
        // The origin may have been asked before the last fetch has been queued.
        #expect(await eventually { fetcher.statistics.waiting == 20 - share && origin.requests.count == share })
        #expect(fetcher.statistics.inFlight == share)
        gate.open()
        for fetch in fetches { #expect(await fetch.outcome().isFinished) }
        await fetcher.shutDown()
        origin.stop()
    }

    @Test func `the rate limit is shared too, however many nodes are reported`() async throws {
        let origin = ScriptedOrigin { $0.answer(body: pattern(9)) }
        let fetcher = try OriginFetcher.forTests { $0.requestsPerSecondPerOrigin = 640 }
        fetcher.share(among: .max)
        let begun = ContinuousClock.now
        for number in 0..<5 { #expect(await fetcher.outcome(of: origin.url("/\(number)")).isFinished) }
        #expect(begun.duration(to: .now) >= .milliseconds(400), "ten requests a second, after the first")
        await fetcher.shutDown()
        origin.stop()
    }

    @Test func `when nodes join, fetches in flight continue, and new ones respect the smaller share`() async throws {
        let gates = (0..<2).map { _ in Gate() }
        let count = Guarded(0)
        let origin = ScriptedOrigin { visit in
            let number = count.withLock { count in
                count += 1
                return count
            }
            gates[number <= 16 ? 0 : 1].wait()
            visit.answer(body: pattern(9))
        }
        let fetcher = try OriginFetcher.forTests()
        let fetches = (0..<30).map { fetcher.watch(origin.url("/\($0)")) }
        #expect(await eventually { origin.requests.count == 16 })
        fetcher.share(among: 64)
        #expect(await fetcher.onLoop(\.share.maximum) == 1, "the share was set before any response")
        gates[0].open()
        #expect(await eventually { origin.requests.count == 17 && fetcher.statistics.inFlight == 1 })
        gates[1].open()
        for fetch in fetches { #expect(await fetch.outcome().isFinished) }
        await fetcher.shutDown()
        origin.stop()
    }

    @Test func `only an untouched window grows when its share does`() {
        let (alone, third) = (OriginShare(of: 64, among: 1), OriginShare(of: 64, among: 3))
        var window = ConcurrencyWindow(third)
        #expect(window.requests == 5 && window.isPristine)
        window.take(alone)
        #expect(window.requests == 16 && window.isPristine)
        window.pushedBack(begun: .now, now: .now)
        window.take(third)
        #expect(window.requests == 8)
        window.take(OriginShare(of: 64, among: 20))
        #expect(window.requests == 3)
        window.take(alone)
        #expect(window.requests == 3)
    }

    @Test func `a refusal of one node shrinks both windows, and concurrent refusals are reported once`() async throws {
        let gate = Gate()
        let origin = ScriptedOrigin { visit in
            gate.wait()
            visit.answer("429 Slow")
        }
        let (first, second) = (
            try OriginFetcher.forTests { $0.maximumRetries = 0 }, try OriginFetcher.forTests { $0.maximumRetries = 0 }
        )
        let told = Guarded<[OriginRefusal]>([])
        first.reportRefusals { refusal in
            told.withLock { $0.append(refusal) }
            second.received(refusal)
        }
        let others = (0..<20).map { second.watch(origin.url("/other\($0)")) }
        #expect(await eventually { second.statistics.inFlight == 16 })
        let refused = (0..<3).map { first.watch(origin.url("/\($0)")) }
        #expect(await eventually { origin.requests.count == 19 })
        gate.open()
        for fetch in refused + others { #expect(await fetch.outcome().error != nil) }
        #expect(told.withLock(\.count) == 1)
        #expect(await second.onLoop { $0.records.values.first?.window.requests ?? 16 } <= 8)
        await first.shutDown()
        await second.shutDown()
        origin.stop()
    }

    @Test func `a picture that is always refused does not delay others`() async throws {
        let origin = ScriptedOrigin { visit in
            if visit.request.target.hasPrefix("/bad") {
                visit.answer("503 No", ["Retry-After: 10"])
            } else {
                visit.answer(body: pattern(9))
            }
        }
        let fetcher = try OriginFetcher.forTests { $0.maximumRetries = 0 }
        let begun = ContinuousClock.now
        for number in 0..<3 {
            #expect(await fetcher.outcome(of: origin.url("/bad\(number)")).error != nil)
            #expect(await fetcher.outcome(of: origin.url("/good\(number)")).isFinished)
        }
        #expect(begun.duration(to: .now) < .seconds(8))
        await fetcher.shutDown()
        origin.stop()
    }

    @Test func `a refusal that names no origin is ignored`() async throws {
        let origin = ScriptedOrigin { $0.answer(body: pattern(9)) }
        let fetcher = try OriginFetcher.forTests()
        for text in ["", "x", "file:///etc/passwd", "http://", "http://a:b@c/", String(repeating: "a", count: 99_999)] {
            fetcher.received(OriginRefusal(origin: text, age: .seconds(-1)))
        }
        #expect(await fetcher.outcome(of: origin.url()).isFinished)
        #expect(await fetcher.onLoop(\.records.count) == 0)
        await fetcher.shutDown()
        origin.stop()
    }
}

extension OriginFetcher {
    /// Reads from the engine on its event loop, after all earlier calls.
    fileprivate func onLoop<Value: Sendable>(_ look: @escaping @Sendable (FetchEngine) -> Value) async -> Value {
        await withCheckedContinuation { looked in
            engine.loop.execute { [engine] in looked.resume(returning: look(engine)) }
        }
    }
}
