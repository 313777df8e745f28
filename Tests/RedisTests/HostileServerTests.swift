import Dispatch
import EventLoops
import Locking
import TestSupport
import Testing

@testable import Redis

/// Anything that a server sends can at most end the connection.
@Suite(.timeLimit(.minutes(1))) struct HostileServerTests {
    /// Sends this text to the first connection after the greeting; serves later connections properly.
    private func server(saying text: String) -> FakeRedis {
        FakeRedis { conversation in
            conversation.greet()
            if conversation.number == 0 { conversation.say(text) }
            while let words = conversation.command() {
                if conversation.number > 0 { conversation.say(words[0] == "PING" ? "+PONG\r\n" : "+OK\r\n") }
            }
        }
    }

    @Test(arguments: [
        "+OK\r\n", "+OK\r\n+OK\r\n", "$-1\r\n", "*0\r\n", "*-1\r\n", "-ERR\r\n",
        "*3\r\n$7\r\nmessage\r\n$1\r\nc\r\n$1\r\nm\r\n", "*1\r\n$7\r\nmessage\r\n",
        "*3\r\n$9\r\nsubscribe\r\n$1\r\nc\r\n:1\r\n", "*2\r\n$7\r\nmessage\r\n:1\r\n",
        "*4\r\n$8\r\npmessage\r\n$1\r\n*\r\n$1\r\nc\r\n$1\r\nm\r\n", "*3\r\n$11\r\nunsubscribe\r\n$-1\r\n:0\r\n",
        "*3\r\n*0\r\n*0\r\n*0\r\n", ">3\r\n+message\r\n+c\r\n+m\r\n", ">0\r\n", "_\r\n", "#t\r\n", ",1\r\n",
        "%1\r\n+a\r\n+b\r\n",
        "~0\r\n", "|1\r\n+a\r\n+b\r\n", "(9\r\n", "=5\r\ntxt:a\r\n", "!1\r\na\r\n", "$5000000\r\n", "$-7\r\n",
        "*2000000000\r\n",
        "*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n", "\0\0\r\n", "\r\n\r\n", "SSH-2.0-OpenSSH\r\n",
    ]) func `an unsolicited or invalid reply ends the connection, and the client reconnects`(text: String)
        async throws
    {
        let server = server(saying: text)
        let fixture = try ClientFixture(server.url)
        #expect(await eventually { fixture.states.withLock { $0.count >= 3 } })
        let states = fixture.states.withLock { $0 }
        #expect(states.first == .connected && states.last == .connected)
        guard case .disconnected(let why) = states[1] else { return #expect(Bool(false), "the connection stayed open") }
        #expect(why == "it sent an unexpected message" || why.contains("its response is"), "\(why)")
        #expect(await fixture.ask("GET", "a") == .success(.bytes(Array("OK".utf8))))
        await fixture.close()
        server.close()
    }

    @Test(arguments: [
        "+OK\r\n", "*3\r\n$7\r\nmessage\r\n", "*1\r\n$7\r\nmessage\r\n", "*0\r\n", "*-1\r\n", "$-1\r\n", ":1\r\n",
        "-ERR\r\n",
        "*3\r\n$9\r\nsubscribe\r\n$1\r\nc\r\n:1\r\n", "*3\r\n$11\r\nunsubscribe\r\n$-1\r\n:0\r\n",
        "*3\r\n*1\r\n+a\r\n$-1\r\n:0\r\n", ">3\r\n+message\r\n+c\r\n+m\r\n", ">1\r\n_\r\n",
        "*2\r\n$7\r\nmessage\r\n$1\r\nc\r\n",
        "*4\r\n$7\r\nmessage\r\n:1\r\n:1\r\n:1\r\n", "%0\r\n",
    ]) func `an invalid message ends a subscription, which is then renewed`(text: String) async throws {
        let server = FakeRedis { conversation in
            let channel = conversation.greet()
            guard channel != nil else { return conversation.ignore() }
            // Truncated text ends with the server's close.
            if conversation.number <= 1 { conversation.say(text) } else { conversation.ignore() }
        }
        let fixture = try ClientFixture(server.url)
        #expect(await fixture.isConnected())
        let states = Guarded<[RedisClient.State]>([])
        let received = Guarded(0)
        fixture.client.subscribe(to: "news") { state in
            states.withLock { $0.append(state) }
        } received: { _ in
            received.withLock { $0 += 1 }
        }
        #expect(await eventually { states.withLock { $0.count >= 3 } })
        #expect(states.withLock { $0.first } == .connected && states.withLock { $0[2] } == .connected)
        #expect(received.withLock { $0 } == 0)
        await fixture.close()
        server.close()
    }

    @Test func `an oversized or endless reply ends the connection`() async throws {
        for isEndless in [false, true] {
            let server = FakeRedis { conversation in
                conversation.greet()
                guard conversation.number == 0 else { return conversation.ignore() }
                _ = conversation.command()
                let element = "$10\r\n0123456789\r\n"
                conversation.say(isEndless ? "*60000\r\n" : "$20000\r\n")
                for _ in 0..<(isEndless ? 60_000 : 1) where conversation.say(element) {}
                conversation.ignore()
            }
            let fixture = try ClientFixture(server.url) { $0.maximumReplyBytes = 10_000 }
            #expect(await fixture.isConnected())
            #expect(await fixture.ask("GET", "a", within: .seconds(30)) == .failure(.closed))
            #expect(
                await eventually { fixture.states.withLock { $0.contains(.disconnected("its response is too large")) } }
            )
            await fixture.close()
            server.close()
        }
    }

    @Test func `the write buffer is bounded, even when a server replies to commands it does not read`() async throws {
        let conversations = Guarded<[FakeRedis.Conversation]>([])
        let isOver = DispatchSemaphore(value: 0)
        let server = FakeRedis { conversation in
            conversation.greet()
            conversations.withLock { $0.append(conversation) }
            isOver.wait()
        }
        let fixture = try ClientFixture(server.url) {
            $0.maximumPendingBytes = 1_000_000
            $0.heartbeatPause = .seconds(60)
        }
        #expect(await fixture.isConnected())
        #expect(await eventually { conversations.withLock { $0.count } == 1 })
        let conversation = try #require(conversations.withLock { $0.first })
        let outcomes = Guarded<[Result<RedisReply, RedisError>]>([])
        for round in 1...200 where outcomes.withLock({ $0.last }) != .failure(.overloaded) {
            fixture.client.loop.execute {
                let large = [UInt8](repeating: 0, count: 500_000)
                fixture.client.send([Array("SET".utf8), large], within: .seconds(30)) { outcome in
                    outcomes.withLock { $0.append(outcome) }
                }
                conversation.say("+OK\r\n")
            }
            #expect(await eventually { outcomes.withLock { $0.count } == round })
        }
        let answered = outcomes.withLock { $0.dropLast() }
        #expect(outcomes.withLock { $0.last } == .failure(.overloaded))
        #expect(!answered.isEmpty && answered.allSatisfy { $0 == .success(.bytes(Array("OK".utf8))) })
        isOver.signal()
        await fixture.close()
        server.close()
    }
}
