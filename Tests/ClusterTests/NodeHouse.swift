import EventLoops
import Images
import Loading
import Locking
import Redis
import Renditions
import Scheduling
import TestSupport

@testable import Cluster

/// One node on a server of the test's own, without a gallery.
final class NodeHouse: Sendable {
    let client: RedisClient
    let turns: RedisCoordination
    let tier: RedisRenditionTier
    /// What the tier said of the server's room.
    let fullness = Guarded<[Bool]>([])

    init(_ server: RedisServer) async throws {
        client = try RedisClient(RedisAddress(server.url), loop: EventLoop(label: "test.node"))
        let keys = Keys(gallery: "test")
        turns = RedisCoordination(client: client, keys: keys) {}
        tier = RedisRenditionTier(client: client, keys: keys) { [fullness] isFull in
            fullness.withLock { $0.append(isFull) }
        }
        client.start()
        turns.start()
        _ = await eventually { client.isConnected }
    }

    /// What is heard, as it comes.
    final class Heard: Sendable {
        let news = Guarded<[TurnNews]>([])
        let turn = Guarded<(any Turn)?>(nil)

        func first() async -> TurnNews? {
            _ = await eventually { news.withLock { !$0.isEmpty } }
            return news.withLock { $0.first }
        }

        func end(_ outcome: TurnOutcome) { turn.withLock { $0 }?.end(outcome) }
    }

    func ask(_ name: SharedName, insists: Bool = false) -> Heard {
        let heard = Heard()
        let turn = turns.ask(name, urgency: .visible, insists: insists) { news in
            heard.news.withLock { $0.append(news) }
        }
        heard.turn.withLock { $0 = turn }
        return heard
    }

    func find(_ name: SharedName, on occasion: LookOccasion = .first) async -> SharedRendition? {
        await withCheckedContinuation { continuation in
            tier.find(name, listed: nil, on: occasion) { continuation.resume(returning: $0) }
        }
    }

    /// Whether it is kept.
    @discardableResult
    func keep(_ rendition: SharedRendition, as name: SharedName, fence: UInt64) async -> Bool {
        await withCheckedContinuation { continuation in
            tier.keep(rendition, as: name, listed: nil, fence: fence) { continuation.resume(returning: $0) }
        }
    }

    /// Has the server do something; what it answers.
    @discardableResult
    func tell(_ words: String...) async -> RedisReply? {
        await withCheckedContinuation { continuation in
            client.send(words.map { Array($0.utf8) }, within: .seconds(5)) {
                continuation.resume(returning: try? $0.get())
            }
        }
    }

    /// Without a word to anybody, as one that is killed.
    func die() async { await client.stop(within: .zero) }

    func close() async {
        turns.stop()
        await client.stop()
        await client.loop.stop()
    }
}

extension TurnNews {
    var fence: UInt64? {
        if case .mine(let fence) = self { fence } else { nil }
    }
}
