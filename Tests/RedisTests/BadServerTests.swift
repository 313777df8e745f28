import EventLoops
import Locking
import TestSupport
import Testing

@testable import Redis

/// A server that lets in and throws out, refuses, or says nothing any more.
@Suite(.timeLimit(.minutes(1))) struct BadServerTests {
    /// What five pauses are at least, each half of double the one before: without a back-off they were an eighth of it.
    private static let fivePauses = Duration.milliseconds(10 + 20 + 40 + 80 + 160)

    @Test func `a server that throws out whom it let in is asked less and less often`() async throws {
        let server = FakeRedis { $0.greet() }
        let begun = ContinuousClock.now
        let house = try ClientHouse(server.url) { $0.firstPause = .milliseconds(20) }
        #expect(await eventually { server.connections >= 6 })
        #expect(begun.duration(to: .now) >= Self.fivePauses)
        await house.close()
        server.close()
    }

    @Test func `a server that refuses a subscription is asked less and less often, and is told of`() async throws {
        let refusals = Guarded(0)
        let server = FakeRedis { conversation in
            while let words = conversation.command() {
                if words[0] == "SUBSCRIBE" {
                    refusals.withLock { $0 += 1 }
                    conversation.say("-NOPERM no permission\r\n")
                } else {
                    conversation.say("+PONG\r\n")
                }
            }
        }
        let house = try ClientHouse(server.url) { $0.firstPause = .milliseconds(20) }
        #expect(await house.isConnected())
        let states = Guarded<[RedisClient.State]>([])
        let begun = ContinuousClock.now
        house.client.subscribe(to: "news") { state in
            states.withLock { $0.append(state) }
        } heard: { _ in
        }
        #expect(await eventually { refusals.withLock { $0 } >= 6 })
        #expect(begun.duration(to: .now) >= Self.fivePauses)
        #expect(states.withLock { $0.allSatisfy { $0 == .away("it refuses SUBSCRIBE: NOPERM no permission") } })
        #expect(house.client.isConnected)
        await house.close()
        server.close()
    }

    @Test func `a subscription of which the other end is gone without a word is made anew`() async throws {
        let server = FakeRedis { conversation in
            // The first subscription hears nothing any more, not even that it is asked for a sign of life.
            if conversation.greet() != nil, conversation.number <= 1 { return conversation.ignore() }
            while let words = conversation.command() {
                if words[0] == "PING" { conversation.say("*2\r\n$4\r\npong\r\n$0\r\n\r\n") }
            }
        }
        let house = try ClientHouse(server.url) {
            $0.heartbeatPause = .milliseconds(40)
            $0.heartbeatTime = .milliseconds(200)
        }
        #expect(await house.isConnected())
        let states = Guarded<[RedisClient.State]>([])
        house.client.subscribe(to: "news") { state in
            states.withLock { $0.append(state) }
        } heard: { _ in
        }
        #expect(await eventually { states.withLock { $0.count } >= 3 })
        #expect(states.withLock { $0 } == [.connected, .away("it does not answer"), .connected])
        await house.close()
        server.close()
    }

    @Test func `a server that stands still under as many commands as may wait is away all the same`() async throws {
        let server = FakeRedis { conversation in
            conversation.greet()
            // The first says nothing any more.
            if conversation.number == 0 { return conversation.ignore() }
            while conversation.command() != nil { conversation.say("+PONG\r\n") }
        }
        let house = try ClientHouse(server.url) {
            $0.mostPending = 3
            $0.heartbeatPause = .milliseconds(500)
        }
        #expect(await house.isConnected())
        // Their times run out before the server has been silent for long, and none of a later one will.
        for _ in 0..<3 {
            house.client.send([Array("PING".utf8)], within: .milliseconds(1)) { _ in }
        }
        #expect(await eventually { house.states.withLock { $0.count } >= 3 })
        #expect(house.states.withLock { $0 } == [.connected, .away("it does not answer"), .connected])
        await house.close()
        server.close()
    }

    @Test func `an answer that came while this process had no time to run is no silence`() async throws {
        let late = Guarded(ContinuousClock.now)
        let isAnswered = Guarded(false)
        let server = FakeRedis { conversation in
            conversation.greet()
            while conversation.command() != nil {
                while ContinuousClock.now < late.withLock({ $0 }) {}
                conversation.say("+PONG\r\n")
                isAnswered.withLock { $0 = true }
            }
        }
        let house = try ClientHouse(server.url) {
            $0.longestSilence = .milliseconds(1)
            $0.heartbeatPause = .seconds(60)
        }
        #expect(await house.isConnected())
        let outcome = await withCheckedContinuation { told in
            house.client.loop.execute { [client = house.client] in
                late.withLock { $0 = .now + .milliseconds(30) }
                client.send([Array("PING".utf8)], within: .milliseconds(5)) { told.resume(returning: $0) }
                // Nothing runs on the loop until its time has run out, and the answer is there.
                while !isAnswered.withLock({ $0 }) {}
            }
        }
        #expect(outcome == .success(.bytes(Array("PONG".utf8))))
        #expect(house.states.withLock { $0 } == [.connected])
        await house.close()
        server.close()
    }
}
