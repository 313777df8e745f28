import Addresses
import Clients
import EventLoops
import Glibc
import HTTPTypes
import Logging
import Synchronization
import Testing

@testable import HTTPServer

@Suite(.timeLimit(.minutes(1)))
struct ConnectionLimitTests {
    private let get = "GET / HTTP/1.1\r\nHost: h\r\n\r\n"

    @Test func `a connection over the limit gets a 503, and the others stay open`() async throws {
        try await withServer(Router.echo(), configure: { $0.maximumConnections = 2 }) { server in
            let first = try server.connect()
            let second = try server.connect()
            for client in [first, second] {
                try await client.send(get)
                #expect(try await client.receive().status == 200)
            }
            let third = try server.connect()
            let refusal = try await third.receive()
            #expect(refusal.status == 503)
            #expect(refusal.headers[.retryAfter] != nil)
            #expect(try await third.receiveToEnd().isEmpty)
            try await first.send(get)
            #expect(try await first.receive().status == 200)
        }
    }

    @Test func `the number of connections is limited per client, but not for a proxy`() async throws {
        for (isProxy, expected) in [(false, 429), (true, 200)] {
            let clients: any ClientIdentifying = isProxy ? AnyProxy() : DirectPeers()
            try await withServer(
                Router.echo(), clients: clients, configure: { $0.maximumConnectionsPerClient = 2 }
            ) { server in
                let kept = try (0..<2).map { _ in try server.connect() }
                for client in kept {
                    try await client.send(get)
                    #expect(try await client.receive().status == 200)
                }
                let third = try server.connect()
                if isProxy { try await third.send(get) }
                #expect(try await third.receive().status == expected)
                try await kept[0].send(get)
                #expect(try await kept[0].receive().status == 200)
            }
        }
    }

    @Test func `the client named by a proxy is the request's client`() async throws {
        let responder = Router.naming()
        try await withServer(responder, clients: AnyProxy()) { server in
            let client = try server.connect()
            try await client.send("GET / HTTP/1.1\r\nHost: h\r\nX-Test: 7\r\n\r\n")
            #expect(try await client.receive().text == "0.0.0.7")
            try await client.send("GET / HTTP/1.1\r\nHost: h\r\nX-Test: 8\r\n\r\n")
            #expect(try await client.receive().text == "0.0.0.8")
        }
    }

    @Test func `a closed connection makes room for another`() async throws {
        try await withServer(Router.echo(), configure: { $0.maximumConnections = 1 }) { server in
            for _ in 0..<50 {
                let client = try server.connect()
                try await client.send("GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")
                #expect(try await client.receive().status == 200)
                #expect(try await client.receiveToEnd().isEmpty)
                client.finish()
                try await waitUntil { server.server.connectionCount == 0 }
            }
        }
    }

    @Test func `accepting pauses while no file descriptors are free, and then resumes`() async throws {
        let calls = Atomic<Int>(0)
        let isExhausted = Atomic<Bool>(true)
        let loop = try EventLoop(label: "test")
        let shard = Shard(
            loop: loop, configuration: .init(), responder: Router.echo(), logger: .silent,
            clients: DirectPeers(), limiter: ConnectionLimiter(limit: 10, perClient: 10),
            requestBudget: BodyBudget(limit: 1_000_000, perClient: 1_000_000),
            responseBudget: BodyBudget(limit: 1_000_000, perClient: 1_000_000))
        let (sockets, address) = try ListeningSockets.open(1, at: SocketAddress(ip: .v4(0x7F00_0001), port: 0), .init())
        shard.listen(on: sockets[0]) { socket, address, length in
            calls.wrappingAdd(1, ordering: .relaxed)
            guard isExhausted.load(ordering: .relaxed) else { return Listener.accept(socket, address, length) }
            errno = EMFILE
            return -1
        }
        let start = ContinuousClock.now
        let client = try TestClient(to: address)
        try await client.send(get)
        try await waitUntil { calls.load(ordering: .relaxed) >= 2 }
        // One attempt per 200 ms, rather than as many as possible.
        let tries = (ContinuousClock.now - start) / .milliseconds(200)
        #expect(Double(calls.load(ordering: .relaxed)) <= tries + 3)
        isExhausted.store(false, ordering: .relaxed)
        #expect(try await client.receive().status == 200)
        await shard.stop(within: .zero)
    }
}

extension Logger {
    static var silent: Logger {
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        return logger
    }
}

/// Waits for a condition that nothing signals, for at most 20 s.
func waitUntil(_ condition: () -> Bool) async throws {
    let deadline = ContinuousClock.now + .seconds(20)
    while !condition() {
        guard ContinuousClock.now < deadline else { throw TestError(description: "the condition stayed false") }
        try await Task.sleep(for: .milliseconds(1))
    }
}

/// Treats every peer as a proxy, and `X-Test` as the number of its client.
private struct AnyProxy: ClientIdentifying {
    func isProxy(_ peer: SocketAddress) -> Bool { true }

    func client(behind proxy: SocketAddress, _ headers: RequestHeaders) -> ClientAddress {
        ClientAddress(.v4(headers[HTTPField.Name("X-Test")!].flatMap(UInt32.init) ?? 0))
    }
}

extension Router {
    /// Responds with the client's name.
    fileprivate static func naming() -> Router {
        var router = Router(logger: .silent)
        router.get("/") { request, reply in reply.send(Response(text: request.client.description)) }
        return router
    }
}
