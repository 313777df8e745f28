import EventLoops

/// One connection that comes back: greets the server, and tries again after a pause when it is away.
///
/// On the loop only.
final class RedisLink {
    /// What became of it.
    enum Change: Hashable {
        case connected
        /// It was connected, or another attempt was in vain; why, for the log.
        case away(String)
    }

    private let address: RedisAddress
    private let greetingTime: Duration
    private let loop: EventLoop
    private let lookup: HostLookup
    private let onChange: (Change) -> Void
    private var life: ConnectionLife
    private var attempt: RedisConnection?
    /// Ends a pause or a greeting.
    private var timer: LoopTimer?
    /// Tells the answers of one attempt from those of one before.
    private var attempts: UInt64 = 0

    init(
        _ address: RedisAddress, _ configuration: RedisClient.Configuration, loop: EventLoop, lookup: HostLookup,
        onChange: @escaping (Change) -> Void
    ) {
        self.address = address
        self.loop = loop
        self.lookup = lookup
        self.onChange = onChange
        greetingTime = configuration.greetingTime
        life = ConnectionLife(
            mostSilent: configuration.mostSilent, firstPause: configuration.firstPause,
            longestPause: configuration.longestPause)
    }

    /// The connection, once the server has let one in.
    var connection: RedisConnection? { life.isConnected ? attempt : nil }

    func start() { perform(life.woke()) }

    func stop() { perform(life.stop()) }

    func answered() { life.answered() }

    func timedOut() {
        let wasConnected = life.isConnected
        perform(life.timedOut(chance: .random(in: 0...1)))
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
            case .drop:
                timer?.cancel()
                attempts += 1
                let dropped = attempt
                attempt = nil
                dropped?.close()
            }
        }
    }

    private func connect() {
        attempts += 1
        let number = attempts
        timer = loop.schedule(after: greetingTime) { [weak self] in self?.failed(number, "it does not answer in time") }
        // Invariant of the unchecked capture: it is touched on the loop only.
        nonisolated(unsafe) weak let link = self
        lookup.find(address.host) { [loop] found in
            loop.execute { link?.connect(to: found, number) }
        }
    }

    private func connect(to found: String?, _ number: UInt64) {
        guard number == attempts, case .greeting = life.state else { return }
        guard let found else { return failed(number, "its name is not known") }
        attempt = RedisConnection(
            address: found, port: address.port, loop: loop,
            onOpen: { [weak self] in self?.greet($0, number) },
            onEnd: { [weak self] _ in self?.failed(number, "the connection was closed or refused") })
        if attempt == nil { failed(number, "no connection could be begun") }
    }

    private func greet(_ connection: RedisConnection, _ number: UInt64) {
        var words: [[String]] = []
        if let password = address.password { words.append(["AUTH"] + (address.user.map { [$0] } ?? []) + [password]) }
        if address.database != 0 { words.append(["SELECT", "\(address.database)"]) }
        words.append(["PING"])
        for (place, command) in words.enumerated() {
            let isLast = place == words.count - 1
            _ = connection.send(command.map { Array($0.utf8) }) { [weak self] reply in
                guard let self, number == attempts, let reply else { return }
                if case .error(let text) = reply {
                    // Of a password its first word alone is told: some servers repeat what was sent.
                    let reason = command[0] == "AUTH" ? text.prefix { $0.isUppercase } : text[...].prefix(200)
                    return failed(number, "it refuses \(command[0]): \(reason)")
                }
                if isLast { greeted(number) }
            }
        }
    }

    private func greeted(_ number: UInt64) {
        guard number == attempts, case .greeting = life.state else { return }
        timer?.cancel()
        life.greeted()
        onChange(.connected)
    }

    private func failed(_ number: UInt64, _ why: String) {
        guard number == attempts else { return }
        attempts += 1
        timer?.cancel()
        let failed = attempt
        attempt = nil
        let effects = life.ended(chance: .random(in: 0...1))
        failed?.close()
        perform(effects)
        onChange(.away(why))
    }
}
