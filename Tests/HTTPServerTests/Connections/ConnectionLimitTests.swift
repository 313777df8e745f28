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

    @Test func `one connection too many is told so, and the others live on`() async throws {
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

    @Test func `a client has so many connections, and a proxy as many as there are`() async throws {
        for (isProxy, expected) in [(false, 429), (true, 200)] {
            let clients: any ClientRecognising = isProxy ? AnyProxy() : PeersAlone()
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

    @Test func `whom a proxy names is the request's client`() async throws {
        let responder = Router.naming()
        try await withServer(responder, clients: AnyProxy()) { server in
            let client = try server.connect()
            try await client.send("GET / HTTP/1.1\r\nHost: h\r\nX-Test: 7\r\n\r\n")
            #expect(try await client.receive().text == "0.0.0.7")
            try await client.send("GET / HTTP/1.1\r\nHost: h\r\nX-Test: 8\r\n\r\n")
            #expect(try await client.receive().text == "0.0.0.8")
        }
    }

    @Test func `a place that is given back is taken again`() async throws {
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

    @Test func `without descriptors accepting rests, and goes on when there are some`() async throws {
        let calls = Atomic<Int>(0)
        let isExhausted = Atomic<Bool>(true)
        let loop = try EventLoop(label: "test")
        let shard = Shard(
            loop: loop, configuration: .init(), responder: Router.echo(), logger: .silent,
            clients: PeersAlone(), diskQueues: DiskQueues(), census: Census(limit: 10, perClient: 10),
            bodies: BodyBudget(limit: 1_000_000, perClient: 1_000_000),
            answers: BodyBudget(limit: 1_000_000, perClient: 1_000_000))
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
        // One try in 200 ms, and not as many as there is time for.
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

/// Waits for something that nobody reports, for at most 20 s.
func waitUntil(_ condition: () -> Bool) async throws {
    let deadline = ContinuousClock.now + .seconds(20)
    while !condition() {
        guard ContinuousClock.now < deadline else { throw TestError(description: "it did not come true in time") }
        try await Task.sleep(for: .milliseconds(1))
    }
}

/// Says of everybody that it asks for whom `X-Test` numbers.
private struct AnyProxy: ClientRecognising {
    func isProxy(_ peer: SocketAddress) -> Bool { true }

    func client(behind proxy: SocketAddress, _ headers: RequestHeaders) -> Client {
        Client(.v4(headers[HTTPField.Name("X-Test")!].flatMap(UInt32.init) ?? 0))
    }
}

extension Router {
    /// Answers with the client's name.
    fileprivate static func naming() -> Router {
        var router = Router(logger: .silent)
        router.get("/") { request, reply in reply.send(Response(text: request.client.description)) }
        return router
    }
}
