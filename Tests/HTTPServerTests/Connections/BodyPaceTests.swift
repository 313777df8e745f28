import Testing

@testable import HTTPServer

@Suite struct BodyPaceTests {
    private let limits = BodyPace.Limits(silence: .seconds(10), window: .seconds(20), rate: 100)

    /// The number of seconds after which a body with this many bytes per second is too slow; nil if it never is.
    private func end(_ limits: BodyPace.Limits? = nil, _ bytes: (Int) -> Int) -> Int? {
        var pace = BodyPace()
        for second in 0..<1_000 {
            pace.received(bytes(second))
            if !pace.waited(.seconds(1), limits ?? self.limits) { return second + 1 }
        }
        return nil
    }

    @Test func `a body that keeps the minimum rate is never too slow`() {
        #expect(end { _ in 100 } == nil)
        #expect(end { $0 % 5 == 0 ? 500 : 0 } == nil)
    }

    @Test func `a body below the minimum rate is too slow at the end of the first window`() {
        #expect(end { _ in 99 } == 20)
    }

    @Test func `a silent body is too slow, however much arrived before`() {
        #expect(end { _ in 0 } == 11)
        #expect(end { $0 == 0 ? 1_000_000_000 : 0 } == 11)
        #expect(end { $0 < 500 ? 10_000 : 0 } == 510)
    }

    @Test func `a burst buys no time beyond the window`() {
        let end = end { $0 == 0 ? 1_000_000_000 : 1 }
        // The window slides by a quarter of its length: the burst leaves it after five of them.
        #expect(end == 25)
    }

    @Test func `without a minimum rate, only silence counts`() {
        let lax = BodyPace.Limits(silence: .seconds(10), window: .seconds(20), rate: 0)
        #expect(end(lax) { $0 % 10 == 0 ? 1 : 0 } == nil)
        #expect(end(lax) { _ in 0 } == 11)
    }
}
