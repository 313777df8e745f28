import Testing

@testable import HTTPServer

@Suite struct BodyPaceTests {
    private let limits = BodyPace.Limits(silence: .seconds(10), window: .seconds(20), rate: 100)

    /// After how many seconds a body is too slow of which so many bytes come each second; nil if it never is.
    private func end(_ limits: BodyPace.Limits? = nil, _ bytes: (Int) -> Int) -> Int? {
        var pace = BodyPace()
        for second in 0..<1_000 {
            pace.received(bytes(second))
            if !pace.waited(.seconds(1), limits ?? self.limits) { return second + 1 }
        }
        return nil
    }

    @Test func `who keeps the rate is waited for without end`() {
        #expect(end { _ in 100 } == nil)
        #expect(end { $0 % 5 == 0 ? 500 : 0 } == nil)
    }

    @Test func `who falls short of the rate is too slow when the first window is over`() {
        #expect(end { _ in 99 } == 20)
    }

    @Test func `silence is too slow, whatever came before it`() {
        #expect(end { _ in 0 } == 11)
        #expect(end { $0 == 0 ? 1_000_000_000 : 0 } == 11)
        #expect(end { $0 < 500 ? 10_000 : 0 } == 510)
    }

    @Test func `what came at once buys no patience beyond the window`() {
        let end = end { $0 == 0 ? 1_000_000_000 : 1 }
        // The window slides by its quarters: the burst has left it after five of them.
        #expect(end == 25)
    }

    @Test func `without a least rate only silence counts`() {
        let lax = BodyPace.Limits(silence: .seconds(10), window: .seconds(20), rate: 0)
        #expect(end(lax) { $0 % 10 == 0 ? 1 : 0 } == nil)
        #expect(end(lax) { _ in 0 } == 11)
    }
}
