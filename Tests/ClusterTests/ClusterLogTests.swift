import Loading
import Locking
import Logging
import Metrics
import Redis
import TestSupport
import Testing

@testable import Cluster

/// Problems with a server are logged, once each.
@Suite(.timeLimit(.minutes(1))) struct ClusterLogTests {
    private func cluster(_ server: FakeRedis) throws -> (Cluster, LogRecorder) {
        let log = LogRecorder()
        let cluster = try Cluster(
            RedisAddress(server.url), node: NodeTag(), gallery: "test", logger: log.logger
        ) {}
        cluster.start()
        return (cluster, log)
    }

    /// A server that refuses everything but the greeting, with an error for each command's name.
    private func refusing(_ error: @escaping @Sendable (String) -> String) -> FakeRedis {
        FakeRedis { conversation in
            while let words = conversation.command() {
                switch words[0] {
                case "PING", "HELLO": conversation.say("+PONG\r\n")
                case "SUBSCRIBE": conversation.subscribed(to: words[1])
                default: conversation.say("-\(error(words[0]))\r\n")
                }
            }
        }
    }

    @Test func `a refused subscription is logged once, however often it is retried`() async throws {
        let refusals = Guarded(0)
        let server = FakeRedis { conversation in
            while let words = conversation.command() {
                guard words[0] == "SUBSCRIBE" else {
                    conversation.say("+PONG\r\n")
                    continue
                }
                refusals.withLock { $0 += 1 }
                conversation.say("-NOPERM no permission\r\n")
            }
        }
        let (cluster, log) = try cluster(server)
        #expect(await eventually { refusals.withLock { $0 } >= 6 })
        #expect(
            cluster.status.readings.valuesByName["subscribed"] == 0
                && cluster.status.readings.valuesByName["connected"] == 1)
        let told = log.lines
        #expect(told.count == 1 && told[0].contains("it rejected SUBSCRIBE: NOPERM"), "\(told)")
        await cluster.stop()
        server.close()
    }

    @Test func `a server that keeps closing accepted connections is logged once`() async throws {
        let server = FakeRedis { $0.greet() }
        let (cluster, log) = try cluster(server)
        #expect(await eventually { server.connections >= 12 })
        let told = log.lines.filter { $0.contains("Redis is unreachable") }
        #expect(told.count == 1, "\(told)")
        #expect(log.lines.count <= 2)
        await cluster.stop()
        server.close()
    }

    @Test func `a refused command is counted each time, and logged once with what to do`() async throws {
        let server = refusing { "NOPERM this user has no permissions to run the '\($0)' command" }
        let (cluster, log) = try cluster(server)
        #expect(await eventually { cluster.status.readings.valuesByName["refusedNoPermission"]! >= 2 })
        #expect(cluster.status.isConnected && cluster.status.reason == nil)
        let told = log.lines.filter { $0.contains("Redis refuses commands") }
        #expect(told.count == 1 && told[0].contains("missing permission") && told[0].contains("'EVAL'"), "\(log.lines)")
        await cluster.stop()
        server.close()
    }

    /// Redis refuses every command that might need memory, whoever sends it first.
    @Test func `a full Redis is noticed by whichever command meets it`() async throws {
        let server = refusing { _ in "OOM command not allowed when used memory > 'maxmemory'." }
        let (cluster, log) = try cluster(server)
        #expect(await eventually { cluster.status.readings.valuesByName["full"] == 1 })
        #expect(await eventually { cluster.status.readings.valuesByName["refusedNoMemory"]! >= 2 })
        #expect(log.lines.count { $0.contains("Redis is full") } == 1 && !log.lines.contains { $0.contains("refuses") })
        await cluster.stop()
        server.close()
    }

    @Test(.enabled(if: RedisServer.isInstalled))
    func `a node says which gallery it serves, and which others use the same Redis`() async throws {
        let server = try #require(await RedisServer())
        var clusters: [Cluster] = []
        func start(_ gallery: String) throws -> LogRecorder {
            let log = LogRecorder(from: .notice)
            clusters.append(
                try Cluster(RedisAddress(server.url), node: NodeTag(), gallery: gallery, logger: log.logger) {})
            clusters[clusters.count - 1].start()
            return log
        }
        let first = try start("one")
        #expect(
            await eventually {
                first.lines.contains { $0.contains("serves the gallery one and is its only node now.") }
            })
        let second = try start("one")
        #expect(
            await eventually { second.lines.contains { $0.contains("the gallery one and is one of its 2 nodes.") } })
        let other = try start("two")
        #expect(await eventually { other.lines.contains { $0.contains("Redis is also used for one.") } })
        #expect(await eventually { first.lines.contains { $0.contains("Redis is also used for two.") } })
        await clusters[2].stop()
        // The other gallery's last heartbeat has expired, and it is not told again.
        #expect(await eventually { first.lines.count { $0.contains("serves the gallery one") } == 3 })
        #expect(first.lines.count { $0.contains("also used") } == 1)
        for cluster in clusters.prefix(2) { await cluster.stop() }
    }

    /// The status is for everybody; the log is for the operator.
    @Test func `the status tells the code of a refusal, and the log its words`() async throws {
        let server = FakeRedis { conversation in
            while conversation.command() != nil { conversation.say("-NOPERM User anna has no permissions\r\n") }
        }
        let (cluster, log) = try cluster(server)
        #expect(await eventually { cluster.status.reason == "it rejected PING: NOPERM" })
        #expect(await eventually { log.lines.contains { $0.contains("User anna has no permissions") } })
        await cluster.stop()
        server.close()
    }
}
