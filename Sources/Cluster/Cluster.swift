import EventLoops
public import Loading
import Locking
public import Logging
public import Redis

/// Several nodes of one gallery, that agree by way of one Redis: who makes what, what is hot, and when sources are to be
/// read again.
///
/// Nodes come and go as they like. While the server is away each of them goes on alone, and says so.
public final class Cluster: Sendable {
    private let client: RedisClient
    private let turns: RedisCoordination
    private let renditions: RedisRenditionTier
    private let address: RedisAddress
    private let state = Guarded(State())
    private let logger: Logger

    private struct State {
        var isConnected = false
        /// Of what was logged last; nil in the beginning.
        var toldConnected: Bool?
        var timesAway = 0
    }

    /// How it fares.
    public struct Status: Hashable, Sendable {
        /// Whether the server is there; if not, this node goes on alone.
        public let isConnected: Bool
        /// What this node calls itself.
        public let node: String
        /// The figures, by their names.
        public let figures: [String: Int]
    }

    /// - Parameters:
    ///   - gallery: A name that all nodes of this gallery have, and no other gallery on the same server.
    ///   - onLook: Another node was told to read its sources again. Called on any thread; must not block.
    /// - Throws: an error of the loop when the process has no descriptors left.
    public init(
        _ address: RedisAddress, gallery: String, logger: Logger, onLook: @escaping @Sendable () -> Void
    ) throws {
        self.address = address
        self.logger = logger
        let keys = Keys(gallery: gallery)
        client = try RedisClient(address, loop: EventLoop(label: "tessera.redis"))
        turns = RedisCoordination(client: client, keys: keys, onLook: onLook)
        renditions = RedisRenditionTier(client: client, keys: keys)
    }

    private func changed(_ change: RedisClient.State) {
        let isConnected = change == .connected
        let isNews = state.withLock { state in
            if state.isConnected, !isConnected { state.timesAway += 1 }
            state.isConnected = isConnected
            defer { state.toldConnected = isConnected }
            return state.toldConnected != isConnected
        }
        guard isNews else { return }
        switch change {
        case .connected: logger.notice("Redis is there.", metadata: ["address": "\(address)"])
        case .away(let why):
            logger.warning(
                "Redis is away; this node goes on alone.", metadata: ["address": "\(address)", "reason": "\(why)"])
        }
    }

    public var coordination: any Coordinating { turns }
    public var tier: any RenditionTier { renditions }

    /// Begins to connect; returns at once.
    public func start() {
        client.start { [weak self] change in
            guard let self else { return }
            changed(change)
            if case .away = change { turns.isAway() }
        }
        turns.start()
    }

    /// Gives back what it holds, and closes its connections.
    public func stop() async {
        turns.stop()
        await client.stop()
        await client.loop.stop()
    }

    /// Has all other nodes read their sources again.
    public func tellLook() { turns.tellLook() }

    /// From any thread; costs next to nothing.
    public var status: Status {
        let (isConnected, timesAway) = state.withLock { ($0.isConnected, $0.timesAway) }
        let turns = turns.figures
        let renditions = renditions.figures
        return Status(
            isConnected: isConnected, node: self.turns.node,
            figures: [
                "connected": isConnected ? 1 : 0, "timesAway": timesAway, "turnsHeld": turns.held,
                "waiting": turns.waiting, "turns": turns.counts.turns, "waits": turns.counts.waits,
                "turnsLost": turns.counts.lost, "renditionsFound": renditions.hits,
                "renditionsNotFound": renditions.misses, "renditionsKept": renditions.kept,
            ])
    }
}
