import Loading
import Locking
import Logging
import Redis
import TestSupport
import Testing

@testable import Cluster

/// What goes wrong with a server is in the log, and once.
@Suite(.timeLimit(.minutes(1))) struct ClusterLogTests {
    /// Keeps every warning.
    private struct Ear: LogHandler {
        let lines: Guarded<[String]>
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.warning

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) { lines.withLock { $0.append("\(event.message) \(event.metadata ?? [:])") } }
    }

    private func cluster(_ server: FakeRedis) throws -> (Cluster, lines: Guarded<[String]>) {
        let lines = Guarded<[String]>([])
        let logger = Logger(label: "test") { _ in Ear(lines: lines) }
        let cluster = try Cluster(
            RedisAddress(server.url), node: NodeTag(), gallery: "test", logger: logger
        ) {}
        cluster.start()
        return (cluster, lines)
    }

    @Test func `a refused subscription is told of once, though it is tried again and again`() async throws {
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
        let (cluster, lines) = try cluster(server)
        #expect(await eventually { refusals.withLock { $0 } >= 6 })
        #expect(cluster.status.figures["hearing"] == 0 && cluster.status.figures["connected"] == 1)
        let told = lines.withLock { $0 }
        #expect(told.count == 1 && told[0].contains("it refuses SUBSCRIBE: NOPERM"), "\(told)")
        await cluster.stop()
        server.close()
    }

    @Test func `a server that throws out whom it let in is told of once`() async throws {
        let server = FakeRedis { $0.greet() }
        let (cluster, lines) = try cluster(server)
        #expect(await eventually { server.connections >= 12 })
        let told = lines.withLock { $0.filter { $0.contains("Redis is away") } }
        #expect(told.count == 1, "\(told)")
        #expect(lines.withLock { $0.count } <= 2)
        await cluster.stop()
        server.close()
    }
}
