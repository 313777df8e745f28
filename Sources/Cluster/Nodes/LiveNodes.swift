import EventLoops
import Loading
import Redis

/// Says twice a second that this node runs, and learns by it how many do.
///
/// On the client's loop only.
final class LiveNodes: @unchecked Sendable {
    // Sendable because everything mutable is touched on the client's loop alone.
    private let client: RedisClient
    private let keys: Keys
    private let node: NodeTag
    private let onChange: @Sendable (SharedLimits) -> Void
    private var count = NodeCount()
    private var told: SharedLimits?
    /// Questions in a row that were not answered.
    private var vain = 0
    private var timer: LoopTimer?

    private static let pause = Duration.milliseconds(500)
    /// A node that has said nothing for so long is gone.
    private static let lifetime = Duration.milliseconds(1_500)
    private static let patience = Duration.milliseconds(250)
    /// With so many of them a server that is there does not tell.
    private static let mostVain = 3

    /// Keys: the nodes, a sorted set by when they were heard last. Arguments: node, milliseconds that a node lives. Answers how
    /// many live.
    private static let say = RedisScript(
        """
        local time = redis.call('TIME')
        local now = time[1] * 1000 + math.floor(time[2] / 1000)
        -- What is of later has been said before the clock was set back.
        redis.call('ZREMRANGEBYSCORE', KEYS[1], string.format('(%.0f', now), '+inf')
        redis.call('ZADD', KEYS[1], string.format('%.0f', now), ARGV[1])
        redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', string.format('%.0f', now - ARGV[2]))
        redis.call('PEXPIRE', KEYS[1], ARGV[2])
        return redis.call('ZCARD', KEYS[1])
        """)

    /// - Parameter onChange: Told on the client's loop by what limits this node goes, whenever that changes.
    init(client: RedisClient, keys: Keys, node: NodeTag, onChange: @escaping @Sendable (SharedLimits) -> Void) {
        self.client = client
        self.keys = keys
        self.node = node
        self.onChange = onChange
    }

    /// The server has come, or an attempt to reach it was in vain.
    func changed(isConnected: Bool) {
        timer?.cancel()
        timer = nil
        vain = isConnected ? 0 : Self.mostVain
        if isConnected { say() } else { heard(nil) }
    }

    /// The others need not wait until this one is missed.
    func stop() {
        client.loop.execute { [self] in
            timer?.cancel()
            timer = nil
            client.send([Array("ZREM".utf8), keys.nodes, Array("\(node)".utf8)], within: Self.patience) { _ in }
        }
    }

    private func say() {
        timer = client.loop.schedule(after: Self.pause) { [weak self] in self?.say() }
        client.run(
            Self.say, keys: [keys.nodes],
            arguments: [Array("\(node)".utf8), Array("\(Self.lifetime.milliseconds)".utf8)], within: Self.patience
        ) { [weak self] result in
            guard let self else { return }
            let answer = (try? result.get())?.integer
            vain = answer == nil ? min(vain + 1, Self.mostVain) : 0
            heard(answer)
        }
    }

    private func heard(_ answer: Int64?) {
        if let answer { count.told(Int(clamping: answer), at: .now) }
        // One late answer says nothing.
        guard answer != nil || vain == Self.mostVain else { return }
        if answer == nil { count.isUntold() }
        let limits: SharedLimits =
            if let nodes = count.nodes { answer == nil ? .kept(nodes: nodes) : .shared(nodes: nodes) } else { .own }
        guard limits != told else { return }
        told = limits
        onChange(limits)
    }
}
