import EventLoops
import Images
import Loading
import Locking
import Redis
import Renditions
import Scheduling
import TestSupport

@testable import Cluster

/// One node on a test's server, without a gallery.
final class NodeFixture: Sendable {
    let client: RedisClient
    let leases: RedisCoordination
    let tier: RedisRenditionTier
    /// What the tier reported about the server's memory.
    let fullness = Guarded<[Bool]>([])

    init(_ server: RedisServer) async throws {
        client = try RedisClient(RedisAddress(server.url), loop: EventLoop(label: "test.node"))
        let keys = RedisKeys(gallery: "test")
        leases = RedisCoordination(client: client, keys: keys) {}
        tier = RedisRenditionTier(client: client, keys: keys) { [fullness] isFull in
            fullness.withLock { $0.append(isFull) }
        }
        client.start()
        leases.start()
        _ = await eventually { client.isConnected }
    }

    /// Collects events as they arrive.
    final class Heard: Sendable {
        let news = Guarded<[LeaseEvent]>([])
        let turn = Guarded<(any Lease)?>(nil)

        func first() async -> LeaseEvent? {
            _ = await eventually { news.withLock { !$0.isEmpty } }
            return news.withLock { $0.first }
        }

        func end(_ outcome: LeaseOutcome) { turn.withLock { $0 }?.end(outcome) }
    }

    func ask(_ name: SharedName, bypassesNegativeCache: Bool = false) -> Heard {
        let received = Heard()
        let turn = leases.ask(name, level: .visible, bypassesNegativeCache: bypassesNegativeCache) { news in
            received.news.withLock { $0.append(news) }
        }
        received.turn.withLock { $0 = turn }
        return received
    }

    func find(_ name: SharedName, on occasion: LookupOccasion = .first) async -> SharedRendition? {
        await withCheckedContinuation { continuation in
            tier.find(name, listed: nil, on: occasion) { continuation.resume(returning: $0) }
        }
    }

    /// Returns whether the rendition was stored.
    @discardableResult
    func store(_ rendition: SharedRendition, as name: SharedName, fence: UInt64) async -> Bool {
        await withCheckedContinuation { continuation in
            tier.store(rendition, as: name, listed: nil, fence: fence) { continuation.resume(returning: $0) }
        }
    }

    /// Sends the server a command, and returns its reply.
    @discardableResult
    func announce(_ words: String...) async -> RedisReply? {
        await withCheckedContinuation { continuation in
            client.send(words.map { Array($0.utf8) }, within: .seconds(5)) {
                continuation.resume(returning: try? $0.get())
            }
        }
    }

    /// Disconnects without telling anyone, like a killed process.
    func die() async { await client.stop(within: .zero) }

    func close() async {
        leases.stop()
        await client.stop()
        await client.loop.stop()
    }
}

extension LeaseEvent {
    var fence: UInt64? {
        if case .granted(let fence) = self { fence } else { nil }
    }
}
