import Testing

@testable import HTTPServer

@Suite struct WebSocketTimeoutsTests {
    private func timeouts() -> WebSocketTimeouts {
        var configuration = WebSocketConfiguration()
        configuration.pingInterval = .seconds(20)
        configuration.silenceLimit = .seconds(60)
        configuration.closeTimeout = .seconds(5)
        return WebSocketTimeouts(configuration)
    }

    /// The verdicts of one check per second, by second.
    private func verdicts(
        of timeouts: inout WebSocketTimeouts, seconds: ClosedRange<Int>, isClosing: Bool = false
    ) -> [Int: WebSocketTimeouts.Verdict] {
        var verdicts: [Int: WebSocketTimeouts.Verdict] = [:]
        for second in seconds {
            let verdict = timeouts.advance(by: .seconds(1), isClosing: isClosing)
            if verdict != .wait { verdicts[second] = verdict }
        }
        return verdicts
    }

    @Test func `a silent client is pinged twice and then timed out`() {
        var timeouts = timeouts()
        #expect(verdicts(of: &timeouts, seconds: 0...61) == [21: .ping, 43: .ping, 61: .isSilent])
    }

    @Test func `a client that answers pings stays connected`() {
        var timeouts = timeouts()
        for _ in 0..<100 {
            #expect(verdicts(of: &timeouts, seconds: 0...21) == [21: .ping])
            timeouts.received()
        }
    }

    @Test func `a client that sends messages is not pinged`() {
        var timeouts = timeouts()
        for _ in 0..<100 {
            #expect(verdicts(of: &timeouts, seconds: 0...19).isEmpty)
            timeouts.received()
        }
    }

    @Test func `closing times out, whatever arrives meanwhile`() {
        var timeouts = timeouts()
        #expect(verdicts(of: &timeouts, seconds: 0...30).count == 1)
        #expect(verdicts(of: &timeouts, seconds: 0...5, isClosing: true).isEmpty)
        timeouts.received()
        #expect(timeouts.advance(by: .seconds(1), isClosing: true) == .isOverdue)
    }
}
