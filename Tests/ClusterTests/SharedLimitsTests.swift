import EventLoops
import Loading
import Locking
import Logging
import Origins
import Redis
import TestSupport
import Testing

@testable import Cluster

/// Nodes that agree on how much they ask of origins.
@Suite(.enabled(if: RedisServer.isInstalled), .timeLimit(.minutes(1))) struct SharedLimitsTests {
    /// Notes what a fetcher is told, and says what the test has refused.
    private final class NotingOrigins: OriginSharing {
        let shares = Guarded<[Int]>([])
        let heard = Guarded<[OriginRefusal]>([])
        let hear = Guarded<(@Sendable (OriginRefusal) -> Void)?>(nil)

        func share(among nodes: Int) { shares.withLock { $0.append(nodes) } }
        func tellRefusals(to hear: @escaping @Sendable (OriginRefusal) -> Void) { self.hear.withLock { $0 = hear } }
        func heard(_ refusal: OriginRefusal) { heard.withLock { $0.append(refusal) } }
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

    @Test func `each node learns how many there are, and of one that was stopped`() async throws {
        let server = try #require(await RedisServer())
        let nodes = try (0..<3).map { _ in try node(server.url) }
        for (cluster, origins) in nodes {
            #expect(await eventually { cluster.status.limits == .shared(nodes: 3) })
            #expect(origins.shares.withLock { $0.first } == .max, "nothing is known in the beginning")
            #expect(origins.shares.withLock { $0.last } == 3)
            #expect(cluster.status.figures["nodes"] == 3)
        }
        await nodes[0].cluster.stop()
        for (cluster, _) in nodes[1...] { #expect(await eventually { cluster.status.limits == .shared(nodes: 2) }) }
        for (cluster, _) in nodes[1...] { await cluster.stop() }
    }

    @Test func `while the server is away a node keeps its share, and one that never found it goes by its own limits`()
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
            #expect(!origins.shares.withLock { $0.dropFirst(before) }.contains(1), "the server forgot, and no node did")
        }
        for (cluster, _) in nodes + [late] { await cluster.stop() }
    }

    @Test func `what one is refused all others hear, and it does not hear itself`() async throws {
        let server = try #require(await RedisServer())
        let nodes = try (0..<3).map { _ in try node(server.url) }
        for (cluster, _) in nodes {
            #expect(
                await eventually { cluster.status.figures["hearing"] == 1 && cluster.status.figures["connected"] == 1 })
        }
        let refusal = OriginRefusal(origin: "https://host:443", age: .milliseconds(40))
        nodes[0].origins.hear.withLock { $0 }?(refusal)
        for (_, origins) in nodes[1...] { #expect(await eventually { origins.heard.withLock { $0 } == [refusal] }) }
        #expect(await eventually { nodes[1].cluster.status.figures["refusalsHeard"] == 1 })
        #expect(await eventually { nodes[0].cluster.status.figures["refusalsTold"] == 1 })
        #expect(nodes[0].origins.heard.withLock { $0 }.isEmpty)
        for (cluster, _) in nodes { await cluster.stop() }
    }
}
