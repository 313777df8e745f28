import Testing

@testable import Origins

@Suite struct RetryPolicyTests {
    private let policy = RetryPolicy(Configuration())

    private func error(_ reason: OriginError.Reason, retryAfter: Duration? = nil) -> OriginError {
        OriginError(reason, logDetail: "", retryAfter: retryAfter)
    }

    @Test func `waits double, and jitter takes off at most half`() {
        for retry in 0..<3 {
            let nominal = Duration.milliseconds(250) * (1 << retry)
            #expect(policy.wait(after: error(.interrupted), retries: retry, chance: 0) == nominal / 2)
            #expect(policy.wait(after: error(.interrupted), retries: retry, chance: 1) == nominal)
        }
        #expect(policy.wait(after: error(.interrupted), retries: 3, chance: 0) == nil)
    }

    @Test func `only transient errors are retried`() {
        for reason: OriginError.Reason in [
            .badURL, .addressRefused, .insecure, .redirect, .tooLarge, .malformed, .status(404), .status(403), .stopped,
            .suspended, .timedOut,
        ] {
            #expect(policy.wait(after: error(reason), retries: 0, chance: 0) == nil, "\(reason)")
        }
        for status in [408, 425, 429, 500, 502, 503, 504] {
            #expect(policy.wait(after: error(.status(status)), retries: 0, chance: 0) != nil, "\(status)")
        }
    }

    @Test func `Retry-After is respected, unless it is too long`() {
        let short = error(.status(503), retryAfter: .seconds(3))
        #expect(policy.wait(after: short, retries: 0, chance: 0) == .seconds(3))
        let long = error(.status(503), retryAfter: .seconds(3600))
        #expect(policy.wait(after: long, retries: 0, chance: 0) == nil)
    }
}
