public import EventLoops
import Synchronization

/// A client for Redis or Valkey on an event loop, which finds the master among several servers. No call needs a thread of its own, and every wait has a
/// timeout.
///
///     let client = try RedisClient(try RedisAddress("redis://127.0.0.1"), loop: try EventLoop(label: "redis"))
///     client.start()
///     client.send(["GET", "name"], within: .milliseconds(50)) { result in … }
///     await client.stop()
///
/// While the server is away, every command fails at once.
public final class RedisClient: @unchecked Sendable {
    // Sendable because all mutable state except the atomic is confined to `loop`.
    public let loop: EventLoop
    private let address: RedisAddress
    private let configuration: Configuration
    private let lookup: HostLookup
    private var onChange: @Sendable (State) -> Void = { _ in }
    private var onRefusal: @Sendable (RedisRefusal, String) -> Void = { _, _ in }
    private var link: RedisLink?
    private var subscriptions: [RedisLink] = []
    /// The digests of scripts that the server is believed to have cached.
    private var loaded: Set<String> = []
    private let connected = Atomic<Bool>(false)

    /// Whether the server is reachable.
    public typealias State = ConnectionStatus

    /// - Parameter loop: Runs all callbacks.
    /// - Throws: ``Configuration/Invalid``.
    public convenience init(
        _ address: RedisAddress, configuration: Configuration = Configuration(), loop: EventLoop
    ) throws(Configuration.Invalid) {
        try self.init(
            address, configuration: configuration, loop: loop, lookup: HostLookup(loop: loop))
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

    /// Whether commands are sent now. Callable on any thread; costs next to nothing.
    public var isConnected: Bool { connected.load(ordering: .relaxed) }

    /// Why the last attempt or connection failed, safe to publish. On the event loop only.
    public var publicReason: String? { link?.publicReason }

    /// Starts to connect, and reconnects until ``stop(within:)``.
    ///
    /// - Parameters:
    ///   - onChange: Called on the event loop with each new state, and again after each failed attempt.
    ///   - onRefusal: Called on the event loop with each error reply to a command, before its sender. The text is the
    ///     server's.
    public func start(
        onChange: @escaping @Sendable (State) -> Void = { _ in },
        onRefusal: @escaping @Sendable (RedisRefusal, String) -> Void = { _, _ in }
    ) {
        loop.execute { [self] in
            guard link == nil else { return }
            self.onChange = onChange
            self.onRefusal = onRefusal
            let link = RedisLink(address, configuration, loop: loop, lookup: lookup) { [weak self] in
                self?.changed($0)
            }
            link.onRefusal = { [weak self] in self?.refused($0) }
            self.link = link
            link.start()
        }
    }

    /// Closes all connections. Waiting commands and later ones fail.
    ///
    /// - Parameter grace: How long to wait for outstanding replies.
    public func stop(within grace: Duration = .milliseconds(200)) async {
        await withCheckedContinuation { continuation in
            loop.execute { [self] in
                connected.store(false, ordering: .relaxed)
                for subscription in subscriptions { subscription.stop() }
                subscriptions = []
                onChange = { _ in }
                onRefusal = { _, _ in }
                guard let link else { return continuation.resume() }
                link.stop(within: grace) { continuation.resume() }
            }
        }
    }

    /// Subscribes to a channel on a connection of its own, which reconnects like the other, until ``stop(within:)``.
    ///
    /// - Parameters:
    ///   - onChange: Called on the event loop with each new state, and again after each failed attempt. From
    ///     `.connected` on, messages are received; those published before were missed.
    ///   - received: Called with each message, on the event loop.
    public func subscribe(
        to channel: String, onChange: @escaping @Sendable (State) -> Void,
        received: @escaping @Sendable ([UInt8]) -> Void
    ) {
        loop.execute { [self] in
            let subscription = RedisLink(
                address, channel: channel, configuration, loop: loop, lookup: lookup, received: received,
                onChange: onChange)
            subscriptions.append(subscription)
            subscription.start()
        }
    }

    /// Sends a command. Callable on any thread.
    ///
    /// - Parameters:
    ///   - time: The timeout for the reply.
    ///   - late: Called once, on the event loop, if `answer` was called with ``RedisError/timedOut``: with the late
    ///     reply, or the reason why there will be none.
    ///   - answer: Called once, on the event loop, with the reply or the error.
    public func send(
        _ words: [[UInt8]], within time: Duration,
        late: (@Sendable (Result<RedisReply, RedisError>) -> Void)? = nil,
        answer: @escaping @Sendable (Result<RedisReply, RedisError>) -> Void
    ) {
        guard !loop.isCurrent else { return begin(words, time, late, answer) }
        loop.execute { [self] in begin(words, time, late, answer) }
    }

    /// Runs a script, by its digest if the server has cached it. Callable on any thread. Works like
    /// ``send(_:within:late:answer:)`` and keeps the order of commands: the first call on a connection sends the source
    /// right away. Only if somebody has flushed the server's script cache does the script run later, after a second
    /// round trip.
    public func run(
        _ script: RedisScript, keys: [[UInt8]], arguments: [[UInt8]], within time: Duration,
        late: (@Sendable (Result<RedisReply, RedisError>) -> Void)? = nil,
        answer: @escaping @Sendable (Result<RedisReply, RedisError>) -> Void
    ) {
        guard !loop.isCurrent else { return begin(script, keys, arguments, time, late, answer) }
        loop.execute { [self] in begin(script, keys, arguments, time, late, answer) }
    }

    // MARK: - On the loop

    private typealias Completion = (Result<RedisReply, RedisError>) -> Void

    private func begin(_ words: [[UInt8]], _ time: Duration, _ late: Completion?, _ answer: @escaping Completion) {
        guard let link else { return answer(.failure(.disconnected)) }
        link.send(words, within: time, late: late, answer: answer)
    }

    private func begin(
        _ script: RedisScript, _ keys: [[UInt8]], _ arguments: [[UInt8]], _ time: Duration, _ late: Completion?,
        _ answer: @escaping Completion
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

    private func refused(_ text: String) {
        // Not a refusal: the server asks for the script's source.
        guard !text.hasPrefix("NOSCRIPT") else { return }
        let refusal = RedisRefusal(text)
        onRefusal(refusal, text)
        // Subscriptions are dropped, too: what the other nodes publish is published at the master.
        if refusal == .readOnly {
            for each in [link].compactMap(\.self) + subscriptions { each.giveUp(.replica) }
        }
    }

    private func changed(_ change: State) {
        connected.store(change == .connected, ordering: .relaxed)
        loaded = []
        onChange(change)
    }
}
