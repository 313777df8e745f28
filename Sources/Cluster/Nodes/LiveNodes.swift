import EventLoops
import Loading
import Redis
import Time

/// Sends a heartbeat twice a second, and learns from the reply how many nodes are running, and which other galleries the
/// server is used for.
///
/// Used only on the client's loop.
final class LiveNodes: @unchecked Sendable {
    // Sendable because all mutable state is touched only on the client's loop.
    private let client: RedisClient
    private let keys: RedisKeys
    private let node: NodeTag
    private let onChange: @Sendable (SharedLimits) -> Void
    private let onGalleries: @Sendable (Galleries) -> Void
    private var galleries: Galleries?
    private var count = NodeCount()
    private var reported: SharedLimits?
    /// Consecutive heartbeats without a reply.
    private var failures = 0
    private var timer: LoopTimer?

    private static let pause = Duration.milliseconds(500)
    /// A node that has sent no heartbeat for this long is considered gone.
    private static let lifetime = Duration.milliseconds(1_500)
    private static let replyTimeout = Duration.milliseconds(250)
    /// In bytes. No gallery has a longer one; anybody could have written it.
    private static let longestName = 64
    /// After this many, the count is unknown even though the server is connected.
    private static let maximumFailures = 3

    /// What a heartbeat learns about the galleries on the server.
    struct Galleries: Hashable, Sendable {
        /// Nodes of this gallery, this one included.
        let nodes: Int
        /// The names of other galleries with running nodes: some of them, if there are many.
        let others: [String]
    }

    /// Keys: the nodes and the galleries, sorted sets scored by the last heartbeat. Arguments: the node, the gallery, and
    /// a heartbeat's lifetime in milliseconds. Returns the number of live nodes, and live galleries.
    private static let announce = RedisScript(
        """
        local time = redis.call('TIME')
        local now = time[1] * 1000 + math.floor(time[2] / 1000)
        for place, name in ipairs({ARGV[1], ARGV[2]}) do
            -- Entries from the future were written before the clock was set back.
            redis.call('ZREMRANGEBYSCORE', KEYS[place], string.format('(%.0f', now), '+inf')
            redis.call('ZADD', KEYS[place], string.format('%.0f', now), name)
            redis.call('ZREMRANGEBYSCORE', KEYS[place], '-inf', string.format('%.0f', now - ARGV[3]))
            redis.call('PEXPIRE', KEYS[place], ARGV[3])
        end
        local galleries = redis.call('ZRANGE', KEYS[2], 0, -1)
        table.sort(galleries)
        return {redis.call('ZCARD', KEYS[1]), {unpack(galleries, 1, 16)}}
        """)

    /// - Parameters:
    ///   - onChange: Called on the client's loop with the limits that apply to this node, whenever they change.
    ///   - onGalleries: Called there after the first heartbeat, and when other galleries come and go.
    init(
        client: RedisClient, keys: RedisKeys, node: NodeTag, onChange: @escaping @Sendable (SharedLimits) -> Void,
        onGalleries: @escaping @Sendable (Galleries) -> Void = { _ in }
    ) {
        self.client = client
        self.keys = keys
        self.node = node
        self.onChange = onChange
        self.onGalleries = onGalleries
    }

    /// Redis has connected, or an attempt to reach it has failed.
    func changed(isConnected: Bool) {
        timer?.cancel()
        timer = nil
        failures = isConnected ? 0 : Self.maximumFailures
        if isConnected { announce() } else { received(nil) }
    }

    /// Leaves the set, so that the others need not wait for this node's heartbeat to expire.
    func stop() {
        client.loop.execute { [self] in
            timer?.cancel()
            timer = nil
            client.send([Array("ZREM".utf8), keys.nodes, Array("\(node)".utf8)], within: Self.replyTimeout) { _ in }
        }
    }

    private func announce() {
        timer = client.loop.schedule(after: Self.pause) { [weak self] in self?.announce() }
        client.run(
            Self.announce, keys: [keys.nodes, RedisKeys.galleries],
            arguments: [
                Array("\(node)".utf8), Array(keys.gallery.utf8), Array("\(Self.lifetime.milliseconds)".utf8),
            ], within: Self.replyTimeout
        ) { [weak self] result in
            guard let self else { return }
            let parts = (try? result.get())?.list
            let answer = parts?.first?.integer
            if let answer, let names = parts?.last?.list?.compactMap(\.text) { noteGalleries(names, nodes: answer) }
            failures = answer == nil ? min(failures + 1, Self.maximumFailures) : 0
            received(answer)
        }
    }

    private func noteGalleries(_ names: [String], nodes: Int64) {
        let others = names.filter { $0 != keys.gallery && $0.utf8.count <= Self.longestName }
        let present = Galleries(nodes: Int(clamping: nodes), others: others)
        guard present.others != galleries?.others else { return }
        galleries = present
        onGalleries(present)
    }

    private func received(_ answer: Int64?) {
        if let answer { count.update(Int(clamping: answer), at: .now) }
        // A single late reply means nothing.
        guard answer != nil || failures == Self.maximumFailures else { return }
        if answer == nil { count.becameUnknown() }
        let limits: SharedLimits =
            if let nodes = count.nodes { answer == nil ? .kept(nodes: nodes) : .shared(nodes: nodes) } else { .own }
        guard limits != reported else { return }
        reported = limits
        onChange(limits)
    }
}
