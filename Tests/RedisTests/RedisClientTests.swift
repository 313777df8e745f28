import EventLoops
import Locking
import TestSupport
import Testing

@testable import Redis

@Suite(.enabled(if: RedisServer.isInstalled), .timeLimit(.minutes(1))) struct RedisClientTests {
    @Test func `commands are answered in order, and binary values round-trip`() async throws {
        let server = try #require(await RedisServer())
        let fixture = try ClientFixture(server.url)
        #expect(await fixture.isConnected())
        let bytes = (0..<100_000).map { UInt8(truncatingIfNeeded: $0) }
        #expect(await fixture.ask([Array("SET".utf8), [0, 13, 10], bytes]) == .success(.bytes(Array("OK".utf8))))
        #expect(await fixture.ask([Array("GET".utf8), [0, 13, 10]]) == .success(.bytes(bytes)))
        #expect(await fixture.ask("GET", "nothing") == .success(.nothing))
        #expect(await fixture.ask("INCR", "n") == .success(.integer(1)))
        #expect(await fixture.ask("MGET", "n", "m") == .success(.list([.bytes([0x31]), .nothing])))
        guard case .failure(.refused(let text)) = await fixture.ask("HGET", "n", "f") else {
            return #expect(Bool(false), "an invalid command succeeded")
        }
        #expect(text.hasPrefix("WRONGTYPE"))
        await fixture.close()
    }

    @Test func `commands fail at once without a server, and a server that starts is found`() async throws {
        let server = try #require(await RedisServer())
        server.end()
        let fixture = try ClientFixture(server.url)
        #expect(await fixture.ask("PING") == .failure(.disconnected))
        #expect(await eventually { fixture.states.withLock { $0.count >= 2 } }, "it keeps retrying")
        #expect(await server.start())
        #expect(await fixture.isConnected())
        await fixture.close()
    }

    @Test func `pending commands fail when the server dies, and the client reconnects later`() async throws {
        let server = try #require(await RedisServer())
        let fixture = try ClientFixture(server.url)
        #expect(await fixture.isConnected())
        server.freeze()
        let (answers, feed) = AsyncStream.makeStream(of: Result<RedisReply, RedisError>.self)
        fixture.client.send([Array("PING".utf8)], within: .seconds(30)) { feed.yield($0) }
        // The command has been sent after another iteration of the loop.
        await withCheckedContinuation { sent in fixture.client.loop.execute { sent.resume() } }
        server.end()
        var answer = answers.makeAsyncIterator()
        #expect(await answer.next() == .failure(.closed))
        #expect(await fixture.isAway())
        let back = ContinuousClock.now
        #expect(await server.start())
        #expect(await fixture.isConnected())
        #expect(back.duration(to: .now) < .seconds(5))
        await fixture.close()
    }

    @Test func `a hung server is disconnected after a few timeouts`() async throws {
        let server = try #require(await RedisServer())
        let fixture = try ClientFixture(server.url) { $0.longestSilence = .milliseconds(80) }
        #expect(await fixture.isConnected())
        server.freeze()
        var outcomes: [Result<RedisReply, RedisError>] = []
        repeat {
            outcomes.append(await fixture.ask("PING", within: .milliseconds(30)))
        } while outcomes.last == .failure(.timedOut) && outcomes.count < 20
        // On a busy machine, fewer timeouts take as long.
        #expect(outcomes.first == .failure(.timedOut) && outcomes.count <= 4)
        #expect(await fixture.ask("PING", within: .seconds(30)) == .failure(.disconnected))
        server.wake()
        #expect(await fixture.isConnected())
        #expect(await fixture.ask("PING") == .success(.bytes(Array("PONG".utf8))))
        await fixture.close()
    }

    @Test func `a hung server is detected even without commands`() async throws {
        let server = try #require(await RedisServer())
        let fixture = try ClientFixture(server.url)
        #expect(await fixture.isConnected())
        server.freeze()
        #expect(await fixture.isAway())
        await fixture.close()
    }

    @Test func `simultaneous timeouts do not end a connection that was silent only briefly`() async throws {
        let server = try #require(await RedisServer())
        let fixture = try ClientFixture(server.url) { $0.longestSilence = .seconds(5) }
        #expect(await fixture.isConnected())
        server.freeze()
        let outcomes = Guarded<[Result<RedisReply, RedisError>]>([])
        for _ in 0..<20 {
            fixture.client.send([Array("PING".utf8)], within: .milliseconds(20)) { outcome in
                outcomes.withLock { $0.append(outcome) }
            }
        }
        #expect(await eventually { outcomes.withLock { $0.count } == 20 })
        #expect(outcomes.withLock { $0.allSatisfy { $0 == .failure(.timedOut) } })
        server.wake()
        #expect(await fixture.ask("PING") == .success(.bytes(Array("PONG".utf8))))
        #expect(fixture.states.withLock { $0 } == [.connected])
        await fixture.close()
    }

    @Test func `a late reply is reported after the timeout, and so is the loss of the connection`() async throws {
        let server = try #require(await RedisServer())
        let fixture = try ClientFixture(server.url) { $0.longestSilence = .seconds(5) }
        #expect(await fixture.isConnected())
        for isKilled in [false, true] {
            server.freeze()
            let told = Guarded<[Result<RedisReply, RedisError>]>([])
            fixture.client.send([Array("PING".utf8)], within: .milliseconds(20)) { outcome in
                told.withLock { $0.append(outcome) }
            } answer: { outcome in
                told.withLock { $0.append(outcome) }
            }
            #expect(await eventually { told.withLock { $0 } == [.failure(.timedOut)] })
            if isKilled { server.end() } else { server.wake() }
            #expect(await eventually { told.withLock { $0.count } == 2 })
            let expected: Result<RedisReply, RedisError> =
                isKilled ? .failure(.closed) : .success(.bytes(Array("PONG".utf8)))
            #expect(told.withLock { $0.last } == expected)
        }
        await fixture.close()
    }

    @Test func `commands beyond the queue limits fail at once`() async throws {
        let server = try #require(await RedisServer())
        let fixture = try ClientFixture(server.url) {
            $0.longestSilence = .seconds(5)
            $0.maximumPending = 2
            $0.maximumPendingBytes = 1_000
        }
        #expect(await fixture.isConnected())
        #expect(
            await fixture.ask([Array("SET".utf8), [1], .init(repeating: 0, count: 1_000)]) == .failure(.overloaded))
        server.freeze()
        async let first = fixture.ask("PING", within: .milliseconds(400))
        async let second = fixture.ask("PING", within: .milliseconds(400))
        async let third = fixture.ask("PING", within: .milliseconds(400))
        let answers = await [first, second, third]
        #expect(answers.count { $0 == .failure(.overloaded) } == 1)
        #expect(answers.count { $0 == .failure(.timedOut) } == 2)
        await fixture.close()
    }

    @Test func `a script runs even on a server that has not cached it`() async throws {
        let server = try #require(await RedisServer())
        let fixture = try ClientFixture(server.url)
        #expect(await fixture.isConnected())
        let script = RedisScript("return {KEYS[1], ARGV[1], redis.sha1hex('')}")
        for _ in 0..<2 {
            for _ in 0..<2 {
                let result = await withCheckedContinuation { continuation in
                    fixture.client.run(script, keys: [[1]], arguments: [[2]], within: .seconds(5)) {
                        continuation.resume(returning: $0)
                    }
                }
                #expect(try result.get().list?.prefix(2) == [.bytes([1]), .bytes([2])])
            }
            _ = await fixture.ask("SCRIPT", "FLUSH")
        }
        await fixture.close()
    }

    @Test func `a subscription receives messages, even after its server restarted`() async throws {
        let server = try #require(await RedisServer())
        let fixture = try ClientFixture(server.url)
        let begun = Guarded(0)
        let received = Guarded<[[UInt8]]>([])
        fixture.client.subscribe(to: "news") { change in
            if change == .connected { begun.withLock { $0 += 1 } }
        } received: { message in
            received.withLock { $0.append(message) }
        }
        #expect(await fixture.isConnected())
        #expect(await eventually { begun.withLock { $0 } == 1 })
        _ = await fixture.ask("PUBLISH", "news", "one")
        #expect(await eventually { received.withLock { $0 } == [Array("one".utf8)] })
        server.end()
        #expect(await fixture.isAway())
        #expect(await server.start())
        #expect(await eventually { begun.withLock { $0 } == 2 })
        #expect(await fixture.isConnected())
        _ = await fixture.ask("PUBLISH", "news", "two")
        #expect(await eventually { received.withLock { $0.last } == Array("two".utf8) })
        await fixture.close()
    }

    @Test func `the password and database are sent, and a wrong password never connects`() async throws {
        let server = try #require(await RedisServer("--requirepass", "hunter2"))
        let fixture = try ClientFixture("redis://:hunter2@127.0.0.1:\(server.port)/3")
        #expect(await fixture.isConnected())
        guard case .success(let reply) = await fixture.ask("CLIENT", "INFO") else {
            return #expect(Bool(false), "CLIENT INFO failed")
        }
        #expect(reply.text?.contains(" db=3 ") == true)
        let wrong = try ClientFixture("redis://:hunter3@127.0.0.1:\(server.port)")
        #expect(await eventually { wrong.states.withLock { $0.count >= 2 } })
        #expect(!wrong.client.isConnected)
        for case .disconnected(let why) in wrong.states.withLock({ $0 }) {
            #expect(why.contains("AUTH") && !why.contains("hunter"))
        }
        await fixture.close()
        await wrong.close()
    }

    @Test func `a server that becomes a replica is left, and used again once it is the master`() async throws {
        let server = try #require(await RedisServer())
        let fixture = try ClientFixture(server.url)
        #expect(await fixture.isConnected())
        // Nothing replicates from this port, but the server is read-only at once.
        #expect(await fixture.ask("REPLICAOF", "127.0.0.1", "1") == .success(.bytes(Array("OK".utf8))))
        guard case .failure(.refused(let text)) = await fixture.ask("SET", "a", "b") else {
            return #expect(Bool(false), "a replica was written to")
        }
        #expect(text.hasPrefix("READONLY"))
        #expect(await fixture.isAway())
        // It stays away: the server says that it is a replica when it is greeted.
        #expect(
            await eventually {
                fixture.states.withLock { $0.suffix(3).count { $0 == .disconnected("it is a read-only replica") } } == 3
            })
        #expect(server.run("REPLICAOF NO ONE") == "+OK\r\n")
        let back = ContinuousClock.now
        #expect(await fixture.isConnected())
        #expect(back.duration(to: .now) < .seconds(5))
        await fixture.close()
    }
}
