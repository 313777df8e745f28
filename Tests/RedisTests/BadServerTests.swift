import EventLoops
import Locking
import TestSupport
import Testing

@testable import Redis

/// A server that accepts and drops connections, refuses them, or stops responding.
@Suite(.timeLimit(.minutes(1))) struct BadServerTests {
    /// The minimum duration of five pauses, each half of twice the previous one: without backoff they would take an
    /// eighth of this.
    private static let fivePauses = Duration.milliseconds(10 + 20 + 40 + 80 + 160)

    @Test func `reconnects back off from a server that closes accepted connections`() async throws {
        let server = FakeRedis { $0.greet() }
        let begun = ContinuousClock.now
        let fixture = try ClientFixture(server.url) { $0.firstPause = .milliseconds(20) }
        #expect(await eventually { server.connections >= 6 })
        #expect(begun.duration(to: .now) >= Self.fivePauses)
        await fixture.close()
        server.close()
    }

    @Test func `a refused subscription is retried with backoff and reported`() async throws {
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
        let fixture = try ClientFixture(server.url) { $0.firstPause = .milliseconds(20) }
        #expect(await fixture.isConnected())
        let states = Guarded<[RedisClient.State]>([])
        let begun = ContinuousClock.now
        fixture.client.subscribe(to: "news") { state in
            states.withLock { $0.append(state) }
        } received: { _ in
        }
        #expect(await eventually { refusals.withLock { $0 } >= 6 })
        #expect(begun.duration(to: .now) >= Self.fivePauses)
        #expect(
            states.withLock { $0.allSatisfy { $0 == .disconnected("it rejected SUBSCRIBE: NOPERM no permission") } })
        #expect(fixture.client.isConnected)
        await fixture.close()
        server.close()
    }

    @Test func `a subscription whose server falls silent is renewed`() async throws {
        let server = FakeRedis { conversation in
            // The first subscription gets nothing any more, not even replies to health checks.
            if conversation.greet() != nil, conversation.number <= 1 { return conversation.ignore() }
            while let words = conversation.command() {
                if words[0] == "PING" { conversation.say("*2\r\n$4\r\npong\r\n$0\r\n\r\n") }
            }
        }
        let fixture = try ClientFixture(server.url) {
            $0.heartbeatPause = .milliseconds(40)
            $0.heartbeatTime = .milliseconds(200)
        }
        #expect(await fixture.isConnected())
        let states = Guarded<[RedisClient.State]>([])
        fixture.client.subscribe(to: "news") { state in
            states.withLock { $0.append(state) }
        } received: { _ in
        }
        #expect(await eventually { states.withLock { $0.count } >= 3 })
        #expect(states.withLock { $0 } == [.connected, .disconnected("it did not respond in time"), .connected])
        await fixture.close()
        server.close()
    }

    @Test func `a silent server is detected even with a full command queue`() async throws {
        let server = FakeRedis { conversation in
            conversation.greet()
            // The first connection gets no more replies.
            if conversation.number == 0 { return conversation.ignore() }
            while conversation.command() != nil { conversation.say("+PONG\r\n") }
        }
        let fixture = try ClientFixture(server.url) {
            $0.maximumPending = 3
            $0.heartbeatPause = .milliseconds(500)
        }
        #expect(await fixture.isConnected())
        // They time out before the server has been silent for long, and no later command times out.
        for _ in 0..<3 {
            fixture.client.send([Array("PING".utf8)], within: .milliseconds(1)) { _ in }
        }
        #expect(await eventually { fixture.states.withLock { $0.count } >= 3 })
        let states = fixture.states.withLock { $0 }
        #expect(states == [.connected, .disconnected("it did not respond in time"), .connected])
        await fixture.close()
        server.close()
    }

    @Test func `a reply that arrived while the process was starved does not count as silence`() async throws {
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
        let fixture = try ClientFixture(server.url) {
            $0.longestSilence = .milliseconds(1)
            $0.heartbeatPause = .seconds(60)
        }
        #expect(await fixture.isConnected())
        let outcome = await withCheckedContinuation { told in
            fixture.client.loop.execute { [client = fixture.client] in
                late.withLock { $0 = .now + .milliseconds(30) }
                client.send([Array("PING".utf8)], within: .milliseconds(5)) { told.resume(returning: $0) }
                // The loop runs nothing else until the timeout has passed and the reply has arrived.
                while !isAnswered.withLock({ $0 }) {}
            }
        }
        #expect(outcome == .success(.bytes(Array("PONG".utf8))))
        #expect(fixture.states.withLock { $0 } == [.connected])
        await fixture.close()
        server.close()
    }
}
