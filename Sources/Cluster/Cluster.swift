import EventLoops
public import Loading
import Locking
public import Logging
public import Origins
public import Redis

/// Several nodes of one gallery, that agree by way of one Redis: who makes what, what is hot, when sources are to be read
/// again, what becomes of tokens whose requests come to other nodes than their own, and how much origins are asked.
///
/// Nodes come and go as they like. While the server is away each of them goes on alone, and says so.
public final class Cluster: Sendable {
    private let client: RedisClient
    private let turns: RedisCoordination
    private let renditions: RedisRenditionTier
    private let sessions: RedisRelay
    private let nodes: LiveNodes
    private let origins: (any OriginSharing)?
    private let address: RedisAddress
    private let state = Guarded(State())
    private let logger: Logger
    /// Invariant: touched on the client's loop alone.
    nonisolated(unsafe) private let presence: SteadyNews
    nonisolated(unsafe) private let hearing: SteadyNews

    private struct State {
        var isConnected = false
        var timesAway = 0
        /// Since when what the others say is heard.
        var hearsSince: ContinuousClock.Instant?
        /// Attempts to hear them that were in vain or did not hold, in a row.
        var deafAttempts = 0
        var limits = SharedLimits.own
    }

    /// Whoever hears the others for so long has heard them.
    private static let steadyTime = Duration.seconds(5)

    /// How it fares.
    public struct Status: Hashable, Sendable {
        /// Whether the server is there; if not, this node goes on alone.
        public let isConnected: Bool
        /// What this node calls itself.
        public let node: String
        /// By whose limits it asks origins.
        public let limits: SharedLimits
        /// The figures, by their names.
        public let figures: [String: Int]
    }

    /// - Parameters:
    ///   - node: What the sessions and tokens of this node say that they are of.
    ///   - gallery: A name that all nodes of this gallery have, and no other gallery on the same server.
    ///   - origins: Heeds together with the other nodes what origins bear. Until it is known how many there are, or that this
    ///     cannot be known, it asks each origin for one thing at a time.
    ///   - onLook: Another node was told to read its sources again. Called on any thread, as the next is; must not block.
    ///   - onObjects: A store has told another node of objects; with their keys as events have them.
    /// - Throws: an error of the loop when the process has no descriptors left.
    public init(
        _ address: RedisAddress, node: NodeTag, gallery: String, origins: (any OriginSharing)? = nil, logger: Logger,
        onLook: @escaping @Sendable () -> Void,
        onObjects: @escaping @Sendable (_ bucket: String, _ keys: [String]) -> Void = { _, _ in }
    ) throws {
        self.address = address
        self.origins = origins
        self.logger = logger
        let keys = Keys(gallery: gallery)
        client = try RedisClient(address, loop: EventLoop(label: "tessera.redis"))
        sessions = RedisRelay(client: client, keys: keys, node: node)
        turns = RedisCoordination(client: client, keys: keys, onLook: onLook, onObjects: onObjects) {
            origins?.heard($0)
        }
        nodes = LiveNodes(client: client, keys: keys, node: node) { [state] limits in
            state.withLock { $0.limits = limits }
            origins?.share(among: limits.nodes)
        }
        let place: Logger.Metadata = ["address": "\(address)"]
        renditions = RedisRenditionTier(client: client, keys: keys) { isFull in
            if isFull {
                logger.warning("Redis is full; renditions are not shared until it has room.", metadata: place)
            } else {
                logger.notice("Redis has room again.", metadata: place)
            }
        }
        presence = Self.news(
            of: client, logger, place, there: "Redis is there.", away: "Redis is away; this node goes on alone.")
        hearing = Self.news(
            of: client, logger, place, there: "The other nodes are heard again.",
            away: "Redis does not let this node hear the others; what they make is found later.")
    }

    private static func news(
        of client: RedisClient, _ logger: Logger, _ place: Logger.Metadata, there: Logger.Message, away: Logger.Message
    ) -> SteadyNews {
        SteadyNews(loop: client.loop, steadyTime: steadyTime) { state in
            switch state {
            case .connected: logger.notice(there, metadata: place)
            case .away(let why): logger.warning(away, metadata: place.merging(["reason": "\(why)"]) { $1 })
            }
        }
    }

    private func changed(_ change: RedisClient.State) {
        let isConnected = change == .connected
        state.withLock { state in
            if state.isConnected, !isConnected { state.timesAway += 1 }
            state.isConnected = isConnected
        }
        presence.changed(change)
        nodes.changed(isConnected: isConnected)
        if !isConnected { turns.isAway() }
    }

    private func changedHearing(_ change: RedisClient.State) {
        let isNews = state.withLock { state in
            let now = ContinuousClock.now
            guard change != .connected else {
                state.hearsSince = now
                return true
            }
            let hasHeld = state.hearsSince.map { $0.duration(to: now) >= Self.steadyTime } ?? false
            state.hearsSince = nil
            state.deafAttempts = hasHeld ? 1 : state.deafAttempts + 1
            // What is found again at once is no news, nor that nobody is heard while the server is away.
            return state.isConnected && state.deafAttempts > 1
        }
        if isNews { hearing.changed(change) }
    }

    public var coordination: any Coordinating { turns }
    public var tier: any RenditionTier { renditions }
    public var relay: any SessionRelaying { sessions }

    /// Begins to connect; returns at once.
    public func start() {
        origins?.share(among: .max)
        origins?.tellRefusals { [turns] in turns.tell($0) }
        client.start { [weak self] change in self?.changed(change) }
        turns.start { [weak self] change in self?.changedHearing(change) }
    }

    /// Comes back when other nodes have had what they asked this one for, and have sent what they have borrowed of it; or
    /// after so long.
    public func finish(within limit: Duration) async { await sessions.finish(within: limit) }

    /// Gives back what it holds, and closes its connections.
    public func stop() async {
        nodes.stop()
        turns.stop()
        sessions.stop()
        await client.stop()
        await client.loop.stop()
    }

    /// Answers other nodes from now on.
    ///
    /// - Parameters:
    ///   - host: Knows this node's sessions.
    ///   - borrowed: What this node has on loan.
    public func serve(_ host: any SessionHosting, borrowed: BorrowedTokens) {
        sessions.start(host: host, borrowed: borrowed)
    }

    /// Has all other nodes read their sources again.
    public func tellLook() { turns.tellLook() }

    /// Has all other nodes look at objects of a bucket.
    ///
    /// - Parameter keys: as events have them, without spaces.
    public func tell(objects keys: [String], of bucket: String) { turns.tell(objects: keys, of: bucket) }

    /// From any thread; costs next to nothing.
    public var status: Status {
        let state = state.withLock { $0 }
        let isConnected = state.isConnected
        let turns = turns.figures
        let renditions = renditions.figures
        let sessions = sessions.figures
        return Status(
            isConnected: isConnected, node: self.turns.node, limits: state.limits,
            figures: [
                "connected": isConnected ? 1 : 0, "hearing": state.hearsSince != nil ? 1 : 0,
                "full": self.renditions.isFull ? 1 : 0, "timesAway": state.timesAway,
                "nodes": state.limits.nodes, "turnsHeld": turns.held, "waiting": turns.waiting,
                "turns": turns.counts.turns, "waits": turns.counts.waits,
                "turnsLost": turns.counts.lost, "refusalsTold": turns.counts.refusalsTold,
                "refusalsHeard": turns.counts.refusalsHeard, "renditionsFound": renditions.hits,
                "renditionsNotFound": renditions.misses, "renditionsKept": renditions.kept,
                "tokensLent": sessions.lent, "tokensBorrowed": sessions.borrowed, "relays": sessions.relays,
                "relaysInVain": sessions.relaysInVain,
            ])
    }
}
