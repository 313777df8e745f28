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
    private let accessLog: AccessLog?
    private let clients: any ClientIdentifying
    private let figures: ServerStatistics
    private let limiter: ConnectionLimiter
    private let requestBudget: BodyBudget
    private let responseBudget: BodyBudget
    private let state = Guarded(State.fresh)

    /// - Parameters:
    ///   - clients: Determines which client a request belongs to; by default, each peer is a client.
    ///   - figures: Gives access to the server's statistics.
    ///   - accessLog: Receives a record of each request.
    public init(
        configuration: Configuration, responder: any Responder, clients: any ClientIdentifying = DirectPeers(),
        figures: ServerStatistics = ServerStatistics(), logger: Logger, accessLog: AccessLog? = nil
    ) {
        self.accessLog = accessLog
        self.clients = clients
        self.figures = figures
        limiter = ConnectionLimiter(
            limit: configuration.maximumConnections, perClient: configuration.maximumConnectionsPerClient)
        self.configuration = configuration
        self.responder = responder
        self.logger = logger
        requestBudget = BodyBudget(
            limit: configuration.maximumHeldBodies, perClient: configuration.maximumHeldBodiesPerClient)
        responseBudget = BodyBudget(
            limit: configuration.maximumHeldResponses, perClient: configuration.maximumHeldResponsesPerClient)
    }

    /// A server that is released without being stopped stops at once.
    deinit {
        guard case .running(let shards) = state.withLock({ $0 }) else { return }
        for shard in shards { Task { await shard.stop(within: .zero) } }
    }

    /// The path prefix under which everything is also served; empty for none.
    public var basePath: String { configuration.basePath }

    /// Connections open now.
    public var connectionCount: Int { limiter.value }

    /// Bytes of request bodies held in memory now.
    public var heldBodyBytes: Int { requestBudget.heldBytes }

    /// Bytes of responses waiting in memory now. Short responses, and those written at once, are not counted.
    public var heldResponseBytes: Int { responseBudget.heldBytes }

    /// Starts to listen, and returns the address to which clients can connect. Throws ``ServerError``.
    public func start() async throws -> SocketAddress {
        try configuration.validate()
        let address = try await resolveHost()
        let count = configuration.loopCount
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
                    clients: clients, limiter: limiter, requestBudget: requestBudget,
                    responseBudget: responseBudget, accessLog: accessLog)
            }
            for (shard, socket) in zip(shards, sockets) { shard.listen(on: socket) }
            state = .running(shards)
            figures.begin(limiter, shards.map(\.requests))
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
        // Resolving a name may block on the network, so it must not run on the cooperative pool.
        let (host, port) = (configuration.host, configuration.port)
        return try await withCheckedThrowingContinuation { continuation in
            DispatchQueue(label: "http.resolve").async {
                continuation.resume(with: Result { try SocketAddress.resolve(host: host, port: port) })
            }
        }
    }

    /// Stops the server: accepts no new connections, closes idle ones, lets pending responses finish within `limit`,
    /// then closes the rest. Returns when all connections are closed. Further calls return at once.
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
