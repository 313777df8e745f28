import TestSupport
import Testing

@testable import Origins

/// The number of concurrent requests adapts to what an origin can handle, without being told.
@Suite struct ConcurrencyWindowTests {
    typealias Instant = ContinuousClock.Instant

    /// An origin that responds after `delay` to at most `atATime` concurrent requests; further requests are queued, or
    /// refused if there is no queue.
    private struct Origin {
        var delay = Duration.milliseconds(200)
        var atATime = Int.max
        var refuses = false
        /// By how much each request takes longer than `delay`.
        var jitter: (Int) -> Double = { _ in 0 }
    }

    private struct Run {
        var answered = 0
        var refused = 0
        /// The window after the end of each request.
        var windows: [Int] = []
    }

    /// Keeps the window full of requests until this many have ended.
    private func run(_ origin: Origin, requests: Int, most: Int = 64) -> Run {
        var window = ConcurrencyWindow(OriginShare(of: most, among: 1))
        var run = Run()
        var underWay: [(begun: Instant, ends: Instant, isRefused: Bool)] = []
        var now = Instant.now
        var begun = 0
        while run.windows.count < requests {
            while underWay.count < window.requests {
                let isBeyond = underWay.count { !$0.isRefused } >= origin.atATime
                let served = underWay.filter { !$0.isRefused }.map(\.ends).sorted()
                let starts = isBeyond && !origin.refuses ? served[served.count - origin.atATime] : now
                let time = origin.delay * (1 + origin.jitter(begun))
                let isRefused = isBeyond && origin.refuses
                underWay.append((now, isRefused ? now + .milliseconds(5) : max(now, starts) + time, isRefused))
                begun += 1
            }
            let next = underWay.indices.min { underWay[$0].ends < underWay[$1].ends }!
            let ended = underWay[next]
            now = ended.ends
            if ended.isRefused {
                window.pushedBack(begun: ended.begun, now: now)
                run.refused += 1
            } else {
                window.answered(begun: ended.begun, now: now, atATime: underWay.count)
                run.answered += 1
            }
            underWay.remove(at: next)
            run.windows.append(window.requests)
        }
        return run
    }

    @Test func `the window grows to its maximum within a few rounds while the latency is stable`() {
        let run = run(Origin(), requests: 200)
        // The first round measures the delay; then the window grows from 16 to 32 and 64 in two rounds of responses.
        #expect(run.windows[14] == 16)
        #expect(run.windows[64] == 64)
        #expect(run.windows.max() == 64)
    }

    @Test func `varying latency does not keep the window from growing`() {
        var random = SeededRandom(seed: 7)
        let jitters = (0..<10_000).map { _ in Double.random(in: -0.9...0.9, using: &random) }
        let run = run(Origin(jitter: { jitters[$0 % jitters.count] }), requests: 2_000)
        #expect(run.windows.suffix(1_000).min()! >= 32)
    }

    @Test(arguments: [20, 30]) func `the window settles near the concurrency of an origin that queues requests`(
        atATime: Int
    ) {
        let run = run(Origin(atATime: atATime), requests: 5_000)
        let settled = run.windows.suffix(2_000)
        #expect(settled.max()! <= 2 * atATime + 4)
        #expect(settled.min()! >= atATime - 5)
    }

    @Test(arguments: [2, 6, 12, 40]) func `the window shrinks for an origin that refuses requests`(atATime: Int) {
        let run = run(Origin(atATime: atATime, refuses: true), requests: 20_000)
        #expect(run.windows.suffix(10_000).max()! <= atATime + 1)
        // The capacity is used: AIMD oscillates between the limit and half of it.
        #expect(run.windows.suffix(10_000).min()! >= max(1, atATime / 3))
        #expect(run.refused * 12 < run.answered)
    }

    @Test func `requests that fail together shrink the window once`() {
        var window = ConcurrencyWindow(OriginShare(of: 64, among: 1))
        let begun = Instant.now
        for _ in 0..<16 { window.pushedBack(begun: begun, now: begun + .seconds(20)) }
        #expect(window.requests == 8)
        window.pushedBack(begun: begun + .seconds(21), now: begun + .seconds(22))
        #expect(window.requests == 4)
        for second in 23..<40 { window.pushedBack(begun: begun + .seconds(second), now: begun + .seconds(second)) }
        #expect(window.requests == 1)
    }

    @Test func `a window that is not used does not grow`() {
        var window = ConcurrencyWindow(OriginShare(of: 64, among: 1))
        let now = Instant.now
        for _ in 0..<100 { window.answered(begun: now, now: now + .milliseconds(10), atATime: 7) }
        #expect(window.requests == 16)
        // Prefetches never use more than half of the window.
        for _ in 0..<100 {
            window.answered(begun: now, now: now + .milliseconds(10), atATime: (window.requests + 1) / 2)
        }
        #expect(window.requests == 64)
    }

    @Test func `the window soon recovers its initial size after a series of failures`() {
        var window = ConcurrencyWindow(OriginShare(of: 64, among: 1))
        var now = Instant.now
        for _ in 0..<5 {
            window.pushedBack(begun: now, now: now + .seconds(1))
            now += .seconds(2)
        }
        #expect(window.requests == 1 && !window.isPristine)
        var rounds = 0
        while window.requests < 16 {
            rounds += 1
            for _ in 0..<window.requests {
                window.answered(begun: now, now: now + .milliseconds(200), atATime: window.requests)
            }
            now += .milliseconds(200)
        }
        // Growing by an eighth of a request per round, it would take 120 rounds.
        #expect(rounds <= 60)
        // It is not in its initial state: what was learned about the origin counts.
        #expect(!window.isPristine)
    }
}
