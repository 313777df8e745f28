import CLinux
import EventLoops
import Glibc
import Logging

/// One loop's share of a server: its listening socket and the connections that came in by it.
///
/// `@unchecked Sendable`. Invariant: the mutable state belongs to `loop`.
final class Shard: @unchecked Sendable {
    let loop: EventLoop
    let configuration: HTTPServer.Configuration
    let limits: RequestParser.Limits
    let responder: any Responder
    let logger: Logger
    let diskQueues: DiskQueues
    let clients: any ClientRecognising
    /// Open connections of all shards.
    let census: Census
    /// What the request bodies of all shards may hold.
    let bodies: BodyBudget
    /// What the answers of all shards may hold that wait to be written.
    let answers: BodyBudget

    var encoder = ResponseEncoder()
    /// What is read goes through here on its way to a parser.
    let readBuffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)
    private(set) var isStopping = false
    private var listener: Listener?
    private var connections: [Connection] = []
    private var sweepTimer: LoopTimer?
    private var lastSweep: UInt64 = 0
    private var whenEmpty: (() -> Void)?
    /// Connections that wait for their next turn.
    private var rounds = Rounds<Connection>()
    private var isGivingTurn = false

    init(
        loop: EventLoop, configuration: HTTPServer.Configuration, responder: any Responder, logger: Logger,
        clients: any ClientRecognising, diskQueues: DiskQueues, census: Census, bodies: BodyBudget,
        answers: BodyBudget
    ) {
        self.loop = loop
        self.configuration = configuration
        self.responder = responder
        self.logger = logger
        self.clients = clients
        self.diskQueues = diskQueues
        self.census = census
        self.bodies = bodies
        self.answers = answers
        limits = RequestParser.Limits(
            requestLine: configuration.maximumRequestLine, fields: configuration.maximumFields,
            fieldCount: configuration.maximumFieldCount, body: configuration.maximumBody)
    }

    deinit {
        readBuffer.deallocate()
    }

    /// A monotonic clock in nanoseconds, as fine as limits of time need it and very cheap to read.
    func now() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC_COARSE, &time)
        return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
    }

    /// Takes connections from `socket`, which it owns from now on.
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
        switch census.enter(connection.countsFor) {
        case .admitted: break
        case .turnedAway(let byClient): connection.turnAway(hasTooMany: byClient)
        case .dropped: connection.tearDown(.disconnected, resets: true)
        }
        if sweepTimer == nil {
            lastSweep = now()
            scheduleSweep()
        }
    }

    func remove(_ connection: Connection) {
        let last = connections.removeLast()
        if last !== connection {
            connections[connection.position] = last
            last.position = connection.position
        }
        census.leave(connection.countsFor)
        listener?.descriptorWasFreed()
        if connections.isEmpty { finishStop() }
    }

    // MARK: Turns

    /// Has a connection go on once others have had their turn.
    func queueTurn(of connection: Connection) {
        let isFirst = rounds.isEmpty && !isGivingTurn
        rounds.add(connection, of: connection.countsFor)
        if isFirst { loop.execute { [self] in giveTurn() } }
    }

    /// One at a time: the loop looks for news in between.
    private func giveTurn() {
        isGivingTurn = true
        rounds.next()?.goOn()
        isGivingTurn = false
        if !rounds.isEmpty { loop.execute { [self] in giveTurn() } }
    }

    // MARK: Time

    /// How often the connections are looked over.
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
        // Time in which this process did not get to run is not held against the clients.
        let elapsed = min(Duration.nanoseconds(Int64(clamping: now - lastSweep)), sweepInterval * 2)
        lastSweep = now
        // Backwards, since a connection that ends gives its place to the last.
        for position in connections.indices.reversed() where position < connections.count {
            connections[position].sweep(now: now, elapsed: elapsed)
        }
        if connections.isEmpty { sweepTimer = nil } else { scheduleSweep() }
    }

    // MARK: The end

    /// Closes the listening socket, lets what is under way finish within `limit`, and closes the rest.
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
                for connection in connections { connection.windUp() }
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
