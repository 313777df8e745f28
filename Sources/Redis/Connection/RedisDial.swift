import Addresses
import EventLoops
import TLS

/// One attempt to connect: asks Sentinels where the master is, resolves names, and tries each address in turn until a
/// master accepts.
///
/// On the event loop only.
final class RedisDial {
    private enum Candidate {
        case server(RedisAddress.Host)
        case sentinel(RedisAddress.Host)
        case socket(String)

        /// Where its certificate must be valid.
        var host: RedisAddress.Host? {
            switch self {
            case .server(let host), .sentinel(let host): host
            case .socket: nil
            }
        }
    }

    private let address: RedisAddress
    private let channel: String?
    private let configuration: RedisClient.Configuration
    private let loop: EventLoop
    private let lookup: HostLookup
    private var completion: ((Outcome) -> Void)?
    /// Those not tried yet, the next one last.
    private var candidates: [Candidate]
    private var candidate: Candidate?
    /// The candidate's addresses not tried yet.
    private var addresses: ArraySlice<HostAddress> = []
    private var connection: RedisConnection?
    private var timer: LoopTimer?
    /// Distinguishes events of the current address from those of earlier ones.
    private var step: UInt64 = 0
    /// The masters that Sentinels named.
    private var named: Set<RedisAddress.Host> = []
    /// Why each candidate so far cannot be used.
    private var reasons: [(host: RedisAddress.Host?, reason: RedisOutage)] = []
    /// Reread for each attempt, because certificates get renewed.
    private lazy var context: Result<TLSContext, TLSError>? = address.tls.map { settings in
        do throws(TLSError) { return .success(try TLSContext(settings)) } catch { return .failure(error) }
    }

    enum Outcome {
        /// The host is nil for a socket.
        case accepted(RedisConnection, RedisAddress.Host?)
        case failed(RedisOutage)
    }

    /// The maximum number of addresses to try for one name. A name with more addresses than this has them for load
    /// balancing, not for availability.
    private static let maximumAddresses = 4

    /// - Parameters:
    ///   - channel: If given, the connection is subscribed to it.
    ///   - replica: A server that turned out to be a replica although it does not report its role; it is tried last.
    ///   - completion: Called once, unless the attempt is cancelled before. May be called by ``start()``.
    init(
        _ address: RedisAddress, channel: String?, replica: RedisAddress.Host? = nil,
        _ configuration: RedisClient.Configuration, loop: EventLoop,
        lookup: HostLookup, completion: @escaping (Outcome) -> Void
    ) {
        self.address = address
        self.channel = channel
        self.configuration = configuration
        self.loop = loop
        self.lookup = lookup
        self.completion = completion
        let candidates: [Candidate] =
            switch address.endpoint {
            case .servers(let hosts):
                (hosts.filter { $0 != replica } + hosts.filter { $0 == replica }).map { .server($0) }
            case .sentinels(let hosts, _): hosts.map { .sentinel($0) }
            case .socket(let path): [.socket(path)]
            }
        self.candidates = candidates.reversed()
    }

    func start() { next() }

    func cancel() {
        completion = nil
        leave()
    }

    private func end(_ outcome: Outcome) {
        let completion = completion
        self.completion = nil
        completion?(outcome)
    }

    /// Drops the current address.
    private func leave() {
        step += 1
        timer?.cancel()
        let left = connection
        connection = nil
        left?.close()
    }

    // MARK: - One address after the other

    private func next() {
        if let address = addresses.popFirst() { return connect(to: address) }
        candidate = candidates.popLast()
        switch candidate {
        case nil: end(.failed(RedisOutage(reasons)))
        case .socket(let path):
            guard let address = HostAddress(socketPath: path) else {
                return fail(step, RedisOutage("its path is too long"))
            }
            connect(to: address)
        case .server(let host), .sentinel(let host):
            step += 1
            lookup.find(host.name, host.port, within: configuration.lookupTime) { [weak self, step] answer in
                guard let self, step == self.step else { return }
                switch answer {
                case .found(let found):
                    addresses = found.prefix(Self.maximumAddresses)
                    next()
                case .unknown: fail(step, RedisOutage("its name does not resolve"))
                case .late: fail(step, RedisOutage("resolving its name timed out"))
                }
            }
        }
    }

    private func connect(to target: HostAddress) {
        step += 1
        let step = step
        do {
            let connection = try RedisConnection(target, configuration, tls: session(), loop: loop)
            self.connection = connection
            connection.onOpen = { [weak self] in self?.opened(step) }
            connection.onEnd = { [weak self] in self?.fail(step, RedisOutage($0)) }
        } catch let error as TLSError {
            return fail(step, RedisOutage(error.description, publicReason: "TLS could not be set up"))
        } catch {
            return fail(step, RedisOutage((error as? RedisConnection.ConnectError)?.reason ?? "\(error)"))
        }
        timer = loop.schedule(after: configuration.greetingTime) { [weak self] in
            // If this process was not scheduled for a while, the reply may have arrived without having been read.
            self?.connection?.takeArrived()
            let isHandshaking = self?.connection?.isHandshaking ?? false
            let verb = isHandshaking ? "complete the TLS handshake" : "respond"
            self?.fail(step, RedisOutage("it did not \(verb) in time"))
        }
    }

    private func session() throws(TLSError) -> TLSSession? {
        guard let context, let host = candidate?.host else { return nil }
        return try TLSSession(context.get(), host: host.name)
    }

    /// Continues with the next address.
    private func fail(_ step: UInt64, _ why: RedisOutage) {
        guard step == self.step else { return }
        leave()
        // Report only the last failure of each host.
        if let last = reasons.indices.last, reasons[last].host == candidate?.host { reasons.removeLast() }
        reasons.append((candidate?.host, why))
        next()
    }

    // MARK: - The greeting

    private func opened(_ step: UInt64) {
        guard step == self.step else { return }
        if case .sentinel = candidate { return ask(step) }
        var words = address.database == 0 ? [] : [["SELECT", "\(address.database)"]]
        // Servers older than Redis 6, or whose ACL forbids HELLO, do not report their role.
        words.append(["HELLO", "2"])
        words.append(channel.map { ["SUBSCRIBE", $0] } ?? ["PING"])
        authenticate(step)
        for (place, command) in words.enumerated() {
            send(step, command) { [weak self] reply in
                guard let self else { return }
                if command[0] == "HELLO" { return Self.isReplica(reply) ? fail(step, .replica) : () }
                if case .error(let text) = reply { return fail(step, .refused(command[0], text)) }
                if place == words.count - 1 { accepted() }
            }
        }
    }

    private func authenticate(_ step: UInt64) {
        guard let password = address.password else { return }
        send(step, ["AUTH"] + (address.user.map { [$0] } ?? []) + [password]) { [weak self] reply in
            if case .error(let text) = reply { self?.fail(step, .refused("AUTH", text)) }
        }
    }

    /// - Parameter answer: Called with the reply, unless the address has been left meanwhile.
    private func send(_ step: UInt64, _ command: [String], answer: @escaping (RedisReply) -> Void) {
        _ = connection?.send(command.map { Array($0.utf8) }) { [weak self] reply in
            guard let reply, step == self?.step else { return }
            answer(reply)
        }
    }

    /// Whether the reply to `HELLO`, a flat list of names and values, gives the role as replica.
    private static func isReplica(_ reply: RedisReply) -> Bool {
        guard let list = reply.list, let name = list.firstIndex(where: { $0.text == "role" }) else { return false }
        return list.dropFirst(name + 1).first?.text == "replica"
    }

    private func accepted() {
        timer?.cancel()
        step += 1
        guard let connection else { return }
        self.connection = nil
        end(.accepted(connection, candidate?.host))
    }

    // MARK: - Sentinels

    /// Asks a Sentinel for the master's address, which is tried next. Sentinels rarely require a password;
    /// one that does is sent the servers' password.
    private func ask(_ step: UInt64, hasAuthenticated: Bool = false) {
        guard case .sentinels(_, let name) = address.endpoint else { return }
        send(step, ["SENTINEL", "GET-MASTER-ADDR-BY-NAME", name]) { [weak self] reply in
            guard let self else { return }
            if case .error(let text) = reply {
                guard text.hasPrefix("NOAUTH"), !hasAuthenticated, address.password != nil else {
                    return fail(step, .refused("SENTINEL", text))
                }
                authenticate(step)
                return ask(step, hasAuthenticated: true)
            }
            guard let list = reply.list, list.count == 2, let host = list[0].text, let port = list[1].text,
                let port = UInt16(port), port > 0, ServerURL.isHost(host), !host.isEmpty
            else {
                return fail(
                    step, RedisOutage("it knows no master named \(name)", publicReason: "no master has this name"))
            }
            leave()
            addresses = []
            let master = RedisAddress.Host(name: host, port: port)
            if named.insert(master).inserted { candidates.append(.server(master)) }
            next()
        }
    }
}
