import Testing

@testable import HTTPServer

@Suite struct WebSocketVigilTests {
    private func vigil() -> WebSocketVigil {
        var configuration = WebSocketConfiguration()
        configuration.pingInterval = .seconds(20)
        configuration.silenceLimit = .seconds(60)
        configuration.closeTimeout = .seconds(5)
        return WebSocketVigil(configuration)
    }

    /// What comes of looks, one a second, and in which second.
    private func verdicts(
        of vigil: inout WebSocketVigil, seconds: ClosedRange<Int>, isClosing: Bool = false
    ) -> [Int: WebSocketVigil.Verdict] {
        var verdicts: [Int: WebSocketVigil.Verdict] = [:]
        for second in seconds {
            let verdict = vigil.look(.seconds(1), isClosing: isClosing)
            if verdict != .wait { verdicts[second] = verdict }
        }
        return verdicts
    }

    @Test func `the silent are pinged twice, and then are silent for good`() {
        var vigil = vigil()
        #expect(verdicts(of: &vigil, seconds: 0...61) == [21: .ping, 43: .ping, 61: .isSilent])
    }

    @Test func `who answers pings lives on`() {
        var vigil = vigil()
        for _ in 0..<100 {
            #expect(verdicts(of: &vigil, seconds: 0...21) == [21: .ping])
            vigil.heard()
        }
    }

    @Test func `who talks is not pinged`() {
        var vigil = vigil()
        for _ in 0..<100 {
            #expect(verdicts(of: &vigil, seconds: 0...19).isEmpty)
            vigil.heard()
        }
    }

    @Test func `closing has a limit, whatever is said meanwhile`() {
        var vigil = vigil()
        #expect(verdicts(of: &vigil, seconds: 0...30).count == 1)
        #expect(verdicts(of: &vigil, seconds: 0...5, isClosing: true).isEmpty)
        vigil.heard()
        #expect(vigil.look(.seconds(1), isClosing: true) == .isOverdue)
    }
}
