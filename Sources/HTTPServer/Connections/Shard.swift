import CLinux
import Clients
import EventLoops
import Glibc
import Logging

/// One loop's share of a server: its listening socket, and the connections accepted on it.
///
/// `@unchecked Sendable`. Invariant: the mutable state belongs to `loop`.
final class Shard: @unchecked Sendable {
    let loop: EventLoop
    let configuration: HTTPServer.Configuration
    let limits: RequestParser.Limits
    let responder: any Responder
    let logger: Logger
    let clients: any ClientIdentifying
    /// Counts the open connections of all shards.
    let limiter: ConnectionLimiter
    /// The memory budget of all shards' request bodies.
    let requestBudget: BodyBudget
    /// The memory budget of all shards' waiting responses.
    let responseBudget: BodyBudget

    var encoder = ResponseEncoder()
    let requests: RequestCounter
    let basePath: [UInt8]
    let accessLog: AccessLog?
    /// Receives what is read, on its way to a parser.
    let readBuffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)
    private(set) var isStopping = false
    private var listener: Listener?
    private var connections: [Connection] = []
    /// What to close if there are too many connections; nil unless there were lately.
    private var evictions: EvictionQueue?
    private var sweepTimer: LoopTimer?
    private var lastSweep: UInt64 = 0
    private var whenEmpty: (() -> Void)?
    /// Connections waiting for their next turn.
    private var roundRobin = RoundRobin<Connection>()
    private var isRunningTurns = false

    init(
        loop: EventLoop, configuration: HTTPServer.Configuration, responder: any Responder, logger: Logger,
        clients: any ClientIdentifying, limiter: ConnectionLimiter, requestBudget: BodyBudget,
        responseBudget: BodyBudget, accessLog: AccessLog? = nil
    ) {
        self.accessLog = accessLog
        requests = RequestCounter(loop: loop)
        basePath = Array(configuration.basePath.utf8)
        self.loop = loop
        self.configuration = configuration
        self.responder = responder
        self.logger = logger
        self.clients = clients
        self.limiter = limiter
        self.requestBudget = requestBudget
        self.responseBudget = responseBudget
        limits = RequestParser.Limits(
            requestLine: configuration.maximumRequestLine, fields: configuration.maximumFields,
            fieldCount: configuration.maximumFieldCount, body: configuration.maximumBody)
    }

    deinit {
        readBuffer.deallocate()
    }

    /// A monotonic clock in nanoseconds: very cheap to read, and precise enough for timeouts.
    func now() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC_COARSE, &time)
        return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
    }

    /// Accepts connections from `socket`, of which it takes ownership.
    func listen(on socket: Int32, accept: @escaping Listener.Accept = Listener.accept) {
        loop.execute { [self] in
            let listener = Listener(socket: socket, shard: self, accept: accept)
            self.listener = listener
            listener.resume()
        }
    }

    // MARK: Connections

    func add(_ socket: Int32, peer: SocketAddress) {
        let connection = Connection(shard: self, socket: socket, peer: peer)
        do {
            try loop.watch(socket, for: [.read, .write, .edgeTriggered], handler: connection)
        } catch {
            logger.error("a connection could not be watched: \(error)")
            close(socket)
            return
        }
        connection.position = connections.count
        connections.append(connection)
        switch limiter.enter(connection.countedClient, makingRoom: { makeRoom(for: connection.countedClient) }) {
        case .admitted: break
        case .refused(let byClient): connection.refuseConnection(exceedsClientLimit: byClient)
        case .dropped: connection.tearDown(.disconnected, resets: true)
        }
        if sweepTimer == nil {
            lastSweep = now()
            scheduleSweep()
        }
    }

    /// Closes an idle connection in favour of one of `client`, unless that has as many as any other.
    private func makeRoom(for client: ClientAddress?) -> Bool {
        let now = now()
        // The new connection is the last one.
        if evictions?.isOutdated(at: now) ?? true { evictions = EvictionQueue(connections.dropLast(), at: now) }
        guard let connection = evictions?.next(for: client) else { return false }
        connection.tearDown(.disconnected)
        return true
    }

    func remove(_ connection: Connection) {
        let last = connections.removeLast()
        if last !== connection {
            connections[connection.position] = last
            last.position = connection.position
        }
        limiter.leave(connection.countedClient)
        listener?.descriptorWasFreed()
        if connections.isEmpty { finishStop() }
    }

    // MARK: Turns

    /// Lets a connection continue after others have had a turn.
    func enqueueTurn(of connection: Connection) {
        let isFirst = roundRobin.isEmpty && !isRunningTurns
        roundRobin.add(connection, of: connection.countedClient)
        if isFirst { loop.execute { [self] in runNextTurn() } }
    }

    /// Gives one turn per job, so that the loop handles events in between.
    private func runNextTurn() {
        isRunningTurns = true
        roundRobin.next()?.runTurn()
        isRunningTurns = false
        if !roundRobin.isEmpty { loop.execute { [self] in runNextTurn() } }
    }

    // MARK: Time

    /// How often timeouts are checked.
    private var sweepInterval: Duration {
        let limits = [
            configuration.headTimeout, configuration.idleTimeout, configuration.bodySilence,
            configuration.bodyWindow, configuration.writeTimeout, configuration.halfCloseTimeout,
            configuration.lingerTimeout,
        ]
        return min(max((limits.min() ?? .seconds(1)) / 4, .milliseconds(10)), .seconds(1))
    }

    private func scheduleSweep() {
        sweepTimer = loop.schedule(after: sweepInterval) { [weak self] in self?.sweep() }
    }

    private func sweep() {
        let now = now()
        // Time during which this process was not running doesn't count against the clients.
        let elapsed = min(Duration.nanoseconds(Int64(clamping: now - lastSweep)), sweepInterval * 2)
        lastSweep = now
        if evictions?.isOutdated(at: now) ?? false { evictions = nil }
        // In reverse, because removing a connection moves the last one to its index.
        for position in connections.indices.reversed() where position < connections.count {
            connections[position].sweep(now: now, elapsed: elapsed)
        }
        if connections.isEmpty { sweepTimer = nil } else { scheduleSweep() }
    }

    // MARK: End

    /// Closes the listening socket, lets pending responses finish within `limit`, and closes the rest.
    func stop(within limit: Duration) async {
        await withCheckedContinuation { continuation in
            loop.execute { [self] in
                guard !isStopping else {
                    continuation.resume()
                    return
                }
                isStopping = true
                whenEmpty = { continuation.resume() }
                listener?.acceptAll()
                listener?.close()
                listener = nil
                for connection in connections { connection.closeGracefully() }
                guard !connections.isEmpty else {
                    finishStop()
                    return
                }
                loop.schedule(after: limit) { [self] in
                    for connection in connections { connection.tearDown(.aborted, resets: true) }
                }
            }
        }
        await loop.stop()
    }

    private func finishStop() {
        guard isStopping, let whenEmpty else { return }
        self.whenEmpty = nil
        sweepTimer?.cancel()
        whenEmpty()
    }
}
