import EventLoops

/// A connection that reconnects: tries again after a pause while the server is away. With a
/// channel, it only receives messages published there.
///
/// On the event loop only.
final class RedisLink {
    private let address: RedisAddress
    private let channel: String?
    private let received: ([UInt8]) -> Void
    let configuration: RedisClient.Configuration
    let loop: EventLoop
    private let lookup: HostLookup
    private let onChange: (RedisClient.State) -> Void
    var life: ConnectionLifecycle
    /// The attempt to connect that is under way.
    private var dial: RedisDial?
    /// The connection that a server has accepted.
    private var accepted: RedisConnection?
    private var acceptedHost: RedisAddress.Host?
    /// The last server that turned out to be a replica after it had accepted.
    private var replica: RedisAddress.Host?
    /// Ends a pause.
    private var timer: LoopTimer?
    var heartbeat: LoopTimer?
    /// Why the last attempt or connection failed, safe to publish.
    private(set) var publicReason: String?
    /// Called when no command waits any more.
    var onQuiet: (() -> Void)?
    /// Called with the text of each error reply.
    var onRefusal: ((String) -> Void)?

    /// - Parameters:
    ///   - received: Called with each message of the channel.
    ///   - onChange: Called with each new state, and again after each failed attempt.
    init(
        _ address: RedisAddress, channel: String? = nil, _ configuration: RedisClient.Configuration, loop: EventLoop,
        lookup: HostLookup, received: @escaping ([UInt8]) -> Void = { _ in },
        onChange: @escaping (RedisClient.State) -> Void
    ) {
        self.address = address
        self.channel = channel
        self.received = received
        self.configuration = configuration
        self.loop = loop
        self.lookup = lookup
        self.onChange = onChange
        life = ConnectionLifecycle(configuration)
    }

    /// The connection, once the server has accepted it.
    var connection: RedisConnection? { life.isConnected ? accepted : nil }

    func start() { perform(life.timerFired()) }

    func stop() { perform(life.stop()) }

    /// A command timed out.
    func timedOut() {
        let wasConnected = life.isConnected
        perform(life.timedOut(at: .now, chance: .random(in: 0...1)))
        if wasConnected, !life.isConnected { report(RedisOutage("it did not respond in time")) }
    }

    /// The server answers, but cannot be used. Tries again after a pause.
    func giveUp(_ why: RedisOutage) {
        guard life.isConnected else { return }
        if why == .replica { replica = acceptedHost }
        ended(why)
    }

    private func perform(_ effects: [ConnectionLifecycle.Effect]) {
        for effect in effects {
            switch effect {
            case .connect: connect()
            case .wait(let pause):
                timer?.cancel()
                timer = loop.schedule(after: pause) { [weak self] in
                    guard let self else { return }
                    perform(life.timerFired())
                }
            case .drop: drop()
            }
        }
    }

    private func connect() {
        let dial = RedisDial(
            address, channel: channel, replica: replica, configuration, loop: loop, lookup: lookup
        ) { [weak self] in self?.dialled($0) }
        self.dial = dial
        dial.start()
    }

    private func dialled(_ outcome: RedisDial.Outcome) {
        dial = nil
        switch outcome {
        case .failed(let why): ended(why)
        case .accepted(let connection, let host):
            (accepted, acceptedHost) = (connection, host)
            connection.onEnd = { [weak self] in self?.ended(RedisOutage($0)) }
            life.greeted(at: .now)
            if channel != nil { connection.listener = received }
            beat()
            onChange(.connected)
        }
    }

    private func ended(_ why: RedisOutage) {
        let effects = life.ended(at: .now, chance: .random(in: 0...1))
        drop()
        perform(effects)
        report(why)
    }

    private func report(_ outage: RedisOutage) {
        publicReason = outage.publicReason
        onChange(.disconnected(outage.reason))
    }

    private func drop() {
        timer?.cancel()
        heartbeat?.cancel()
        dial?.cancel()
        dial = nil
        let dropped = accepted
        accepted = nil
        dropped?.onEnd = { _ in }
        dropped?.close()
    }
}
