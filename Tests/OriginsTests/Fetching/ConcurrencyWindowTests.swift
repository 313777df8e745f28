import TestSupport
import Testing

@testable import Origins

/// An origin is asked as much at a time as it bears, and finds out without being told.
@Suite struct ConcurrencyWindowTests {
    typealias Instant = ContinuousClock.Instant

    /// An origin that answers after `delay`, at most `atATime` requests at once; what comes beyond that waits in line, or is
    /// refused when it has none.
    private struct Origin {
        var delay = Duration.milliseconds(200)
        var atATime = Int.max
        var refuses = false
        /// Of each request, how much longer than `delay` it takes.
        var jitter: (Int) -> Double = { _ in 0 }
    }

    private struct Run {
        var answered = 0
        var refused = 0
        /// The window after each end of a request.
        var windows: [Int] = []
    }

    /// Keeps the window full of requests until so many have ended.
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

    @Test func `an origin that answers as soon as before is asked as much as is allowed, within a few rounds`() {
        let run = run(Origin(), requests: 200)
        // A round tells how long it takes; then 16, 32 and 64 in two rounds of answers.
        #expect(run.windows[14] == 16)
        #expect(run.windows[64] == 64)
        #expect(run.windows.max() == 64)
    }

    @Test func `pictures that take now short and now long do not hold it back`() {
        var random = SeededRandom(seed: 7)
        let jitters = (0..<10_000).map { _ in Double.random(in: -0.9...0.9, using: &random) }
        let run = run(Origin(jitter: { jitters[$0 % jitters.count] }), requests: 2_000)
        #expect(run.windows.suffix(1_000).min()! >= 32)
    }

    @Test(arguments: [20, 30]) func `an origin that queues is not asked for much more than it does at once`(
        atATime: Int
    ) {
        let run = run(Origin(atATime: atATime), requests: 5_000)
        let settled = run.windows.suffix(2_000)
        #expect(settled.max()! <= 2 * atATime + 4)
        #expect(settled.min()! >= atATime - 5)
    }

    @Test(arguments: [2, 6, 12, 40]) func `an origin that refuses is asked for less`(atATime: Int) {
        let run = run(Origin(atATime: atATime, refuses: true), requests: 20_000)
        #expect(run.windows.suffix(10_000).max()! <= atATime + 1)
        // What it bears is made use of: AIMD swings between the limit and its half.
        #expect(run.windows.suffix(10_000).min()! >= max(1, atATime / 3))
        #expect(run.refused * 12 < run.answered)
    }

    @Test func `requests that fail together count once`() {
        var window = ConcurrencyWindow(OriginShare(of: 64, among: 1))
        let begun = Instant.now
        for _ in 0..<16 { window.pushedBack(begun: begun, now: begun + .seconds(20)) }
        #expect(window.requests == 8)
        window.pushedBack(begun: begun + .seconds(21), now: begun + .seconds(22))
        #expect(window.requests == 4)
        for second in 23..<40 { window.pushedBack(begun: begun + .seconds(second), now: begun + .seconds(second)) }
        #expect(window.requests == 1)
    }

    @Test func `a window that is not made use of does not grow`() {
        var window = ConcurrencyWindow(OriginShare(of: 64, among: 1))
        let now = Instant.now
        for _ in 0..<100 { window.answered(begun: now, now: now + .milliseconds(10), atATime: 7) }
        #expect(window.requests == 16)
        // Prefetch never has more than its half.
        for _ in 0..<100 {
            window.answered(begun: now, now: now + .milliseconds(10), atATime: (window.requests + 1) / 2)
        }
        #expect(window.requests == 64)
    }

    @Test func `after a bad hour an origin is soon asked as much as at first`() {
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
        // By an eighth of a request in each it would take 120.
        #expect(rounds <= 60)
        // It is not new: what was learnt of it counts.
        #expect(!window.isPristine)
    }
}
