import Testing

@testable import Loading

@Suite struct TokenLifecycleTests {
    @Test func `a token only moves forward through its phases and ends once`() {
        var life = TokenLifecycle()
        #expect(life.queue() && life.load() && life.send())
        #expect(!life.queue() && !life.load() && !life.send(), "no phase goes back")
        let ended = life.end(.delivered)
        #expect(ended)
        for end in TokenEnd.allCases {
            let endedAgain = life.end(end)
            #expect(!endedAgain)
        }
        #expect(life.end == .delivered && !life.isLive)
    }

    @Test func `a token that was never sent cannot be delivered`() {
        var life = TokenLifecycle()
        let delivered = life.end(.delivered)
        #expect(!delivered)
        let cancelled = life.end(.cancelled)
        #expect(cancelled)
        let sent = life.send()
        #expect(!sent)
    }

    @Test func `tokens have 128 random bits and one valid spelling`() {
        for _ in 0..<1_000 {
            let token = Token(of: NodeTag())
            #expect(token.description.utf8.count == 22)
            #expect(Token(token.description) == token)
        }
        #expect(Token("AAAAAAAAAAAAAAAAAAAAAA") != nil)
        let wrong = [
            "", "A", "AAAAAAAAAAAAAAAAAAAAAB", "AAAAAAAAAAAAAAAAAAAAA=", "AAAAAAAAAAAAAAAAAAAAAAA",
            "ÄAAAAAAAAAAAAAAAAAAAA",
        ]
        for bad in wrong {
            #expect(Token(bad) == nil && SessionID(bad) == nil)
        }
    }
}
