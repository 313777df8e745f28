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
        #expect(told.count == 1 && told[0].contains("it refuses SUBSCRIBE: NOPERM"), "\(told)")
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
}
