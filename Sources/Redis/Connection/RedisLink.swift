import EventLoops

/// One connection that comes back: greets the server, and tries again after a pause when it is away. With a channel, it is
/// for hearing what is published there, and of no other use.
///
/// On the loop only.
final class RedisLink {
    private let address: RedisAddress
    private let channel: String?
    private let heard: ([UInt8]) -> Void
    let configuration: RedisClient.Configuration
    let loop: EventLoop
    private let lookup: HostLookup
    private let onChange: (RedisClient.State) -> Void
    var life: ConnectionLife
    private var attempt: RedisConnection?
    /// Of the server's, those that were not tried in this attempt.
    private var addresses: ArraySlice<HostAddress> = []
    /// Ends a pause or a greeting.
    private var timer: LoopTimer?
    var heartbeat: LoopTimer?
    /// Tells the answers of one attempt from those of one before.
    private var attempts: UInt64 = 0
    /// What is to be done when no command waits any more.
    var whenQuiet: (() -> Void)?

    /// Of one name; who has more of them has them for other reasons than that one may be away.
    private static let mostAddresses = 4

    /// - Parameters:
    ///   - heard: Called with each message of the channel.
    ///   - onChange: Told of each state, and again after each attempt in vain.
    init(
        _ address: RedisAddress, channel: String? = nil, _ configuration: RedisClient.Configuration, loop: EventLoop,
        lookup: HostLookup, heard: @escaping ([UInt8]) -> Void = { _ in },
        onChange: @escaping (RedisClient.State) -> Void
    ) {
        self.address = address
        self.channel = channel
        self.heard = heard
        self.configuration = configuration
        self.loop = loop
        self.lookup = lookup
        self.onChange = onChange
        life = ConnectionLife(configuration)
    }

    /// The connection, once the server has let one in.
    var connection: RedisConnection? { life.isConnected ? attempt : nil }

    func start() { perform(life.woke()) }

    func stop() { perform(life.stop()) }

    /// A command's time ran out.
    func timedOut() {
        let wasConnected = life.isConnected
        perform(life.timedOut(at: .now, chance: .random(in: 0...1)))
        if wasConnected, !life.isConnected { onChange(.away("it does not answer")) }
    }

    private func perform(_ effects: [ConnectionLife.Effect]) {
        for effect in effects {
            switch effect {
            case .connect: connect()
            case .wait(let pause):
                timer?.cancel()
                timer = loop.schedule(after: pause) { [weak self] in
                    guard let self else { return }
                    perform(life.woke())
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
                addresses = found.prefix(Self.mostAddresses)
                connectToNext()
            case .unknown: failed(attempts, "its name is not known")
            case .late: failed(attempts, "its name was not found in time")
            }
        }
    }

    /// Tries the next of its addresses.
    private func connectToNext() {
        guard let address = addresses.popFirst() else { return }
        attempts += 1
        let number = attempts
        timer = loop.schedule(after: configuration.greetingTime) { [weak self] in
            self?.attempt?.takeArrived()
            guard let self, case .greeting = life.state else { return }
            failed(number, "it does not answer in time")
        }
        attempt = RedisConnection(
            address, configuration, loop: loop, onOpen: { [weak self] in self?.greet(number) },
            onEnd: { [weak self] in self?.failed(number, $0) })
        if attempt == nil { failed(number, "no connection could be begun") }
    }

    private func greet(_ number: UInt64) {
        guard number == attempts, let attempt else { return }
        var words: [[String]] = []
        if let password = address.password { words.append(["AUTH"] + (address.user.map { [$0] } ?? []) + [password]) }
        if address.database != 0 { words.append(["SELECT", "\(address.database)"]) }
        words.append(channel.map { ["SUBSCRIBE", $0] } ?? ["PING"])
        for (place, command) in words.enumerated() {
            let isLast = place == words.count - 1
            _ = attempt.send(command.map { Array($0.utf8) }) { [weak self] reply in
                guard let self, number == self.attempts, let reply else { return }
                if case .error(let text) = reply {
                    // Of a password its first word alone is told: some servers repeat what was sent.
                    let reason = command[0] == "AUTH" ? text.prefix { $0.isUppercase } : text[...].prefix(200)
                    return failed(number, "it refuses \(command[0]): \(reason)")
                }
                if isLast { greeted() }
            }
        }
    }

    private func greeted() {
        guard case .greeting = life.state else { return }
        timer?.cancel()
        life.greeted(at: .now)
        if channel != nil { attempt?.listener = heard }
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
        onChange(.away(why))
    }
}
