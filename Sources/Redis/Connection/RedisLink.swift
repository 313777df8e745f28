import EventLoops

/// A connection that reconnects: greets the server, and tries again after a pause while the server is away. With a
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
    private var attempt: RedisConnection?
    /// The server's addresses not tried yet in this attempt.
    private var addresses: ArraySlice<HostAddress> = []
    /// Ends a pause or a greeting.
    private var timer: LoopTimer?
    var heartbeat: LoopTimer?
    /// Distinguishes events of the current attempt from those of earlier ones.
    private var attempts: UInt64 = 0
    /// Called when no command waits any more.
    var onQuiet: (() -> Void)?
    /// Called with the text of each error reply.
    var onRefusal: ((String) -> Void)?

    /// The maximum number of addresses to try for one name. A name with more of them does not have them for
    /// availability.
    private static let maximumAddresses = 4
    /// Why a replica is of no use.
    static let replica = "it is a read-only replica"

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
    var connection: RedisConnection? { life.isConnected ? attempt : nil }

    func start() { perform(life.timerFired()) }

    func stop() { perform(life.stop()) }

    /// A command timed out.
    func timedOut() {
        let wasConnected = life.isConnected
        perform(life.timedOut(at: .now, chance: .random(in: 0...1)))
        if wasConnected, !life.isConnected { onChange(.disconnected("it does not respond")) }
    }

    /// The server answers, but cannot be used. Tries again after a pause.
    func giveUp(_ why: String) {
        if life.isConnected { failed(attempts, why) }
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

    private func drop() {
        timer?.cancel()
        heartbeat?.cancel()
        attempts += 1
        let dropped = attempt
        attempt = nil
        dropped?.close()
    }

    // MARK: - Connecting

    private func connect() {
        attempts += 1
        lookup.find(within: configuration.lookupTime) { [weak self, attempts] answer in
            guard let self, attempts == self.attempts else { return }
            switch answer {
            case .found(let found):
                addresses = found.prefix(Self.maximumAddresses)
                connectToNext()
            case .unknown: failed(attempts, "its name does not resolve")
            case .late: failed(attempts, "resolving its name timed out")
            }
        }
    }

    /// Tries the next address.
    private func connectToNext() {
        guard let address = addresses.popFirst() else { return }
        attempts += 1
        let number = attempts
        timer = loop.schedule(after: configuration.greetingTime) { [weak self] in
            self?.attempt?.takeArrived()
            guard let self, case .greeting = life.state else { return }
            failed(number, "it does not respond in time")
        }
        attempt = RedisConnection(
            address, configuration, loop: loop, onOpen: { [weak self] in self?.greet(number) },
            onEnd: { [weak self] in self?.failed(number, $0) })
        if attempt == nil { failed(number, "no connection could be opened") }
    }

    private func greet(_ number: UInt64) {
        guard number == attempts, let attempt else { return }
        var words: [[String]] = []
        if let password = address.password { words.append(["AUTH"] + (address.user.map { [$0] } ?? []) + [password]) }
        if address.database != 0 { words.append(["SELECT", "\(address.database)"]) }
        // Servers before Redis 6, and those whose users may not ask, do not tell their role.
        words.append(["HELLO", "2"])
        words.append(channel.map { ["SUBSCRIBE", $0] } ?? ["PING"])
        for (place, command) in words.enumerated() {
            let isLast = place == words.count - 1
            _ = attempt.send(command.map { Array($0.utf8) }) { [weak self] reply in
                guard let self, number == self.attempts, let reply else { return }
                if command[0] == "HELLO" {
                    return Self.isReplica(reply) ? failed(number, Self.replica) : ()
                }
                if case .error(let text) = reply {
                    // Only the error code of a reply to AUTH is logged: some servers repeat the password in its text.
                    let reason = command[0] == "AUTH" ? text.prefix { $0.isUppercase } : text[...].prefix(200)
                    return failed(number, "it refuses \(command[0]): \(reason)")
                }
                if isLast { greeted() }
            }
        }
    }

    /// Whether the reply to `HELLO`, a list of names and values, says so.
    private static func isReplica(_ reply: RedisReply) -> Bool {
        guard let list = reply.list, let name = list.firstIndex(where: { $0.text == "role" }) else { return false }
        return list.dropFirst(name + 1).first?.text == "replica"
    }

    private func greeted() {
        guard case .greeting = life.state else { return }
        timer?.cancel()
        life.greeted(at: .now)
        if channel != nil { attempt?.listener = received }
        beat()
        onChange(.connected)
    }

    private func failed(_ number: UInt64, _ why: String) {
        guard number == attempts else { return }
        if case .greeting = life.state, !addresses.isEmpty {
            drop()
            return connectToNext()
        }
        let effects = life.ended(at: .now, chance: .random(in: 0...1))
        drop()
        perform(effects)
        onChange(.disconnected(why))
    }
}
