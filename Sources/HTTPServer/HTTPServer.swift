import Dispatch
import EventLoops
import Glibc
import Locking
import Logging

/// An HTTP/1.1 server (RFC 9110, 9112) on a few event loops.
///
///     let server = HTTPServer(configuration: configuration, responder: router, logger: logger)
///     let address = try await server.start()
///     …
///     await server.stop(within: .seconds(10))
public final class HTTPServer: Sendable {
    private enum State {
        case fresh
        case running([Shard])
        case stopped
    }

    private let configuration: Configuration
    private let responder: any Responder
    private let logger: Logger
    private let clients: any ClientRecognising
    private let figures: ServerFigures
    private let census: Census
    private let bodies: BodyBudget
    private let answers: BodyBudget
    private let state = Guarded(State.fresh)

    /// - Parameters:
    ///   - clients: Tells whose requests come; by default everybody's are its own.
    ///   - figures: Where to look what the server does.
    public init(
        configuration: Configuration, responder: any Responder, clients: any ClientRecognising = PeersAlone(),
        figures: ServerFigures = ServerFigures(), logger: Logger
    ) {
        self.clients = clients
        self.figures = figures
        census = Census(limit: configuration.maximumConnections, perClient: configuration.maximumConnectionsPerClient)
        self.configuration = configuration
        self.responder = responder
        self.logger = logger
        bodies = BodyBudget(
            limit: configuration.maximumHeldBodies, perClient: configuration.maximumHeldBodiesPerClient)
        answers = BodyBudget(
            limit: configuration.maximumHeldAnswers, perClient: configuration.maximumHeldAnswersPerClient)
    }

    /// A server that nobody can stop any more stops at once.
    deinit {
        guard case .running(let shards) = state.withLock({ $0 }) else { return }
        for shard in shards { Task { await shard.stop(within: .zero) } }
    }

    /// Open connections at this moment.
    public var connectionCount: Int { census.value }

    /// Bytes of request bodies that are held in memory at this moment.
    public var heldBodyBytes: Int { bodies.heldBytes }

    /// Bytes of answers that wait in memory at this moment. What was written at once, and short answers, are not counted.
    public var heldAnswerBytes: Int { answers.heldBytes }

    /// Listens, and returns the address that clients can connect to from now on. Throws ``ServerError``.
    public func start() async throws -> SocketAddress {
        try configuration.validate()
        let address = try await resolveHost()
        let count = configuration.loopCount
        let diskQueues = DiskQueues()
        return try state.withLock { state in
            guard case .fresh = state else { throw ServerError.alreadyStarted }
            let (sockets, bound) = try ListeningSockets.open(max(count, 1), at: address, configuration)
            let loops: [EventLoop]
            do {
                loops = try Self.makeLoops(sockets.count)
            } catch {
                for socket in sockets { close(socket) }
                throw error
            }
            let shards = loops.map { loop in
                Shard(
                    loop: loop, configuration: configuration, responder: responder, logger: logger,
                    clients: clients, diskQueues: diskQueues, census: census, bodies: bodies,
                    answers: answers)
            }
            for (shard, socket) in zip(shards, sockets) { shard.listen(on: socket) }
            state = .running(shards)
            figures.begin(census, loops)
            return bound
        }
    }

    private static func makeLoops(_ count: Int) throws -> [EventLoop] {
        var loops: [EventLoop] = []
        do {
            for index in 0..<count { loops.append(try EventLoop(label: "http.loop.\(index)")) }
            return loops
        } catch {
            for loop in loops { Task { await loop.stop() } }
            throw error
        }
    }

    private func resolveHost() async throws -> SocketAddress {
        // A name may be looked up over the network: not on a thread of the cooperative pool.
        let (host, port) = (configuration.host, configuration.port)
        return try await withCheckedThrowingContinuation { continuation in
            DispatchQueue(label: "http.resolve").async {
                continuation.resume(with: Result { try SocketAddress.resolve(host: host, port: port) })
            }
        }
    }

    /// Stops: takes no new connection, closes those that rest, lets answers under way finish within `limit`, then
    /// closes what is left. Returns when all connections are closed. Further calls return at once.
    public func stop(within limit: Duration) async {
        figures.beginStop()
        let shards = state.withLock { state -> [Shard] in
            defer { state = .stopped }
            guard case .running(let shards) = state else { return [] }
            return shards
        }
        await withTaskGroup { group in
            for shard in shards { group.addTask { await shard.stop(within: limit) } }
        }
    }
}
