import EventLoops
public import Loading
import Locking
public import Logging
public import Metrics
public import Origins
public import Redis

/// The nodes of one gallery, cooperating through one Redis server. They share leases (which node makes which
/// rendition), a cache of hot renditions, news about sources, tokens whose requests arrive at another node, and the
/// rate limits of origins.
///
/// Nodes may join and leave at any time. While Redis is unreachable, each node works on its own and logs that it does.
public final class Cluster: Sendable {
    private let client: RedisClient
    private let leases: RedisCoordination
    private let renditions: RedisRenditionTier
    private let sessions: RedisNodeMessaging
    private let nodes: LiveNodes
    private let origins: (any OriginSharing)?
    private let address: RedisAddress
    private let state = Guarded(State())
    private let logger: Logger
    /// Invariant: both are touched only on the client's loop.
    nonisolated(unsafe) private let connectionMonitor: ConnectionMonitor
    nonisolated(unsafe) private let subscriptionMonitor: ConnectionMonitor

    private struct State {
        var isConnected = false
        /// Why Redis cannot be used now.
        var reason: String?
        var refusals: [RedisRefusal: Int] = [:]
        /// When a refusal of this kind was last logged.
        var refusalsLogged: [RedisRefusal: ContinuousClock.Instant] = [:]
        var disconnections = 0
        /// When this node last began to receive the other nodes' messages; nil while it doesn't.
        var subscribedSince: ContinuousClock.Instant?
        /// Consecutive subscriptions that failed or did not last ``steadyTime``.
        var failedSubscriptions = 0
        var limits = SharedLimits.own
    }

    /// Refusals of one kind are logged at most once in this time.
    private static let refusalPause = Duration.seconds(60)
    /// A subscription that has lasted this long counts as stable.
    private static let steadyTime = Duration.seconds(5)

    /// The node's state and counters at one moment.
    public struct Status: Hashable, Sendable {
        /// Whether Redis is connected. If not, this node works on its own.
        public let isConnected: Bool
        /// Why Redis cannot be used now; nil while it is connected, and before the first attempt has ended.
        public let reason: String?
        /// This process's name within the cluster.
        public let node: String
        /// Which limits this node applies to origins.
        public let limits: SharedLimits
        let isSubscribed: Bool
        let isFull: Bool
        let disconnections: Int
        let refusals: [RedisRefusal: Int]
        let leases: RedisCoordination.Statistics
        let renditions: RedisRenditionTier.Statistics
        let sessions: RedisNodeMessaging.Statistics
    }

    /// - Parameters:
    ///   - node: The tag that this node's sessions and tokens carry.
    ///   - gallery: A name that all nodes of this gallery use, and no other gallery on the same server.
    ///   - origins: Shares origins' limits among the nodes. Until the number of nodes is known, or is known to be
    ///     unavailable, this node sends each origin one request at a time.
    ///   - onRescan: Another node was told to rescan its sources. Called on any thread, as is `onObjects`; must not
    ///     block.
    ///   - onObjects: A bucket notified another node of changed objects. The keys are encoded as in the notification.
    /// - Throws: The event loop's error if the process has run out of file descriptors.
    public init(
        _ address: RedisAddress, node: NodeTag, gallery: String, origins: (any OriginSharing)? = nil, logger: Logger,
        onRescan: @escaping @Sendable () -> Void,
        onObjects: @escaping @Sendable (_ bucket: String, _ keys: [String]) -> Void = { _, _ in }
    ) throws {
        self.address = address
        self.origins = origins
        self.logger = logger
        let keys = RedisKeys(gallery: gallery)
        client = try RedisClient(address, loop: EventLoop(label: "tessera.redis"))
        sessions = RedisNodeMessaging(client: client, keys: keys, node: node)
        leases = RedisCoordination(client: client, keys: keys, onRescan: onRescan, onObjects: onObjects) {
            origins?.received($0)
        }
        let addressMetadata: Logger.Metadata = ["address": "\(address)"]
        nodes = LiveNodes(client: client, keys: keys, node: node) { [state] limits in
            state.withLock { $0.limits = limits }
            origins?.share(among: limits.nodes)
        } onGalleries: {
            Self.log($0, of: gallery, logger, addressMetadata)
        }
        renditions = RedisRenditionTier(client: client, keys: keys) { isFull in
            if isFull {
                logger.warning(
                    "Redis is full; renditions are not shared until it has space.", metadata: addressMetadata)
            } else {
                logger.notice("Redis has space again.", metadata: addressMetadata)
            }
        }
        sessions.onStored = { [renditions] in renditions.hasRoom() }
        connectionMonitor = Self.makeMonitor(
            of: client, logger, addressMetadata, there: "Redis is there.",
            disconnected: "Redis is unreachable; this node continues on its own.",
            stillDisconnected: "Redis is still unreachable, for a different reason.")
        subscriptionMonitor = Self.makeMonitor(
            of: client, logger, addressMetadata, there: "Messages from the other nodes are received again.",
            disconnected: "The Redis subscription failed; this node finds the other nodes' results later.",
            stillDisconnected: "The Redis subscription still fails, for a different reason.")
    }

    /// One line at the start, and one whenever other galleries come or go: nodes that should share a gallery, but whose
    /// sources have different names, would not notice each other.
    private static func log(
        _ galleries: LiveNodes.Galleries, of gallery: String, _ logger: Logger, _ metadata: Logger.Metadata
    ) {
        let nodes = galleries.nodes == 1 ? "is its only node now" : "is one of its \(galleries.nodes) nodes"
        var line = "This node serves the gallery \(gallery) and \(nodes)."
        if !galleries.others.isEmpty {
            line += " Redis is also used for \(galleries.others.joined(separator: ", "))."
            line += " Nodes share a gallery only if their sources have the same names in the same order."
        }
        logger.notice("\(line)", metadata: metadata)
    }

    private static func makeMonitor(
        of client: RedisClient, _ logger: Logger, _ addressMetadata: Logger.Metadata, there: Logger.Message,
        disconnected: Logger.Message, stillDisconnected: Logger.Message
    ) -> ConnectionMonitor {
        ConnectionMonitor(loop: client.loop, steadyTime: steadyTime) { report in
            switch report {
            case .connected: logger.notice(there, metadata: addressMetadata)
            case .lost(let reason):
                logger.warning(disconnected, metadata: addressMetadata.merging(["reason": "\(reason)"]) { $1 })
            case .stillLost(let reason):
                logger.warning(stillDisconnected, metadata: addressMetadata.merging(["reason": "\(reason)"]) { $1 })
            }
        }
    }

    private func changed(_ change: RedisClient.State) {
        let isConnected = change == .connected
        let reason = isConnected ? nil : client.publicReason
        state.withLock { state in
            if state.isConnected, !isConnected { state.disconnections += 1 }
            (state.isConnected, state.reason) = (isConnected, reason)
        }
        connectionMonitor.changed(change)
        nodes.changed(isConnected: isConnected)
        if !isConnected { leases.disconnected() }
    }

    /// Redis refused a command: the node goes on without its result, so the operator has to know.
    private func refused(_ refusal: RedisRefusal, _ text: String) {
        let mustLog = state.withLock { state in
            state.refusals[refusal, default: 0] += 1
            // A replica ends the connection, and a full memory is a state: both are logged as such.
            guard refusal == .noPermission || refusal == .other else { return false }
            let now = ContinuousClock.now
            if let last = state.refusalsLogged[refusal], last.duration(to: now) < Self.refusalPause { return false }
            state.refusalsLogged[refusal] = now
            return true
        }
        if refusal == .noMemory { renditions.becameFull() }
        guard mustLog else { return }
        let advice = refusal == .noPermission ? " Grant the Redis user the missing permission." : ""
        logger.warning(
            "Redis refuses commands of this node.\(advice)",
            metadata: ["address": "\(address)", "reason": "\(text.prefix(200))"])
    }

    private func subscriptionChanged(_ change: RedisClient.State) {
        let mustReport = state.withLock { state in
            let now = ContinuousClock.now
            guard change != .connected else {
                state.subscribedSince = now
                return true
            }
            let hasHeld = state.subscribedSince.map { $0.duration(to: now) >= Self.steadyTime } ?? false
            state.subscribedSince = nil
            state.failedSubscriptions = hasHeld ? 1 : state.failedSubscriptions + 1
            // Neither a brief interruption nor silence while the server is away is worth a log line.
            return state.isConnected && state.failedSubscriptions > 1
        }
        if mustReport { subscriptionMonitor.changed(change) }
    }

    /// Coordinates loads with the other nodes.
    public var coordination: any Coordinating { leases }
    /// The hot renditions in Redis.
    public var tier: any RenditionTier { renditions }
    /// Reaches the other nodes' sessions and tokens.
    public var forwarding: any SessionForwarding { sessions }

    /// Begins to connect; returns at once.
    public func start() {
        origins?.share(among: .max)
        origins?.reportRefusals { [leases] in leases.announce($0) }
        client.start { [weak self] change in
            self?.changed(change)
        } onRefusal: { [weak self] refusal, text in
            self?.refused(refusal, text)
        }
        leases.start { [weak self] change in self?.subscriptionChanged(change) }
    }

    /// Returns when this node has answered the other nodes' pending requests and they have finished sending the
    /// tokens they borrowed, or when `limit` has passed.
    public func finish(within limit: Duration) async { await sessions.finish(within: limit) }

    /// Returns this node's leases and closes its connections.
    public func stop() async {
        nodes.stop()
        leases.stop()
        sessions.stop()
        await client.stop()
        await client.loop.stop()
    }

    /// Begins to answer other nodes' requests.
    ///
    /// - Parameters:
    ///   - owner: Knows this node's sessions.
    ///   - borrowed: The tokens that this node has on loan.
    public func serve(_ owner: any SessionOwning, forwarded: ForwardedTokens) {
        sessions.start(owner: owner, forwarded: forwarded)
    }

    /// Tells all other nodes to rescan their sources.
    public func announceRescan() { leases.announceRescan() }

    /// Tells all other nodes to look at objects of a bucket.
    ///
    /// - Parameter keys: Encoded as in the store's notifications, without spaces.
    public func announce(objects keys: [String], of bucket: String) { leases.announce(objects: keys, of: bucket) }

    /// A snapshot. Cheap, and callable from any thread.
    public var status: Status {
        let state = state.withLock { $0 }
        return Status(
            isConnected: state.isConnected, reason: state.reason, node: leases.node, limits: state.limits,
            isSubscribed: state.subscribedSince != nil,
            isFull: renditions.isFull, disconnections: state.disconnections, refusals: state.refusals,
            leases: leases.figures,
            renditions: renditions.figures,
            sessions: sessions.figures)
    }
}

extension Cluster.Status: MetricsReporting {
    public static let metrics: [Metric<Cluster.Status>] = [
        .gauge("connected", "1 while Redis can be reached.") { $0.isConnected ? 1 : 0 },
        .gauge(
            "subscribed",
            "1 while this node receives what the other nodes publish. Otherwise it polls every second or two."
        ) {
            $0.isSubscribed ? 1 : 0
        },
        .gauge("full", "1 while Redis has no memory left (maxmemory) for renditions. Nodes then make them themselves.")
        {
            $0.isFull ? 1 : 0
        },
        .counter("disconnections", "Times that the connection to Redis was lost.", \.disconnections),
        .counter("refusedReadOnly", "Commands refused because Redis is a replica, as after a failover.") {
            $0.refusals[.readOnly] ?? 0
        },
        .counter("refusedNoMemory", "Commands refused because Redis has no memory left (maxmemory).") {
            $0.refusals[.noMemory] ?? 0
        },
        .counter("refusedNoPermission", "Commands refused because the user lacks a permission (ACL). The log names it.")
        {
            $0.refusals[.noPermission] ?? 0
        },
        .counter("refusedOther", "Commands refused for any other reason. The log names one a minute at most.") {
            $0.refusals[.other] ?? 0
        },
        .gauge("nodes", "Nodes that share the limits of each origin.", \.limits.nodes),
        .gauge("leasesHeld", "Leases that this node holds.", \.leases.held),
        .gauge("waiting", "Loads that are waiting for another node's rendition.", \.leases.waiting),
        .counter("leases", "Leases acquired by this node.", \.leases.counts.granted),
        .counter("waits", "Loads that waited for another node's rendition.", \.leases.counts.waits),
        .counter("leasesLost", "Leases that expired before this node had finished.", \.leases.counts.lost),
        .counter(
            "throttlesSent", "Refusals by origins (429, 503) that this node told the others.",
            \.leases.counts.refusalsSent),
        .counter(
            "throttlesReceived", "Refusals by origins (429, 503) that other nodes told this one.",
            \.leases.counts.refusalsReceived),
        .counter("renditionsFound", "Renditions found in Redis.", \.renditions.hits),
        .counter("renditionsNotFound", "Renditions that Redis did not have.", \.renditions.misses),
        .counter("renditionsStored", "Renditions stored in Redis.", \.renditions.kept),
        .gauge("tokensGranted", "Tokens of this node whose requests other nodes are answering.", \.sessions.permitted),
        .gauge("tokensForwarded", "Tokens of other nodes whose requests this node is answering.", \.sessions.forwarded),
        .counter("forwards", "Requests about sessions and tokens sent to other nodes.", \.sessions.forwards),
        .counter(
            "forwardsFailed", "Requests to other nodes that reached nobody or got no answer in time.",
            \.sessions.failedForwards),
    ]
}
