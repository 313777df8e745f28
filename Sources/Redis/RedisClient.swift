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
    private let lookup = HostLookup()
    private var onChange: @Sendable (State) -> Void = { _ in }
    private var link: RedisLink?
    private var subscriptions: [RedisSubscription] = []
    private var pending = 0
    private var pendingBytes = 0
    /// The digests of scripts that the server has, as far as is known.
    private var loaded: Set<String> = []
    private var heartbeat: LoopTimer?
    /// What is to be done when no command waits any more.
    private var whenQuiet: (() -> Void)?
    private let connected = Atomic<Bool>(false)

    /// Whether the server is there.
    public enum State: Hashable, Sendable {
        case connected
        /// Why, for the log.
        case away(String)
    }

    /// A server that hangs while nobody asks it for anything is found out by these.
    private static let heartbeatPause = Duration.seconds(1)
    private static let heartbeatTime = Duration.milliseconds(500)

    /// - Parameter loop: What calls back runs on it.
    /// - Throws: ``Configuration/Invalid``.
    public init(
        _ address: RedisAddress, configuration: Configuration = Configuration(), loop: EventLoop
    ) throws(Configuration.Invalid) {
        try configuration.validate()
        self.address = address
        self.configuration = configuration
        self.loop = loop
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
                heartbeat?.cancel()
                connected.store(false, ordering: .relaxed)
                for subscription in subscriptions { subscription.stop() }
                subscriptions = []
                let end = { [self] in
                    whenQuiet = nil
                    link?.stop()
                    continuation.resume()
                }
                onChange = { _ in }
                guard pending > 0, grace > .zero else { return end() }
                let timer = loop.schedule(after: grace) { [weak self] in self?.whenQuiet?() }
                whenQuiet = {
                    timer.cancel()
                    end()
                }
            }
        }
    }

    /// Listens to a channel on a connection of its own, which comes back like the other, until ``stop(within:)``.
    ///
    /// - Parameters:
    ///   - began: The server listens from now on; what was said before was missed. On the loop.
    ///   - heard: Called with each message, on the loop.
    public func subscribe(
        to channel: String, began: @escaping @Sendable () -> Void, heard: @escaping @Sendable ([UInt8]) -> Void
    ) {
        loop.execute { [self] in
            let subscription = RedisSubscription(
                channel, address, configuration, loop: loop, lookup: lookup, began: began, heard: heard)
            subscriptions.append(subscription)
            subscription.start()
        }
    }

    /// Sends a command. From any thread.
    ///
    /// - Parameters:
    ///   - time: How long the answer may take.
    ///   - answer: Called once, on the loop, with the answer or why there is none.
    public func send(
        _ words: [[UInt8]], within time: Duration,
        answer: @escaping @Sendable (Result<RedisReply, RedisError>) -> Void
    ) {
        guard !loop.isCurrent else { return begin(words, time, answer) }
        loop.execute { [self] in begin(words, time, answer) }
    }

    /// Runs a script, by its digest where the server has it. From any thread, as ``send(_:within:answer:)``, and in its
    /// order: the first time on a connection its source is sent at once. Only where somebody has had the server forget its
    /// scripts does it come later.
    public func run(
        _ script: RedisScript, keys: [[UInt8]], arguments: [[UInt8]], within time: Duration,
        answer: @escaping @Sendable (Result<RedisReply, RedisError>) -> Void
    ) {
        guard !loop.isCurrent else { return begin(script, keys, arguments, time, answer) }
        loop.execute { [self] in begin(script, keys, arguments, time, answer) }
    }

    // MARK: - On the loop

    /// A command under way: answered once, by the server or by its time.
    private final class Command {
        private var answer: ((Result<RedisReply, RedisError>) -> Void)?
        var timer: LoopTimer?

        init(_ answer: @escaping (Result<RedisReply, RedisError>) -> Void) { self.answer = answer }

        func end(_ result: Result<RedisReply, RedisError>) {
            timer?.cancel()
            timer = nil
            defer { answer = nil }
            answer?(result)
        }
    }

    private func begin(
        _ words: [[UInt8]], _ time: Duration, _ answer: @escaping (Result<RedisReply, RedisError>) -> Void
    ) {
        guard let link, let connection = link.connection else { return answer(.failure(.away)) }
        let size = words.reduce(0) { $0 + $1.count }
        guard pending < configuration.mostPending, pendingBytes + size <= configuration.mostPendingBytes else {
            return answer(.failure(.crowded))
        }
        let command = Command(answer)
        let isSent = connection.send(words) { [weak self] reply in
            self?.pending -= 1
            self?.pendingBytes -= size
            defer { if self?.pending == 0 { self?.whenQuiet?() } }
            guard let reply else { return command.end(.failure(.closed)) }
            self?.link?.answered()
            if case .error(let text) = reply { return command.end(.failure(.refused(text))) }
            command.end(.success(reply))
        }
        guard isSent else { return answer(.failure(.away)) }
        pending += 1
        pendingBytes += size
        command.timer = loop.schedule(after: time) { [weak self] in
            command.end(.failure(.timedOut))
            self?.link?.timedOut()
        }
    }

    private func begin(
        _ script: RedisScript, _ keys: [[UInt8]], _ arguments: [[UInt8]], _ time: Duration,
        _ answer: @escaping (Result<RedisReply, RedisError>) -> Void
    ) {
        let rest = [Array("\(keys.count)".utf8)] + keys + arguments
        let whole = [Array("EVAL".utf8), Array(script.source.utf8)] + rest
        guard loaded.contains(script.digest) else {
            if link?.connection != nil { loaded.insert(script.digest) }
            return begin(whole, time, answer)
        }
        begin([Array("EVALSHA".utf8), Array(script.digest.utf8)] + rest, time) { [weak self] result in
            guard let self, case .failure(.refused(let text)) = result, text.hasPrefix("NOSCRIPT") else {
                return answer(result)
            }
            begin(whole, time, answer)
        }
    }

    private func changed(_ change: RedisLink.Change) {
        connected.store(change == .connected, ordering: .relaxed)
        heartbeat?.cancel()
        loaded = []
        switch change {
        case .connected:
            beatLater()
            onChange(.connected)
        case .away(let why): onChange(.away(why))
        }
    }

    private func beatLater() {
        heartbeat = loop.schedule(after: Self.heartbeatPause) { [weak self] in
            self?.send([Array("PING".utf8)], within: Self.heartbeatTime) { _ in }
            self?.beatLater()
        }
    }
}
