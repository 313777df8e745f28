import TestSupport
import Testing

@testable import Redis

@Suite struct ConnectionLifeTests {
    private let begin = ContinuousClock.now

    private func life(_ change: (inout RedisClient.Configuration) -> Void = { _ in }) -> ConnectionLife {
        var configuration = RedisClient.Configuration()
        configuration.longestSilence = .milliseconds(180)
        configuration.firstPause = .milliseconds(50)
        configuration.longestPause = .seconds(2)
        configuration.steadyTime = .seconds(5)
        change(&configuration)
        return ConnectionLife(configuration)
    }

    private func connected() -> ConnectionLife {
        var life = life()
        #expect(life.woke() == [.connect])
        life.greeted(at: begin)
        #expect(life.isConnected)
        return life
    }

    @Test func `a server that owes answers and gives none for so long is given up`() {
        var life = connected()
        life.sent(at: begin + .milliseconds(100))
        #expect(life.timedOut(at: begin + .milliseconds(160), chance: 1) == [])
        life.sent(at: begin + .milliseconds(200))
        #expect(life.timedOut(at: begin + .milliseconds(279), chance: 1) == [])
        #expect(
            life.timedOut(at: begin + .milliseconds(280), chance: 1) == [.drop, .wait(.milliseconds(50))])
        #expect(!life.isConnected)
    }

    @Test func `however many commands run out of time together, the time counts`() {
        var life = connected()
        for _ in 0..<1_000 { life.sent(at: begin) }
        for _ in 0..<1_000 { #expect(life.timedOut(at: begin + .milliseconds(60), chance: 1) == []) }
        #expect(life.isConnected)
    }

    @Test func `with an answer in between the silence begins anew, and without a command there is none`() {
        var life = connected()
        for step in 1...10 {
            life.sent(at: begin + .milliseconds(100 * step - 90))
            life.answered(at: begin + .milliseconds(100 * step), isOwed: true)
            #expect(life.timedOut(at: begin + .milliseconds(100 * step + 99), chance: 1) == [])
        }
        life.answered(at: begin + .seconds(2), isOwed: false)
        #expect(life.timedOut(at: begin + .seconds(3), chance: 1) == [])
        life.sent(at: begin + .seconds(4))
        #expect(life.timedOut(at: begin + .milliseconds(4_100), chance: 1) == [])
        #expect(life.isConnected)
    }

    @Test func `pauses double up to the longest, with jitter, and are short again after a connection that held`() {
        var life = life()
        var pauses: [ConnectionLife.Effect] = []
        for _ in 0..<8 {
            #expect(life.woke() == [.connect])
            pauses += life.ended(at: begin, chance: 1)
        }
        #expect(
            pauses == [50, 100, 200, 400, 800, 1_600, 2_000, 2_000].map { .wait(.milliseconds($0)) })
        #expect(life.woke() == [.connect])
        life.greeted(at: begin)
        #expect(life.ended(at: begin + .seconds(5), chance: 0) == [.wait(.milliseconds(25))])
    }

    @Test func `a connection that does not hold is an attempt in vain, however it ends`() {
        var life = life()
        var pauses: [ConnectionLife.Effect] = []
        for round in 0..<4 {
            #expect(life.woke() == [.connect])
            life.greeted(at: begin)
            let end = begin + .milliseconds(4_999)
            if round.isMultiple(of: 2) {
                pauses += life.ended(at: end, chance: 1)
            } else {
                life.sent(at: begin)
                pauses += life.timedOut(at: end, chance: 1).filter { $0 != .drop }
            }
        }
        #expect(pauses == [50, 100, 200, 400].map { .wait(.milliseconds($0)) })
    }

    @Test func `in random courses there is one attempt at a time, and after a stop none`() {
        for seed in 0..<2_000 as Range<UInt64> {
            var random = SeededRandom(seed: seed)
            var life = life { $0.longestSilence = .milliseconds(2) }
            var now = begin
            var open = 0
            var waits = true
            for _ in 0..<60 {
                let effects: [ConnectionLife.Effect]
                now += .milliseconds(random.number(below: 3))
                switch random.number(below: 7) {
                case 0 where waits:
                    waits = false
                    effects = life.woke()
                case 1 where open == 1:
                    life.greeted(at: now)
                    effects = []
                case 2 where open == 1:
                    open = 0
                    effects = life.ended(at: now, chance: 0.5)
                case 3:
                    life.answered(at: now, isOwed: random.number(below: 2) == 0)
                    effects = []
                case 4: effects = life.timedOut(at: now, chance: 0.5)
                case 5:
                    life.sent(at: now)
                    effects = []
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
