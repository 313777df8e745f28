import EventLoops
import Loading
import Locking
import Logging
import Metrics
import Origins
import Redis
import TestSupport
import Testing

@testable import Cluster

/// Nodes that agree on how many requests they send to origins.
@Suite(.enabled(if: RedisServer.isInstalled), .timeLimit(.minutes(1))) struct SharedLimitsTests {
    /// Records what a fetcher is told, and reports the refusals that the test provides.
    private final class NotingOrigins: OriginSharing {
        let shares = Guarded<[Int]>([])
        let received = Guarded<[OriginRefusal]>([])
        let onEvent = Guarded<(@Sendable (OriginRefusal) -> Void)?>(nil)

        func share(among nodes: Int) { shares.withLock { $0.append(nodes) } }
        func reportRefusals(to onEvent: @escaping @Sendable (OriginRefusal) -> Void) {
            self.onEvent.withLock { $0 = onEvent }
        }
        func received(_ refusal: OriginRefusal) { received.withLock { $0.append(refusal) } }
    }

    private func node(_ url: String) throws -> (cluster: Cluster, origins: NotingOrigins) {
        let origins = NotingOrigins()
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        let cluster = try Cluster(
            RedisAddress(url), node: NodeTag(), gallery: "test", origins: origins, logger: logger
        ) {}
        cluster.start()
        return (cluster, origins)
    }

    @Test func `each node learns the number of nodes, and when one stops`() async throws {
        let server = try #require(await RedisServer())
        let nodes = try (0..<3).map { _ in try node(server.url) }
        for (cluster, origins) in nodes {
            #expect(await eventually { cluster.status.limits == .shared(nodes: 3) })
            #expect(origins.shares.withLock { $0.first } == .max, "the number of nodes is unknown at first")
            #expect(origins.shares.withLock { $0.last } == 3)
            #expect(cluster.status.readings.valuesByName["nodes"] == 3)
        }
        await nodes[0].cluster.stop()
        for (cluster, _) in nodes[1...] { #expect(await eventually { cluster.status.limits == .shared(nodes: 2) }) }
        for (cluster, _) in nodes[1...] { await cluster.stop() }
    }

    @Test func `during an outage nodes keep their share, and a node that never connected uses its own limits`()
        async throws
    {
        let server = try #require(await RedisServer())
        let nodes = try (0..<2).map { _ in try node(server.url) }
        for (cluster, _) in nodes { #expect(await eventually { cluster.status.limits == .shared(nodes: 2) }) }
        let before = nodes.map { $0.origins.shares.withLock { $0.count } }
        server.end()
        for (cluster, origins) in nodes {
            #expect(await eventually { cluster.status.limits == .kept(nodes: 2) })
            #expect(origins.shares.withLock { $0.last } == 2)
        }
        let late = try node(server.url)
        #expect(await eventually { late.origins.shares.withLock { $0.last } == 1 })
        #expect(late.cluster.status.limits == .own)
        #expect(await server.start())
        for (cluster, _) in nodes + [late] {
            #expect(await eventually { cluster.status.limits == .shared(nodes: 3) })
        }
        for ((_, origins), before) in zip(nodes, before) {
            #expect(!origins.shares.withLock { $0.dropFirst(before) }.contains(1), "a node forgot the others")
        }
        for (cluster, _) in nodes + [late] { await cluster.stop() }
    }

    @Test func `an origin's refusal reaches all other nodes but not its sender`() async throws {
        let server = try #require(await RedisServer())
        let nodes = try (0..<3).map { _ in try node(server.url) }
        for (cluster, _) in nodes {
            #expect(
                await eventually {
                    cluster.status.readings.valuesByName["subscribed"] == 1
                        && cluster.status.readings.valuesByName["connected"] == 1
                })
        }
        let refusal = OriginRefusal(origin: "https://host:443", age: .milliseconds(40))
        nodes[0].origins.onEvent.withLock { $0 }?(refusal)
        for (_, origins) in nodes[1...] { #expect(await eventually { origins.received.withLock { $0 } == [refusal] }) }
        #expect(await eventually { nodes[1].cluster.status.readings.valuesByName["throttlesReceived"] == 1 })
        #expect(await eventually { nodes[0].cluster.status.readings.valuesByName["throttlesSent"] == 1 })
        #expect(nodes[0].origins.received.withLock { $0 }.isEmpty)
        for (cluster, _) in nodes { await cluster.stop() }
    }
}
