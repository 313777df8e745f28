import Testing

@testable import Accounts

@Suite struct AttemptLimiterTests {
    @Test func `an address waits longer after each failure beyond the fifth`() {
        var limiter = AttemptLimiter()
        let address = AttemptLimiter.Attempter.address("192.0.2.1")
        for _ in 0..<5 {
            #expect(limiter.wait(address, account: "a", now: 0) == 0)
            limiter.failed(address, account: "a", now: 0)
        }
        #expect(limiter.wait(address, account: "a", now: 0) == 1)
        limiter.failed(address, account: "a", now: 1)
        #expect(limiter.wait(address, account: "a", now: 1) == 2)
        #expect(limiter.wait(.address("192.0.2.2"), account: "a", now: 1) == 0)
        limiter.succeeded(address)
        #expect(limiter.wait(address, account: "a", now: 1) == 0)
    }

    @Test func `under attack from many addresses each waits from its first failure on, and others not at all`() {
        var limiter = AttemptLimiter()
        for number in 0..<20 { limiter.failed(.address("192.0.2.\(number)"), account: "a", now: 0) }
        #expect(limiter.wait(.address("192.0.2.7"), account: "a", now: 0) == 1)
        #expect(limiter.wait(.address("192.0.2.7"), account: "b", now: 0) == 0)
        #expect(limiter.wait(.address("198.51.100.1"), account: "a", now: 0) == 0)
        #expect(limiter.wait(.browser("a"), account: "a", now: 0) == 0)
    }

    @Test func `failures are forgotten in time, and their number is bounded`() {
        var limiter = AttemptLimiter()
        for number in 0..<50_000 { limiter.failed(.address("\(number)"), account: "\(number)", now: Double(number)) }
        #expect(limiter.failures(of: .address("49999"), now: 50_000) == 1)
        #expect(limiter.failures(of: .address("49999"), now: 51_000) == 0)
        #expect(limiter.rememberedCount <= 20_000)
    }
}
