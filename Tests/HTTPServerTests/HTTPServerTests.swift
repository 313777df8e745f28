import Glibc
import HTTPTypes
import Testing

@testable import HTTPServer

@Suite(.timeLimit(.minutes(1)))
struct HTTPServerTests {
    private let get = "GET / HTTP/1.1\r\nHost: h\r\n\r\n"

    private func server(_ configuration: HTTPServer.Configuration, _ responder: any Responder = Router()) -> HTTPServer
    {
        HTTPServer(configuration: configuration, responder: responder, logger: .silent)
    }

    @Test func `port 0 picks a free port, on which all loops listen`() async throws {
        try await withServer(Router.echo(), configure: { $0.loops = 4 }) { server in
            #expect(server.address.port != 0)
            #expect(server.address.host == "127.0.0.1")
            let clients = try (0..<32).map { _ in try server.connect() }
            for client in clients { try await client.send(get) }
            for client in clients { #expect(try await client.receive().status == 200) }
        }
    }

    @Test func `a port in use is an error that names it`() async throws {
        try await withServer(Router()) { running in
            var configuration = HTTPServer.Configuration()
            configuration.port = running.address.port
            let second = server(configuration)
            await #expect(throws: ServerError.portInUse(running.address)) { try await second.start() }
        }
    }

    @Test func `an unresolvable host is an error`() async {
        var configuration = HTTPServer.Configuration()
        configuration.host = "256.256.256.256"
        let server = server(configuration)
        await #expect(throws: ServerError.self) { try await server.start() }
    }

    @Test func `a host address of another machine is an error`() async {
        var configuration = HTTPServer.Configuration()
        configuration.host = "192.0.2.1"
        let server = server(configuration)
        let address = SocketAddress(ip: .v4(0xC000_0201), port: 0)
        await #expect(throws: ServerError.cannotListen(address, code: EADDRNOTAVAIL)) { try await server.start() }
    }

    @Test func `an invalid configuration is an error before any socket is opened`() async {
        var configuration = HTTPServer.Configuration()
        configuration.pipelineDepth = 0
        let server = server(configuration)
        await #expect(throws: ServerError.invalidConfiguration("pipelineDepth: at least 1")) {
            try await server.start()
        }
    }

    @Test func `a server starts only once`() async throws {
        try await withServer(Router()) { running in
            _ = await #expect(throws: ServerError.alreadyStarted) { try await running.server.start() }
        }
    }

    @Test func `addresses are written as in a URL`() {
        #expect(SocketAddress(ip: .v4(0x7F00_0001), port: 80).description == "127.0.0.1:80")
        #expect(SocketAddress(ip: .v6(0, 1, zone: 0), port: 80).description == "[::1]:80")
        #expect(SocketAddress(ip: .v6(0x2001_0db8_0000_0000, 0x1_0000, zone: 0), port: 8).host == "2001:db8::1:0")
    }

    // MARK: Stop

    @Test func `stopping closes idle connections and refuses new ones`() async throws {
        let running = try await started(Router.echo())
        let client = try running.connect()
        try await client.send(get)
        #expect(try await client.receive().status == 200)
        await running.server.stop(within: .seconds(20))
        #expect(try await client.receiveToEnd().isEmpty)
        #expect(throws: TestError.self) { try running.connect() }
        #expect(running.server.connectionCount == 0)
    }

    @Test func `stopping lets pending requests finish, and closes their connections`() async throws {
        let held = HeldReplies(["/"])
        let running = try await started(Answering { request, reply in held.hold(reply, for: request.path) })
        let client = try running.connect()
        try await client.send(get)
        let reply = await held.take("/")
        async let stopped: Void = running.server.stop(within: .seconds(20))
        // The listener closes first.
        try await waitUntil { (try? running.connect()) == nil }
        reply?.send(Response(text: "finished"))
        let answer = try await client.receive()
        #expect(answer.text == "finished")
        #expect(answer.headers[.connection] == "close")
        #expect(try await client.receiveToEnd().isEmpty)
        client.finish()
        await stopped
    }

    @Test func `a stop that times out cuts off the remaining responses and aborts their streams`() async throws {
        let stream = FloodStream()
        let running = try await started(
            Answering { _, reply in reply.send(Response(body: .stream(stream, length: nil))) })
        let client = try running.connect(receiveBuffer: 16_384)
        try await client.send(get)
        _ = try await client.receiveHead()
        await running.server.stop(within: .milliseconds(50))
        #expect(await stream.end.value == .aborted)
        #expect(try await client.endsWithReset())
    }

    @Test func `a server that never started or has already stopped can be stopped`() async throws {
        let fresh = server(.init())
        await fresh.stop(within: .zero)
        let running = try await started(Router())
        await running.server.stop(within: .zero)
        #expect(throws: (any Error).self, "the port is still open") { _ = try running.connect() }
        await running.server.stop(within: .zero)
    }

    @Test func `a deallocated server closes its connections and its port`() async throws {
        let held = HeldReplies(["/"])
        let gone = Signal<Void>()
        var address: SocketAddress?
        var client: TestClient?
        do {
            let running = try await started(
                Answering { request, reply in
                    reply.onDisconnect { gone.give() }
                    held.hold(reply, for: request.path)
                })
            address = running.address
            client = try running.connect()
            try await client?.send(get)
        }
        await gone.value
        #expect(try await client?.endsWithReset() == true)
        let port = try #require(address)
        try await waitUntil { (try? TestClient(to: port)) == nil }
    }

    @Test func `a deallocated server closes idle connections`() async throws {
        var client: TestClient?
        do {
            let running = try await started(Router.echo())
            client = try running.connect()
            try await client?.send(get)
            #expect(try await client?.receive().status == 200)
        }
        // With or without a reset: nothing is pending.
        _ = try await client?.endsWithReset()
    }

    private func started(_ responder: any Responder) async throws -> TestServer {
        var configuration = HTTPServer.Configuration()
        configuration.loops = 1
        let server = server(configuration, responder)
        return TestServer(server: server, address: try await server.start())
    }
}
