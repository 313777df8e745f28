import Dispatch
import EventLoops
import Locking
import TestSupport
import Testing

@testable import Redis

/// Whatever a server says: it costs the connection, and nothing else.
@Suite(.timeLimit(.minutes(1))) struct HostileServerTests {
    /// Greets the first who comes, and says this to it; whoever comes later is served well.
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
    ]) func `what nobody asked for or what is no reply ends the connection, and another is made`(text: String)
        async throws
    {
        let server = server(saying: text)
        let house = try ClientHouse(server.url)
        #expect(await eventually { house.states.withLock { $0.count >= 3 } })
        let states = house.states.withLock { $0 }
        #expect(states.first == .connected && states.last == .connected)
        guard case .away(let why) = states[1] else { return #expect(Bool(false), "the connection lives on") }
        #expect(why.contains("it says"), "\(why)")
        #expect(await house.ask("GET", "a") == .success(.bytes(Array("OK".utf8))))
        await house.close()
        server.close()
    }

    @Test(arguments: [
        "+OK\r\n", "*3\r\n$7\r\nmessage\r\n", "*1\r\n$7\r\nmessage\r\n", "*0\r\n", "*-1\r\n", "$-1\r\n", ":1\r\n",
        "-ERR\r\n",
        "*3\r\n$9\r\nsubscribe\r\n$1\r\nc\r\n:1\r\n", "*3\r\n$11\r\nunsubscribe\r\n$-1\r\n:0\r\n",
        "*3\r\n*1\r\n+a\r\n$-1\r\n:0\r\n", ">3\r\n+message\r\n+c\r\n+m\r\n", ">1\r\n_\r\n",
        "*2\r\n$7\r\nmessage\r\n$1\r\nc\r\n",
        "*4\r\n$7\r\nmessage\r\n:1\r\n:1\r\n:1\r\n", "%0\r\n",
    ]) func `nor does a subscription trust what it hears`(text: String) async throws {
        let server = FakeRedis { conversation in
            let channel = conversation.greet()
            guard channel != nil else { return conversation.ignore() }
            // What is cut short is ended by the server's close.
            if conversation.number <= 1 { conversation.say(text) } else { conversation.ignore() }
        }
        let house = try ClientHouse(server.url)
        #expect(await house.isConnected())
        let states = Guarded<[RedisClient.State]>([])
        let heard = Guarded(0)
        house.client.subscribe(to: "news") { state in
            states.withLock { $0.append(state) }
        } heard: { _ in
            heard.withLock { $0 += 1 }
        }
        #expect(await eventually { states.withLock { $0.count >= 3 } })
        #expect(states.withLock { $0.first } == .connected && states.withLock { $0[2] } == .connected)
        #expect(heard.withLock { $0 } == 0)
        await house.close()
        server.close()
    }

    @Test func `an answer larger than any is refused, and so is one that never ends`() async throws {
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
            let house = try ClientHouse(server.url) { $0.mostReplyBytes = 10_000 }
            #expect(await house.isConnected())
            #expect(await house.ask("GET", "a", within: .seconds(30)) == .failure(.closed))
            #expect(await eventually { house.states.withLock { $0.contains(.away("what it says is too large")) } })
            await house.close()
            server.close()
        }
    }

    @Test func `what waits to be written is bounded, also when a server answers what it does not read`() async throws {
        let conversations = Guarded<[FakeRedis.Conversation]>([])
        let isOver = DispatchSemaphore(value: 0)
        let server = FakeRedis { conversation in
            conversation.greet()
            conversations.withLock { $0.append(conversation) }
            isOver.wait()
        }
        let house = try ClientHouse(server.url) {
            $0.mostPendingBytes = 1_000_000
            $0.heartbeatPause = .seconds(60)
        }
        #expect(await house.isConnected())
        #expect(await eventually { conversations.withLock { $0.count } == 1 })
        let conversation = try #require(conversations.withLock { $0.first })
        let outcomes = Guarded<[Result<RedisReply, RedisError>]>([])
        for round in 1...200 where outcomes.withLock({ $0.last }) != .failure(.crowded) {
            house.client.loop.execute {
                let large = [UInt8](repeating: 0, count: 500_000)
                house.client.send([Array("SET".utf8), large], within: .seconds(30)) { outcome in
                    outcomes.withLock { $0.append(outcome) }
                }
                conversation.say("+OK\r\n")
            }
            #expect(await eventually { outcomes.withLock { $0.count } == round })
        }
        let answered = outcomes.withLock { $0.dropLast() }
        #expect(outcomes.withLock { $0.last } == .failure(.crowded))
        #expect(!answered.isEmpty && answered.allSatisfy { $0 == .success(.bytes(Array("OK".utf8))) })
        isOver.signal()
        await house.close()
        server.close()
    }
}
