import Testing

@testable import Accounts

@Suite struct AttemptLimiterTests {
    private func attempt(_ address: String, _ target: String = "a") -> AttemptLimiter.Attempt {
        .init(attempter: .address(address), target: target)
    }

    @Test func `an address waits longer after each failure beyond the fifth`() {
        var limiter = AttemptLimiter()
        let mine = attempt("192.0.2.1")
        for _ in 0..<5 {
            #expect(limiter.wait(mine, now: 0) == 0)
            limiter.failed(mine, now: 0)
        }
        #expect(limiter.wait(mine, now: 0) == 1)
        limiter.failed(mine, now: 1)
        #expect(limiter.wait(mine, now: 1) == 2)
        #expect(limiter.wait(attempt("192.0.2.2"), now: 1) == 0)
        #expect(limiter.wait(attempt("192.0.2.1", "b"), now: 1) == 0)
        for _ in 0..<30 { limiter.failed(mine, now: 1) }
        #expect(limiter.wait(mine, now: 1) == 300)
    }

    @Test func `a success elsewhere forgives no failure`() {
        var limiter = AttemptLimiter()
        for _ in 0..<40 {
            limiter.failed(attempt("192.0.2.1"), now: 0)
            limiter.failed(attempt("192.0.2.1", "own"), now: 0)
            limiter.succeeded(attempt("192.0.2.1", "own"))
        }
        #expect(limiter.wait(attempt("192.0.2.1"), now: 0) == 300)
        // Nor does guessing at ever other accounts help.
        #expect(limiter.wait(attempt("192.0.2.1", "other"), now: 0) == 300)
        // Somebody who only succeeds never waits.
        var honest = AttemptLimiter()
        for _ in 0..<100 {
            #expect(honest.wait(attempt("192.0.2.2"), now: 0) == 0)
            honest.failed(attempt("192.0.2.2"), now: 0)
            honest.succeeded(attempt("192.0.2.2"))
        }
    }

    @Test func `under attack from many addresses each waits from its first failure on, and others not at all`() {
        var limiter = AttemptLimiter()
        for number in 0..<20 { limiter.failed(attempt("192.0.2.\(number)"), now: 0) }
        #expect(limiter.wait(attempt("192.0.2.7"), now: 0) == 1)
        #expect(limiter.wait(attempt("192.0.2.7", "b"), now: 0) == 0)
        #expect(limiter.wait(attempt("198.51.100.1"), now: 0) == 0)
        #expect(limiter.wait(.init(attempter: .known, target: "a"), now: 0) == 0)
    }

    @Test func `failures are forgotten in time, and their number is bounded`() {
        var limiter = AttemptLimiter()
        for number in 0..<50_000 { limiter.failed(attempt("\(number)", "\(number)"), now: Double(number)) }
        #expect(limiter.hasFailed(attempt("49999", "49999"), now: 50_000))
        #expect(!limiter.hasFailed(attempt("49999", "49999"), now: 51_000))
        #expect(limiter.rememberedCount <= 30_000)
    }
}
