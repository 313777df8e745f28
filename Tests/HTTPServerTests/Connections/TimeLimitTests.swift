import HTTPTypes
import Testing

@testable import HTTPServer

/// Each test shortens only the timeout it is about. The others are long enough not to matter.
@Suite(.timeLimit(.minutes(1)))
struct TimeLimitTests {
    private let short = Duration.milliseconds(300)

    @Test func `an incomplete head times out with a 408`() async throws {
        try await withServer(Router.echo(), configure: { $0.headTimeout = short }) { server in
            let client = try server.connect()
            try await client.send("GET / HTTP/1.1\r\nHost: ")
            let answer = try await client.receive()
            #expect(answer.status == 408)
            #expect(answer.headers[.connection] == "close")
            #expect(try await client.receiveToEnd().isEmpty)
        }
    }

    @Test func `a head that arrives byte by byte also times out with a 408`() async throws {
        try await withServer(Router.echo(), configure: { $0.headTimeout = short }) { server in
            let client = try server.connect()
            try await client.send("G")
            let dripping = Task {
                for _ in 0..<2_000 {
                    try await client.send("G")
                    try await Task.sleep(for: .milliseconds(5))
                }
            }
            #expect(try await client.receive().status == 408)
            dripping.cancel()
        }
    }

    @Test func `a connection without a request is closed without a response`() async throws {
        try await withServer(Router.echo(), configure: { $0.headTimeout = short }) { server in
            let client = try server.connect()
            #expect(try await client.receiveToEnd().isEmpty)
        }
    }

    @Test func `an idle connection is closed`() async throws {
        try await withServer(Router.echo(), configure: { $0.idleTimeout = short }) { server in
            let client = try server.connect()
            try await client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
            #expect(try await client.receive().status == 200)
            #expect(try await client.receiveToEnd().isEmpty)
        }
    }

    @Test func `a pending response does not count as idle time`() async throws {
        let held = HeldReplies(["/"])
        let responder = Answering { request, reply in held.hold(reply, for: request.path) }
        try await withServer(
            responder,
            configure: {
                $0.idleTimeout = short
                $0.headTimeout = short
            }
        ) { server in
            let client = try server.connect()
            try await client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
            let reply = await held.take("/")
            // Meanwhile, another connection ends by the same timeout.
            #expect(try await server.connect().receiveToEnd().isEmpty)
            reply?.send(Response(text: "at last"))
            #expect(try await client.receive().text == "at last")
        }
    }

    @Test func `a body slower than the minimum rate gets a 408`() async throws {
        try await withServer(
            Router.echo(),
            configure: {
                $0.bodyWindow = short
                $0.minimumBodyRate = 1_000_000
            }
        ) { server in
            let client = try server.connect()
            try await client.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 100\r\n\r\nabc")
            #expect(try await client.receive().status == 408)
            #expect(try await client.receiveToEnd().isEmpty)
        }
    }

    @Test func `a body that stops short of its length gets a 408, however fast it began`() async throws {
        try await withServer(
            Router.echo(),
            configure: {
                $0.bodyWindow = short
                $0.minimumBodyRate = 1
            }
        ) { server in
            let client = try server.connect()
            let body = String(repeating: "x", count: 20_000)
            try await client.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 100000\r\n\r\n\(body)")
            let answer = try await client.receive()
            #expect(answer.status == 408)
            #expect(answer.headers[.connection] == "close")
            #expect(try await client.receiveToEnd().isEmpty)
        }
    }

    @Test func `a body that falls silent gets a 408`() async throws {
        try await withServer(
            Router.echo(),
            configure: {
                $0.bodySilence = short
                $0.minimumBodyRate = 0
            }
        ) { server in
            let client = try server.connect()
            try await client.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 100\r\n\r\nabc")
            #expect(try await client.receive().status == 408)
            #expect(try await client.receiveToEnd().isEmpty)
        }
    }

    @Test func `a stream with nothing to send is soon ended after its client half-closes`() async throws {
        let stream = ScriptedStream([.bytes([65])])
        let responder = Answering { _, reply in reply.send(Response(body: .stream(stream, length: nil))) }
        try await withServer(responder, configure: { $0.halfCloseTimeout = short }) { server in
            let client = try server.connect()
            try await client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
            await stream.isHungry.value
            client.finish()
            #expect(await stream.end.value == .disconnected)
        }
    }

    @Test func `an HTTP 1·0 client that half-closes is soon disconnected`() async throws {
        let gone = Signal<Void>()
        let arrived = Signal<Reply>()
        let responder = Answering { _, reply in
            reply.onDisconnect { gone.give() }
            arrived.give(reply)
        }
        try await withServer(responder, configure: { $0.halfCloseTimeout = short }) { server in
            let client = try server.connect()
            try await client.send("GET / HTTP/1.0\r\n\r\n")
            client.finish()
            await gone.value
            #expect(await arrived.value.isAbandoned)
            #expect(try await client.receiveToEnd().isEmpty)
        }
    }

    @Test func `a client that reads nothing is reset, and its stream is aborted`() async throws {
        let stream = FloodStream()
        let responder = Answering { _, reply in reply.send(Response(body: .stream(stream, length: nil))) }
        try await withServer(responder, configure: { $0.writeTimeout = short }) { server in
            let client = try server.connect(receiveBuffer: 16_384)
            try await client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
            #expect(await stream.end.value == .aborted)
            #expect(try await client.endsWithReset())
        }
    }

    @Test func `a client that keeps sending after the last response is cut off`() async throws {
        try await withServer(Router.echo(), configure: { $0.lingerTimeout = short }) { server in
            let client = try server.connect()
            try await client.send("BAD\r\n\r\n")
            #expect(try await client.receive().status == 400)
            #expect(try await client.receiveToEnd().isEmpty)
            await #expect(throws: TestError.self) {
                for _ in 0..<5_000 {
                    try await client.send("more")
                    try await Task.sleep(for: .milliseconds(2))
                }
            }
        }
    }
}
