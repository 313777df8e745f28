import HTTPTypes
import Testing

@testable import HTTPServer

/// Nobody can lock out others by holding connections.
@Suite(.timeLimit(.minutes(1)))
struct ConnectionEvictionTests {
    private let get = "GET / HTTP/1.1\r\nHost: h\r\n\r\n"

    /// Opens connections from 127.0.0.x, and returns once the server has accepted them.
    private func connect(_ count: Int, from host: UInt32, _ server: TestServer) async throws -> [TestClient] {
        let before = server.server.connectionCount
        let clients = try (0..<count).map { _ in try server.connect(from: host) }
        try await waitUntil { server.server.connectionCount == before + count }
        return clients
    }

    @Test func `silent connections give way, and first those of the client that has the most`() async throws {
        try await withServer(Router.echo(), configure: { $0.maximumConnections = 20 }) { server in
            let few = try await connect(8, from: 2, server)
            let many = try await connect(12, from: 3, server)
            var newcomers: [TestClient] = []
            for _ in 0..<4 {
                newcomers.append(try server.connect(from: 4))
                try await newcomers.last?.send(get)
                #expect(try await newcomers.last?.receive().status == 200)
            }
            for client in few {
                try await client.send(get)
                #expect(try await client.receive().status == 200)
            }
            var survivors = 0
            for client in many {
                // Writing to a closed connection fails, or reading from it ends.
                guard (try? await client.send(get)) != nil, let answer = try? await client.receive() else { continue }
                #expect(answer.status == 200)
                survivors += 1
            }
            #expect(survivors == 8)
        }
    }

    @Test func `a slow request head gives way`() async throws {
        try await withServer(Router.echo(), configure: { $0.maximumConnections = 5 }) { server in
            let slow = try await connect(5, from: 2, server)
            for client in slow { try await client.send("GET / HTTP/1.1\r\nHost:") }
            let newcomer = try server.connect(from: 3)
            try await newcomer.send(get)
            #expect(try await newcomer.receive().status == 200)
        }
    }

    @Test func `connections that are idle between requests give way until all clients have as many`() async throws {
        try await withServer(Router.echo(), configure: { $0.maximumConnections = 4 }) { server in
            var idle: [TestClient] = []
            for host: UInt32 in [2, 2, 2, 2] {
                idle += try await connect(1, from: host, server)
                try await idle.last?.send(get)
                #expect(try await idle.last?.receive().status == 200)
            }
            for expected: (host: UInt32, status: Int) in [(3, 200), (4, 200), (5, 200), (6, 503)] {
                let newcomer = try server.connect(from: expected.host)
                if expected.status == 200 { try await newcomer.send(get) }
                #expect(try await newcomer.receive().status == expected.status, "\(expected.host)")
                idle.append(newcomer)
            }
        }
    }

    @Test func `a connection with a request in progress never gives way`() async throws {
        let paths = ["/a", "/b", "/c"]
        let held = HeldReplies(paths)
        var router = Router(logger: .silent)
        for path in paths { router.get(path) { _, reply in held.hold(reply, for: path) } }
        try await withServer(router, configure: { $0.maximumConnections = 3 }) { server in
            let busy = try await connect(3, from: 2, server)
            var replies: [Reply?] = []
            for (client, path) in zip(busy, paths) {
                try await client.send("GET \(path) HTTP/1.1\r\nHost: h\r\n\r\n")
                replies.append(await held.take(path))
            }
            let newcomer = try server.connect(from: 3)
            #expect(try await newcomer.receive().status == 503)
            for reply in replies { reply?.send(Response(text: "here")) }
            for client in busy { #expect(try await client.receive().status == 200) }
        }
    }

    @Test func `an evicted connection is counted, and the new one is not counted as refused`() {
        let limiter = ConnectionLimiter(limit: 1, perClient: 9)
        guard case .admitted = limiter.enter(nil), case .refused(byClient: false) = limiter.enter(nil),
            case .admitted = limiter.enter(nil, makingRoom: { true })
        else {
            Issue.record("another admission")
            return
        }
        #expect(limiter.evictions == 1 && limiter.refusals == 1)
    }
}
