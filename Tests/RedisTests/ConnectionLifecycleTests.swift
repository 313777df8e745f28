import TestSupport
import Testing

@testable import Redis

@Suite struct ConnectionLifecycleTests {
    private let begin = ContinuousClock.now

    private func life(_ change: (inout RedisClient.Configuration) -> Void = { _ in }) -> ConnectionLifecycle {
        var configuration = RedisClient.Configuration()
        configuration.longestSilence = .milliseconds(180)
        configuration.firstPause = .milliseconds(50)
        configuration.longestPause = .seconds(2)
        configuration.steadyTime = .seconds(5)
        change(&configuration)
        return ConnectionLifecycle(configuration)
    }

    private func connected() -> ConnectionLifecycle {
        var life = life()
        #expect(life.timerFired() == [.connect])
        life.greeted(at: begin)
        #expect(life.isConnected)
        return life
    }

    @Test func `a server that owes replies and stays silent too long is dropped`() {
        var life = connected()
        life.sent(at: begin + .milliseconds(100))
        #expect(life.timedOut(at: begin + .milliseconds(160), chance: 1) == [])
        life.sent(at: begin + .milliseconds(200))
        #expect(life.timedOut(at: begin + .milliseconds(279), chance: 1) == [])
        #expect(
            life.timedOut(at: begin + .milliseconds(280), chance: 1) == [.drop, .wait(.milliseconds(50))])
        #expect(!life.isConnected)
    }

    @Test func `the duration of the silence counts, not the number of timeouts`() {
        var life = connected()
        for _ in 0..<1_000 { life.sent(at: begin) }
        for _ in 0..<1_000 { #expect(life.timedOut(at: begin + .milliseconds(60), chance: 1) == []) }
        #expect(life.isConnected)
    }

    @Test func `a reply restarts the silence, and without a pending command there is none`() {
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

    @Test func `pauses double up to the maximum, with jitter, and reset after a steady connection`() {
        var life = life()
        var pauses: [ConnectionLifecycle.Effect] = []
        for _ in 0..<8 {
            #expect(life.timerFired() == [.connect])
            pauses += life.ended(at: begin, chance: 1)
        }
        #expect(
            pauses == [50, 100, 200, 400, 800, 1_600, 2_000, 2_000].map { .wait(.milliseconds($0)) })
        #expect(life.timerFired() == [.connect])
        life.greeted(at: begin)
        #expect(life.ended(at: begin + .seconds(5), chance: 0) == [.wait(.milliseconds(25))])
    }

    @Test func `a connection that does not last counts as a failed attempt, however it ends`() {
        var life = life()
        var pauses: [ConnectionLifecycle.Effect] = []
        for round in 0..<4 {
            #expect(life.timerFired() == [.connect])
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

    @Test func `in random sequences there is one attempt at a time, and none after a stop`() {
        for seed in 0..<2_000 as Range<UInt64> {
            var random = SeededRandom(seed: seed)
            var life = life { $0.longestSilence = .milliseconds(2) }
            var now = begin
            var open = 0
            var waits = true
            for _ in 0..<60 {
                let effects: [ConnectionLifecycle.Effect]
                now += .milliseconds(random.number(below: 3))
                switch random.number(below: 7) {
                case 0 where waits:
                    waits = false
                    effects = life.timerFired()
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
                #expect((open == 1) != waits, "neither a connection nor a pause, or both")
                if life.isConnected { #expect(open == 1) }
            }
            for effect in life.stop() where effect == .drop { open -= 1 }
            #expect(open == 0)
            #expect(life.timerFired().isEmpty)
        }
    }
}
