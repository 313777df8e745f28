import TestSupport
import Testing

@testable import Redis

@Suite struct ConnectionLifeTests {
    private func connected() -> ConnectionLife {
        var life = ConnectionLife(mostSilent: 3, firstPause: .milliseconds(50), longestPause: .seconds(2))
        #expect(life.woke() == [.connect])
        life.greeted()
        #expect(life.isConnected)
        return life
    }

    @Test func `so many commands in a row without an answer end the connection`() {
        var life = connected()
        #expect(life.timedOut(chance: 1) == [])
        #expect(life.timedOut(chance: 1) == [])
        #expect(life.timedOut(chance: 1) == [.drop, .wait(.milliseconds(50))])
        #expect(!life.isConnected)
    }

    @Test func `an answer in between begins the count anew`() {
        var life = connected()
        for _ in 0..<10 {
            #expect(life.timedOut(chance: 1) == [])
            #expect(life.timedOut(chance: 1) == [])
            life.answered()
        }
        #expect(life.isConnected)
    }

    @Test func `pauses double up to the longest, with jitter, and are short again after a success`() {
        var life = ConnectionLife(mostSilent: 3, firstPause: .milliseconds(50), longestPause: .seconds(2))
        var pauses: [ConnectionLife.Effect] = []
        for _ in 0..<8 {
            #expect(life.woke() == [.connect])
            pauses += life.ended(chance: 1)
        }
        #expect(
            pauses == [50, 100, 200, 400, 800, 1_600, 2_000, 2_000].map { .wait(.milliseconds($0)) })
        #expect(life.woke() == [.connect])
        life.greeted()
        #expect(life.ended(chance: 0) == [.wait(.milliseconds(25))])
    }

    @Test func `in random courses there is one attempt at a time, and after a stop none`() {
        for seed in 0..<2_000 as Range<UInt64> {
            var random = SeededRandom(seed: seed)
            var life = ConnectionLife(mostSilent: 2, firstPause: .milliseconds(1), longestPause: .milliseconds(8))
            var open = 0
            var waits = true
            for _ in 0..<60 {
                let effects: [ConnectionLife.Effect]
                switch random.number(below: 6) {
                case 0 where waits:
                    waits = false
                    effects = life.woke()
                case 1 where open == 1:
                    life.greeted()
                    effects = []
                case 2 where open == 1:
                    open = 0
                    effects = life.ended(chance: 0.5)
                case 3:
                    life.answered()
                    effects = []
                case 4: effects = life.timedOut(chance: 0.5)
                default: effects = []
                }
                for effect in effects {
                    switch effect {
                    case .connect: open += 1
                    case .drop: open -= 1
                    case .wait: waits = true
                    }
                }
                #expect((0...1).contains(open))
                #expect((open == 1) != waits, "either a connection or a pause, never neither: nothing would come of it")
                if life.isConnected { #expect(open == 1) }
            }
            for effect in life.stop() where effect == .drop { open -= 1 }
            #expect(open == 0)
            #expect(life.woke().isEmpty)
        }
    }
}
