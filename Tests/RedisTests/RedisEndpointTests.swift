import EventLoops
import Glibc
import Locking
import TestSupport
import Testing

@testable import Redis

/// Servers behind TLS, a Unix socket, several addresses or Sentinels.
@Suite(.enabled(if: RedisServer.isInstalled && TestCertificate.isInstalled), .timeLimit(.minutes(1)))
struct RedisEndpointTests {
    private static let ok = RedisReply.bytes(Array("OK".utf8))

    /// The reason that the client gives for its first failure.
    private func reason(_ url: String) async throws -> String? {
        let fixture = try ClientFixture(url)
        _ = await eventually { fixture.states.withLock { !$0.isEmpty } }
        await fixture.close()
        guard case .disconnected(let reason)? = fixture.states.withLock({ $0.first }) else { return nil }
        return reason
    }

    // MARK: - TLS

    @Test func `commands, large values and subscriptions work over TLS`() async throws {
        let certificate = try #require(TestCertificate())
        let server = try #require(await RedisServer(certificate: certificate))
        let fixture = try ClientFixture("rediss://127.0.0.1:\(server.port)?ca=\(certificate.file)")
        #expect(await fixture.isConnected())
        let bytes = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        #expect(await fixture.ask([Array("SET".utf8), Array("large".utf8), bytes]) == .success(Self.ok))
        #expect(await fixture.ask("GET", "large") == .success(.bytes(bytes)))
        for number in 1...200 { #expect(await fixture.ask("INCR", "n") == .success(.integer(Int64(number)))) }
        let received = Guarded<[[UInt8]]>([])
        let isSubscribed = Guarded(false)
        fixture.client.subscribe(to: "news") { state in
            isSubscribed.withLock { $0 = state == .connected }
        } received: { message in
            received.withLock { $0.append(message) }
        }
        #expect(await eventually { isSubscribed.withLock { $0 } })
        #expect(await fixture.ask([Array("PUBLISH".utf8), Array("news".utf8), bytes]) == .success(.integer(1)))
        #expect(await eventually { received.withLock { $0 } == [bytes] })
        server.end()
        #expect(await fixture.isAway())
        #expect(await server.start())
        #expect(await fixture.isConnected())
        await fixture.close()
    }

    @Test func `a server with an invalid certificate is rejected, with the reason`() async throws {
        let certificate = try #require(TestCertificate("DNS:cache.example"))
        let other = try #require(TestCertificate())
        let server = try #require(await RedisServer(certificate: certificate))
        let url = "rediss://127.0.0.1:\(server.port)"
        let refused = "its certificate was rejected: "
        #expect(try await reason(url + "?ca=\(other.file)") == refused + "self-signed certificate")
        #expect(try await reason(url)?.hasPrefix(refused) == true)
        #expect(try await reason(url + "?ca=\(certificate.file)") == refused + "IP address mismatch")
        let missing = try await reason(url + "?ca=/none")
        #expect(missing == "the certificate authorities cannot be read from /none: No such file or directory")
        let trusting = try ClientFixture(url + "?verify=no")
        #expect(await trusting.isConnected())
        await trusting.close()
    }

    @Test func `a server that asks for a certificate gets the client's`() async throws {
        let certificate = try #require(TestCertificate())
        let own = try #require(TestCertificate())
        let server = try #require(
            await RedisServer(
                certificate: certificate, "--tls-auth-clients", "yes", "--tls-ca-cert-file", own.file))
        let url = "rediss://127.0.0.1:\(server.port)?ca=\(certificate.file)"
        #expect(try await reason(url)?.contains("certificate required") == true)
        let fixture = try ClientFixture(url + "&cert=\(own.file)&key=\(own.key)")
        #expect(await fixture.isConnected())
        await fixture.close()
    }

    @Test func `a server without TLS is distinguished from an unreachable one`() async throws {
        // Redis waits for the end of a line.
        let plain = try #require(await RedisServer())
        #expect(
            try await reason("rediss://127.0.0.1:\(plain.port)") == "it did not complete the TLS handshake in time")
        let other = FakeRedis { conversation in
            conversation.say("-ERR\r\n")
            conversation.ignoreBytes()
        }
        #expect(try await reason("rediss://127.0.0.1:\(other.port)") == "TLS failed: wrong version number")
        other.close()
        #expect(try await reason("redis://127.0.0.1:\(Loopback.freePort())")?.contains("refused") == true)
    }

    // MARK: - Unix sockets

    @Test func `a server is reached over its Unix socket`() async throws {
        let path = "/tmp/tessera-redis-\(getpid()).sock"
        #expect(try await reason("unix://\(path)") == "the connection could not be opened: No such file or directory")
        let server = try #require(await RedisServer("--unixsocket", path))
        defer { unlink(path) }
        let fixture = try ClientFixture("unix://\(path)?db=2")
        #expect(await fixture.isConnected())
        #expect(await fixture.ask("SET", "a", "b") == .success(Self.ok))
        server.end()
        #expect(await fixture.isAway())
        await fixture.close()
    }

    // MARK: - Several servers

    @Test func `the master is used, wherever it is in the list`() async throws {
        let dead = try #require(await RedisServer())
        dead.end()
        let master = try #require(await RedisServer())
        let replica = try #require(await RedisServer("--replicaof", "127.0.0.1 \(master.port)"))
        for ports in [[master.port, replica.port, dead.port], [dead.port, replica.port, master.port]] {
            let url = "redis://" + ports.map { "127.0.0.1:\($0)" }.joined(separator: ",")
            let fixture = try ClientFixture(url)
            #expect(await fixture.isConnected())
            #expect(await fixture.ask("SET", "a", "b") == .success(Self.ok))
            await fixture.close()
        }
        let reason = try await reason("redis://127.0.0.1:\(dead.port),127.0.0.1:\(replica.port)")
        #expect(
            reason == "127.0.0.1:\(dead.port): the connection was refused: Connection refused; "
                + "127.0.0.1:\(replica.port): it is a read-only replica")
    }

    @Test func `after a failover the new master is found among the servers`() async throws {
        let first = try #require(await RedisServer())
        let second = try #require(await RedisServer("--replicaof", "127.0.0.1 \(first.port)"))
        let fixture = try ClientFixture("redis://127.0.0.1:\(first.port),127.0.0.1:\(second.port)")
        #expect(await fixture.isConnected())
        #expect(second.run("REPLICAOF NO ONE")?.hasPrefix("+OK") == true)
        first.freeze()
        defer { first.wake() }
        #expect(await eventually { await fixture.ask("SET", "who", "second") == .success(Self.ok) })
        #expect(second.run("GET who")?.contains("second") == true)
        await fixture.close()
    }

    @Test func `a replica that does not report its role is left for another server`() async throws {
        let replica = FakeRedis { conversation in
            while let words = conversation.command() {
                switch words[0] {
                case "HELLO": conversation.say("-NOPERM no permission\r\n")
                case "SET": conversation.say("-READONLY You can't write against a read only replica.\r\n")
                default: conversation.say("+PONG\r\n")
                }
            }
        }
        let master = try #require(await RedisServer())
        let fixture = try ClientFixture("redis://127.0.0.1:\(replica.port),127.0.0.1:\(master.port)")
        #expect(await fixture.isConnected())
        #expect(await eventually { await fixture.ask("SET", "a", "b") == .success(Self.ok) })
        #expect(master.run("GET a")?.contains("b") == true)
        await fixture.close()
        replica.close()
    }

    // MARK: - Sentinel

    /// A Sentinel that watches one master alone, in a temporary folder.
    private final class Sentinel {
        let port: UInt16
        private let file: String
        private let process: pid_t

        init?(watching master: UInt16) async {
            port = Loopback.freePort()
            file = "/tmp/tessera-sentinel-\(port).conf"
            let lines = [
                "port \(port)", "bind 127.0.0.1", "dir /tmp", "sentinel monitor gallery 127.0.0.1 \(master) 1",
                "sentinel down-after-milliseconds gallery 300", "sentinel failover-timeout gallery 2000",
            ]
            guard let text = fopen(file, "w") else { return nil }
            fputs(lines.joined(separator: "\n") + "\n", text)
            fclose(text)
            guard let process = Subprocess.spawn(["/usr/bin/redis-server", file, "--sentinel"]) else { return nil }
            self.process = process
            let port = port
            guard await eventually({ Loopback.isListening(port) }) else { return nil }
        }

        deinit {
            kill(process, SIGKILL)
            waitpid(process, nil, 0)
            unlink(file)
        }

        func run(_ command: String) -> String? { RedisServer.run(command, port: port) }
    }

    @Test func `Sentinels name the master, and name another after a failover`() async throws {
        let first = try #require(await RedisServer())
        let second = try #require(await RedisServer("--replicaof", "127.0.0.1 \(first.port)"))
        let sentinel = try #require(await Sentinel(watching: first.port))
        let dead = Loopback.freePort()
        let fixture = try ClientFixture(
            "redis-sentinel://127.0.0.1:\(dead),127.0.0.1:\(sentinel.port)?master=gallery")
        #expect(await fixture.isConnected())
        #expect(await fixture.ask("SET", "who", "first") == .success(Self.ok))
        #expect(first.run("GET who")?.contains("first") == true)
        // A failover needs a replica that the Sentinel knows and that has the master's data.
        #expect(await eventually { sentinel.run("SENTINEL REPLICAS gallery")?.contains("\(second.port)") == true })
        #expect(await eventually { second.run("GET who")?.contains("first") == true })
        first.end()
        #expect(await eventually { await fixture.ask("SET", "who", "second") == .success(Self.ok) })
        #expect(second.run("GET who")?.contains("second") == true)
        let unknown = try await reason("redis-sentinel://127.0.0.1:\(sentinel.port)?master=other")
        #expect(unknown == "it knows no master named other")
        await fixture.close()
    }

    @Test func `a Sentinel with a password gets the servers' password, and one without does not`() async throws {
        let server = try #require(await RedisServer("--requirepass", "hunter2"))
        let heard = Guarded<[[String]]>([])
        let sentinel = FakeRedis { conversation in
            var isKnown = conversation.number > 0
            while let words = conversation.command() {
                heard.withLock { $0.append(words) }
                switch (words[0], isKnown) {
                case ("AUTH", _):
                    isKnown = true
                    conversation.say("+OK\r\n")
                case (_, false): conversation.say("-NOAUTH Authentication required.\r\n")
                case (_, true):
                    let port = "\(server.port)"
                    conversation.say("*2\r\n$9\r\n127.0.0.1\r\n$\(port.count)\r\n\(port)\r\n")
                }
            }
        }
        let ask = ["SENTINEL", "GET-MASTER-ADDR-BY-NAME", "m"]
        for expected in [[ask, ["AUTH", "hunter2"], ask], [ask]] {
            heard.withLock { $0 = [] }
            let fixture = try ClientFixture("redis-sentinel://:hunter2@127.0.0.1:\(sentinel.port)?master=m") {
                $0.greetingTime = .seconds(30)
            }
            #expect(await fixture.isConnected())
            #expect(heard.withLock { $0 } == expected)
            await fixture.close()
        }
        sentinel.close()
    }

    @Test(arguments: [
        "*2\r\n$9\r\n127.0.0.1\r\n$5\r\n70000\r\n", "*0\r\n", "+OK\r\n", "*2\r\n:1\r\n:2\r\n",
        "*2\r\n$0\r\n\r\n$1\r\n1\r\n",
        "*1\r\n$9\r\n127.0.0.1\r\n", "*2\r\n$9\r\n127.0.0.1\r\n$1\r\n0\r\n", "*2\r\n$3\r\na\u{0}b\r\n$1\r\n1\r\n",
        "*2\r\n$300\r\n" + String(repeating: "a", count: 300) + "\r\n$1\r\n1\r\n",
    ]) func `malformed replies of a Sentinel are rejected`(answer: String) async throws {
        let sentinel = FakeRedis { conversation in
            while conversation.command() != nil { conversation.say(answer) }
        }
        #expect(
            try await reason("redis-sentinel://127.0.0.1:\(sentinel.port)?master=m") == "it knows no master named m")
        sentinel.close()
    }
}
