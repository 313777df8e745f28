import Testing

@testable import Origins

@Suite struct CircuitBreakerTests {
    private let start = ContinuousClock.now

    private func opened() -> CircuitBreaker {
        var circuitBreaker = CircuitBreaker(threshold: 3, suspension: .seconds(5))
        for _ in 0..<3 { _ = circuitBreaker.failed(now: start) }
        return circuitBreaker
    }

    @Test func `the breaker opens after enough failures in a row`() {
        var circuitBreaker = CircuitBreaker(threshold: 3, suspension: .seconds(5))
        #expect(circuitBreaker.failed(now: start) == false)
        #expect(circuitBreaker.failed(now: start) == false)
        circuitBreaker.answered()
        #expect(circuitBreaker.failed(now: start) == false)
        #expect(circuitBreaker.failed(now: start) == false)
        #expect(circuitBreaker.decide(now: start) == .proceed)
        #expect(circuitBreaker.failed(now: start) == true)
        #expect(circuitBreaker.decide(now: start) == .suspended(.seconds(5)))
    }

    @Test func `after the suspension one probe is allowed, and its success closes the breaker`() {
        var circuitBreaker = opened()
        let later = start + .seconds(5)
        #expect(circuitBreaker.decide(now: later) == .proceed)
        #expect(circuitBreaker.decide(now: later) == .probing)
        circuitBreaker.answered()
        #expect(circuitBreaker.decide(now: later) == .proceed)
        #expect(circuitBreaker.isPristine)
    }

    @Test func `a failed probe doubles the suspension, up to eightfold`() {
        var circuitBreaker = opened()
        var now = start
        for wait in [5, 10, 20, 40, 40] {
            #expect(circuitBreaker.suspension(now: now) == .seconds(wait))
            now = now + .seconds(wait)
            #expect(circuitBreaker.decide(now: now) == .proceed)
            #expect(circuitBreaker.failed(now: now) == true)
        }
    }

    @Test func `without doubling every suspension is as long as the first`() {
        var circuitBreaker = CircuitBreaker(threshold: 1, suspension: .seconds(2), doublings: 0)
        var now = start
        for _ in 0..<5 {
            #expect(circuitBreaker.failed(now: now) == true)
            #expect(circuitBreaker.suspension(now: now) == .seconds(2))
            now = now + .seconds(2)
            #expect(circuitBreaker.decide(now: now) == .proceed)
        }
    }

    @Test func `an abandoned probe lets the next request probe`() {
        var circuitBreaker = opened()
        let later = start + .seconds(6)
        #expect(circuitBreaker.decide(now: later) == .proceed)
        circuitBreaker.abandonedProbe(now: later)
        #expect(circuitBreaker.decide(now: later) == .proceed)
    }
}
