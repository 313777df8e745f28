import EventLoops
import Locking
import TestSupport
import Testing

@testable import Redis

@Suite(.enabled(if: RedisServer.isInstalled), .timeLimit(.minutes(1))) struct RedisClientTests {
    @Test func `commands are answered in their order, and bytes of any kind come back as they were`() async throws {
        let server = try #require(await RedisServer())
        let house = try ClientHouse(server.url)
        #expect(await house.isConnected())
        let bytes = (0..<100_000).map { UInt8(truncatingIfNeeded: $0) }
        #expect(await house.ask([Array("SET".utf8), [0, 13, 10], bytes]) == .success(.bytes(Array("OK".utf8))))
        #expect(await house.ask([Array("GET".utf8), [0, 13, 10]]) == .success(.bytes(bytes)))
        #expect(await house.ask("GET", "nothing") == .success(.nothing))
        #expect(await house.ask("INCR", "n") == .success(.integer(1)))
        #expect(await house.ask("MGET", "n", "m") == .success(.list([.bytes([0x31]), .nothing])))
        guard case .failure(.refused(let text)) = await house.ask("HGET", "n", "f") else {
            return #expect(Bool(false), "a wrong command was answered")
        }
        #expect(text.hasPrefix("WRONGTYPE"))
        await house.close()
    }

    @Test func `while nobody listens each command fails at once, and a server that comes is found`() async throws {
        let server = try #require(await RedisServer())
        server.end()
        let house = try ClientHouse(server.url)
        #expect(await house.ask("PING") == .failure(.away))
        #expect(await eventually { house.states.withLock { $0.count >= 2 } }, "it tries again and again")
        #expect(await server.start())
        #expect(await house.isConnected())
        await house.close()
    }

    @Test func `a server that dies fails what waits, and is found when it is back`() async throws {
        let server = try #require(await RedisServer())
        let house = try ClientHouse(server.url)
        #expect(await house.isConnected())
        server.freeze()
        let (answers, feed) = AsyncStream.makeStream(of: Result<RedisReply, RedisError>.self)
        house.client.send([Array("PING".utf8)], within: .seconds(30)) { feed.yield($0) }
        // It is on its way once the loop has turned.
        await withCheckedContinuation { sent in house.client.loop.execute { sent.resume() } }
        server.end()
        var answer = answers.makeAsyncIterator()
        #expect(await answer.next() == .failure(.closed))
        #expect(await house.isAway())
        let back = ContinuousClock.now
        #expect(await server.start())
        #expect(await house.isConnected())
        #expect(back.duration(to: .now) < .seconds(5))
        await house.close()
    }

    @Test func `a server that hangs costs some commands their time, and then it is away`() async throws {
        let server = try #require(await RedisServer())
        let house = try ClientHouse(server.url) { $0.longestSilence = .milliseconds(80) }
        #expect(await house.isConnected())
        server.freeze()
        for _ in 0..<3 { #expect(await house.ask("PING", within: .milliseconds(30)) == .failure(.timedOut)) }
        #expect(await house.ask("PING", within: .seconds(30)) == .failure(.away))
        server.wake()
        #expect(await house.isConnected())
        #expect(await house.ask("PING") == .success(.bytes(Array("PONG".utf8))))
        await house.close()
    }

    @Test func `a server that hangs while nobody asks is found out, too`() async throws {
        let server = try #require(await RedisServer())
        let house = try ClientHouse(server.url)
        #expect(await house.isConnected())
        server.freeze()
        #expect(await house.isAway())
        await house.close()
    }

    @Test func `many commands that run out of time together do not end a connection that was silent for a moment`()
        async throws
    {
        let server = try #require(await RedisServer())
        let house = try ClientHouse(server.url) { $0.longestSilence = .seconds(5) }
        #expect(await house.isConnected())
        server.freeze()
        let outcomes = Guarded<[Result<RedisReply, RedisError>]>([])
        for _ in 0..<20 {
            house.client.send([Array("PING".utf8)], within: .milliseconds(20)) { outcome in
                outcomes.withLock { $0.append(outcome) }
            }
        }
        #expect(await eventually { outcomes.withLock { $0.count } == 20 })
        #expect(outcomes.withLock { $0.allSatisfy { $0 == .failure(.timedOut) } })
        server.wake()
        #expect(await house.ask("PING") == .success(.bytes(Array("PONG".utf8))))
        #expect(house.states.withLock { $0 } == [.connected])
        await house.close()
    }

    @Test func `what comes of a command after its time is told, and that nothing will come is told, too`() async throws
    {
        let server = try #require(await RedisServer())
        let house = try ClientHouse(server.url) { $0.longestSilence = .seconds(5) }
        #expect(await house.isConnected())
        for isKilled in [false, true] {
            server.freeze()
            let told = Guarded<[Result<RedisReply, RedisError>]>([])
            house.client.send([Array("PING".utf8)], within: .milliseconds(20)) { outcome in
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
        await house.close()
    }

    @Test func `so many commands wait, and one more fails at once`() async throws {
        let server = try #require(await RedisServer())
        let house = try ClientHouse(server.url) {
            $0.longestSilence = .seconds(5)
            $0.mostPending = 2
            $0.mostPendingBytes = 1_000
        }
        #expect(await house.isConnected())
        #expect(
            await house.ask([Array("SET".utf8), [1], .init(repeating: 0, count: 1_000)]) == .failure(.crowded))
        server.freeze()
        async let first = house.ask("PING", within: .milliseconds(400))
        async let second = house.ask("PING", within: .milliseconds(400))
        async let third = house.ask("PING", within: .milliseconds(400))
        let answers = await [first, second, third]
        #expect(answers.count { $0 == .failure(.crowded) } == 1)
        #expect(answers.count { $0 == .failure(.timedOut) } == 2)
        await house.close()
    }

    @Test func `a script runs also on a server that has never seen it`() async throws {
        let server = try #require(await RedisServer())
        let house = try ClientHouse(server.url)
        #expect(await house.isConnected())
        let script = RedisScript("return {KEYS[1], ARGV[1], redis.sha1hex('')}")
        for _ in 0..<2 {
            for _ in 0..<2 {
                let result = await withCheckedContinuation { continuation in
                    house.client.run(script, keys: [[1]], arguments: [[2]], within: .seconds(5)) {
                        continuation.resume(returning: $0)
                    }
                }
                #expect(try result.get().list?.prefix(2) == [.bytes([1]), .bytes([2])])
            }
            _ = await house.ask("SCRIPT", "FLUSH")
        }
        await house.close()
    }

    @Test func `a subscription hears what is published, also after its server began anew`() async throws {
        let server = try #require(await RedisServer())
        let house = try ClientHouse(server.url)
        let begun = Guarded(0)
        let heard = Guarded<[[UInt8]]>([])
        house.client.subscribe(to: "news") { change in
            if change == .connected { begun.withLock { $0 += 1 } }
        } heard: { message in
            heard.withLock { $0.append(message) }
        }
        #expect(await house.isConnected())
        #expect(await eventually { begun.withLock { $0 } == 1 })
        _ = await house.ask("PUBLISH", "news", "one")
        #expect(await eventually { heard.withLock { $0 } == [Array("one".utf8)] })
        server.end()
        #expect(await server.start())
        #expect(await eventually { begun.withLock { $0 } == 2 })
        #expect(await house.isConnected())
        _ = await house.ask("PUBLISH", "news", "two")
        #expect(await eventually { heard.withLock { $0.last } == Array("two".utf8) })
        await house.close()
    }

    @Test func `a password and a database are told, and a wrong password is never let in`() async throws {
        let server = try #require(await RedisServer("--requirepass", "hunter2"))
        let house = try ClientHouse("redis://:hunter2@127.0.0.1:\(server.port)/3")
        #expect(await house.isConnected())
        guard case .success(let reply) = await house.ask("CLIENT", "INFO") else {
            return #expect(Bool(false), "the server says nothing of its client")
        }
        #expect(reply.text?.contains(" db=3 ") == true)
        let wrong = try ClientHouse("redis://:hunter3@127.0.0.1:\(server.port)")
        #expect(await eventually { wrong.states.withLock { $0.count >= 2 } })
        #expect(!wrong.client.isConnected)
        for case .away(let why) in wrong.states.withLock({ $0 }) {
            #expect(why.contains("AUTH") && !why.contains("hunter"))
        }
        await house.close()
        await wrong.close()
    }
}
