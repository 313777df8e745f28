import HTTPTypes
import Testing

@testable import HTTPServer

/// Each test shortens the one limit it is about. The others stay long enough never to matter.
@Suite(.timeLimit(.minutes(1)))
struct TimeLimitTests {
    private let short = Duration.milliseconds(300)

    @Test func `a head that does not come to its end is 408`() async throws {
        try await withServer(Router.echo(), configure: { $0.headTimeout = short }) { server in
            let client = try server.connect()
            try await client.send("GET / HTTP/1.1\r\nHost: ")
            let answer = try await client.receive()
            #expect(answer.status == 408)
            #expect(answer.headers[.connection] == "close")
            #expect(try await client.receiveToEnd().isEmpty)
        }
    }

    @Test func `a head that drips is 408 all the same`() async throws {
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

    @Test func `a connection without a request is closed without a word`() async throws {
        try await withServer(Router.echo(), configure: { $0.headTimeout = short }) { server in
            let client = try server.connect()
            #expect(try await client.receiveToEnd().isEmpty)
        }
    }

    @Test func `a connection that rests too long is closed`() async throws {
        try await withServer(Router.echo(), configure: { $0.idleTimeout = short }) { server in
            let client = try server.connect()
            try await client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
            #expect(try await client.receive().status == 200)
            #expect(try await client.receiveToEnd().isEmpty)
        }
    }

    @Test func `an answer that takes long is no rest`() async throws {
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
            // Another connection lives and dies by the same limit meanwhile.
            #expect(try await server.connect().receiveToEnd().isEmpty)
            reply?.send(Response(text: "at last"))
            #expect(try await client.receive().text == "at last")
        }
    }

    @Test func `a body that comes too slowly is 408`() async throws {
        try await withServer(
            Router.echo(),
            configure: {
                $0.bodyGrace = short
                $0.minimumBodyRate = 1_000_000
            }
        ) { server in
            let client = try server.connect()
            try await client.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 100\r\n\r\nabc")
            #expect(try await client.receive().status == 408)
            #expect(try await client.receiveToEnd().isEmpty)
        }
    }

    @Test func `a client that takes nothing is reset, and its stream is told`() async throws {
        let stream = FloodStream()
        let responder = Answering { _, reply in reply.send(Response(body: .stream(stream, length: nil))) }
        try await withServer(responder, configure: { $0.writeTimeout = short }) { server in
            let client = try server.connect(receiveBuffer: 16_384)
            try await client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
            #expect(await stream.end.value == .aborted)
            #expect(try await client.endsWithReset())
        }
    }

    @Test func `a client that goes on sending after the last answer is cut off`() async throws {
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
