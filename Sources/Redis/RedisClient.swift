public import EventLoops
import Synchronization

/// Speaks to one Redis or Valkey, on an event loop: no call has a thread of its own, and none waits longer than it says.
///
///     let client = try RedisClient(try RedisAddress("redis://127.0.0.1"), loop: try EventLoop(label: "redis"))
///     client.start()
///     client.send(["GET", "name"], within: .milliseconds(50)) { result in … }
///     await client.stop()
///
/// While the server is away each command fails at once.
public final class RedisClient: @unchecked Sendable {
    // Sendable because everything mutable but the atomic is touched on `loop` alone.
    public let loop: EventLoop
    private let address: RedisAddress
    private let configuration: Configuration
    private let lookup: HostLookup
    private var onChange: @Sendable (State) -> Void = { _ in }
    private var link: RedisLink?
    private var subscriptions: [RedisLink] = []
    /// The digests of scripts that the server has, as far as is known.
    private var loaded: Set<String> = []
    private let connected = Atomic<Bool>(false)

    /// Whether the server is there.
    public typealias State = Presence

    /// - Parameter loop: What calls back runs on it.
    /// - Throws: ``Configuration/Invalid``.
    public convenience init(
        _ address: RedisAddress, configuration: Configuration = Configuration(), loop: EventLoop
    ) throws(Configuration.Invalid) {
        try self.init(
            address, configuration: configuration, loop: loop,
            lookup: HostLookup(address.host, address.port, loop: loop))
    }

    init(
        _ address: RedisAddress, configuration: Configuration, loop: EventLoop, lookup: HostLookup
    ) throws(Configuration.Invalid) {
        try configuration.validate()
        self.address = address
        self.configuration = configuration
        self.loop = loop
        self.lookup = lookup
    }

    /// Whether commands are sent now. From any thread; costs next to nothing.
    public var isConnected: Bool { connected.load(ordering: .relaxed) }

    /// Begins to connect, and goes on until ``stop(within:)``.
    ///
    /// - Parameter onChange: Told on the loop of each state, again after each attempt to connect that was in vain.
    public func start(onChange: @escaping @Sendable (State) -> Void = { _ in }) {
        loop.execute { [self] in
            guard link == nil else { return }
            self.onChange = onChange
            link = RedisLink(address, configuration, loop: loop, lookup: lookup) { [weak self] in self?.changed($0) }
            link?.start()
        }
    }

    /// Closes all connections; what waits then fails, and what comes later too.
    ///
    /// - Parameter grace: For so long the answers to what was sent are waited for.
    public func stop(within grace: Duration = .milliseconds(200)) async {
        await withCheckedContinuation { continuation in
            loop.execute { [self] in
                connected.store(false, ordering: .relaxed)
                for subscription in subscriptions { subscription.stop() }
                subscriptions = []
                onChange = { _ in }
                guard let link else { return continuation.resume() }
                link.stop(within: grace) { continuation.resume() }
            }
        }
    }

    /// Listens to a channel on a connection of its own, which comes back like the other, until ``stop(within:)``.
    ///
    /// - Parameters:
    ///   - onChange: Told on the loop of each state, again after each attempt that was in vain. When it is `.connected`,
    ///     the server listens from now on; what was said before was missed.
    ///   - heard: Called with each message, on the loop.
    public func subscribe(
        to channel: String, onChange: @escaping @Sendable (State) -> Void,
        heard: @escaping @Sendable ([UInt8]) -> Void
    ) {
        loop.execute { [self] in
            let subscription = RedisLink(
                address, channel: channel, configuration, loop: loop, lookup: lookup, heard: heard, onChange: onChange)
            subscriptions.append(subscription)
            subscription.start()
        }
    }

    /// Sends a command. From any thread.
    ///
    /// - Parameters:
    ///   - time: How long the answer may take.
    ///   - late: Called once, on the loop, after `answer` was told ``RedisError/timedOut``: with what came all the same, or
    ///     why nothing will.
    ///   - answer: Called once, on the loop, with the answer or why there is none.
    public func send(
        _ words: [[UInt8]], within time: Duration,
        late: (@Sendable (Result<RedisReply, RedisError>) -> Void)? = nil,
        answer: @escaping @Sendable (Result<RedisReply, RedisError>) -> Void
    ) {
        guard !loop.isCurrent else { return begin(words, time, late, answer) }
        loop.execute { [self] in begin(words, time, late, answer) }
    }

    /// Runs a script, by its digest where the server has it. From any thread, as ``send(_:within:late:answer:)``, and in
    /// its order: the first time on a connection its source is sent at once. Only where somebody has had the server forget
    /// its scripts does it come later.
    public func run(
        _ script: RedisScript, keys: [[UInt8]], arguments: [[UInt8]], within time: Duration,
        late: (@Sendable (Result<RedisReply, RedisError>) -> Void)? = nil,
        answer: @escaping @Sendable (Result<RedisReply, RedisError>) -> Void
    ) {
        guard !loop.isCurrent else { return begin(script, keys, arguments, time, late, answer) }
        loop.execute { [self] in begin(script, keys, arguments, time, late, answer) }
    }

    // MARK: - On the loop

    private typealias Told = (Result<RedisReply, RedisError>) -> Void

    private func begin(_ words: [[UInt8]], _ time: Duration, _ late: Told?, _ answer: @escaping Told) {
        guard let link else { return answer(.failure(.away)) }
        link.send(words, within: time, late: late, answer: answer)
    }

    private func begin(
        _ script: RedisScript, _ keys: [[UInt8]], _ arguments: [[UInt8]], _ time: Duration, _ late: Told?,
        _ answer: @escaping Told
    ) {
        let rest = [Array("\(keys.count)".utf8)] + keys + arguments
        let whole = [Array("EVAL".utf8), Array(script.source.utf8)] + rest
        guard loaded.contains(script.digest) else {
            if link?.connection != nil { loaded.insert(script.digest) }
            return begin(whole, time, late, answer)
        }
        begin([Array("EVALSHA".utf8), Array(script.digest.utf8)] + rest, time, late) { [weak self] result in
            guard let self, case .failure(.refused(let text)) = result, text.hasPrefix("NOSCRIPT") else {
                return answer(result)
            }
            begin(whole, time, late, answer)
        }
    }

    private func changed(_ change: State) {
        connected.store(change == .connected, ordering: .relaxed)
        loaded = []
        onChange(change)
    }
}
