import HTTPTypes
import Testing

@testable import HTTPServer

@Suite(.timeLimit(.minutes(1)))
struct StreamingTests {
    private let get = "GET / HTTP/1.1\r\nHost: h\r\n\r\n"

    private func with<Result: Sendable>(
        _ stream: any BodyStream, length: Int64? = nil, configure: (inout HTTPServer.Configuration) -> Void = { _ in },
        _ body: (TestServer) async throws -> Result
    ) async throws -> Result {
        let responder = Answering { request, reply in
            if request.path == "/" {
                reply.send(Response(body: .stream(stream, length: length)))
            } else {
                reply.send(Response(text: "other"))
            }
        }
        return try await withServer(responder, configure: configure, body)
    }

    @Test func `a stream of unknown length is sent in chunks as it is produced`() async throws {
        let stream = ScriptedStream()
        try await with(stream) { server in
            let client = try server.connect()
            try await client.send(get + "GET /other HTTP/1.1\r\nHost: h\r\n\r\n")
            #expect(try await client.receiveHead().headers[.transferEncoding] == "chunked")
            await stream.isHungry.value
            stream.add("hello")
            #expect(try await client.receive(count: 10) == Array("5\r\nhello\r\n".utf8))
            stream.add("world")
            stream.add(.finished)
            #expect(try await client.receive(count: 15) == Array("5\r\nworld\r\n0\r\n\r\n".utf8))
            #expect(await stream.end.value == .complete)
            #expect(try await client.receive().text == "other")
            #expect(stream.end.count == 1)
        }
    }

    @Test func `a stream of known length is sent unchunked, and not pulled past its end`() async throws {
        let stream = ScriptedStream([.bytes(Array("hello".utf8)), .bytes(Array("world".utf8))])
        try await with(stream, length: 10) { server in
            let client = try server.connect()
            try await client.send(get)
            #expect(try await client.receive().text == "helloworld")
            #expect(await stream.end.value == .complete)
            #expect(stream.pulls == 2)
        }
    }

    @Test func `for HTTP 1·0, a stream of unknown length ends with the connection`() async throws {
        let stream = ScriptedStream([.bytes(Array("hello".utf8)), .finished])
        try await with(stream) { server in
            let client = try server.connect()
            try await client.send("GET / HTTP/1.0\r\n\r\n")
            let answer = try await client.receive()
            #expect(answer.text == "hello")
            #expect(answer.headers[.transferEncoding] == nil)
        }
    }

    @Test(arguments: [5, nil] as [Int64?])
    func `the response to HEAD ends a stream without pulling it`(length: Int64?) async throws {
        let stream = ScriptedStream()
        try await with(stream, length: length) { server in
            let client = try server.connect()
            try await client.send("HEAD / HTTP/1.1\r\nHost: h\r\n\r\nGET /other HTTP/1.1\r\nHost: h\r\n\r\n")
            #expect(try await client.receive(isHead: true).headers[.contentLength] == length.map { "\($0)" })
            #expect(await stream.end.value == .complete)
            #expect(stream.pulls == 0)
            #expect(try await client.receive().text == "other")
        }
    }

    @Test(
        arguments: [
            (10, [.bytes([1]), .aborted]), (nil, [.bytes([1]), .aborted]),
            (10, [.bytes([1]), .finished]), (1, [.bytes([1, 2])]), (10, [.bytes([])]), (nil, [.bytes([])]),
        ] as [(Int64?, [BodyPull])])
    func `a body that is aborted or of the wrong length ends in a reset`(
        length: Int64?, script: [BodyPull]
    ) async throws {
        let stream = ScriptedStream(script)
        try await with(stream, length: length) { server in
            let client = try server.connect()
            try await client.send(get)
            #expect(try await client.endsWithReset())
            #expect(await stream.end.value == .aborted)
            #expect(stream.end.count == 1)
        }
    }

    @Test func `no more is pulled for a slow reader than its buffers hold`() async throws {
        let stream = FloodStream()
        try await with(stream) { server in
            let client = try server.connect(receiveBuffer: 16_384)
            try await client.send(get)
            _ = try await client.receiveHead()
            // Wait until nothing more is pulled.
            var before = -1
            var settled = 0
            while settled < 20 {
                let now = stream.givenBytes
                settled = now == before && now > 0 ? settled + 1 : 0
                before = now
                try await Task.sleep(for: .milliseconds(5))
            }
            #expect(before < 400_000)
            // New bytes are pulled only as the reader takes them.
            _ = try await client.receive(count: 1_000_000)
            #expect(stream.givenBytes >= 1_000_000)
            #expect(stream.givenBytes < 1_500_000)
            client.reset()
            #expect(await stream.end.value == .disconnected)
        }
    }

    @Test func `at most 16 KiB are pulled at a time`() async throws {
        let stream = ScriptedStream([.bytes([1]), .finished])
        try await with(stream) { server in
            let client = try server.connect()
            try await client.send(get)
            #expect(try await client.receive().body == [1])
            #expect(stream.largestLimit <= 16_384)
        }
    }

    @Test func `a pending stream is told that its client has disconnected`() async throws {
        let stream = ScriptedStream()
        try await with(stream) { server in
            let client = try server.connect()
            try await client.send(get)
            await stream.isHungry.value
            client.reset()
            #expect(await stream.end.value == .disconnected)
            stream.add("too late")
            #expect(stream.end.count == 1)
        }
    }

    @Test func `a stream sent after the client has disconnected is told so`() async throws {
        let held = HeldReplies(["/"])
        let gone = Signal<Void>()
        let responder = Answering { request, reply in
            reply.onDisconnect { gone.give() }
            held.hold(reply, for: request.path)
        }
        let stream = ScriptedStream()
        try await withServer(responder) { server in
            let client = try server.connect()
            try await client.send(get)
            let reply = await held.take("/")
            client.reset()
            await gone.value
            reply?.send(Response(body: .stream(stream, length: nil)))
            #expect(await stream.end.value == .disconnected)
            #expect(stream.pulls == 0)
        }
    }

    @Test func `several wakes during a pull count as one`() async throws {
        final class Hasty: BodyStream {
            let inner = ScriptedStream()
            func pull(upTo limit: Int, wake: @escaping @Sendable () -> Void) -> BodyPull {
                let pull = inner.pull(upTo: limit, wake: wake)
                if case .pending = pull {
                    inner.add(inner.pulls < 50 ? .bytes([65]) : .finished)
                    wake()
                    wake()
                }
                return pull
            }
            func ended(_ end: BodyEnd) { inner.ended(end) }
        }
        let stream = Hasty()
        try await with(stream) { server in
            let client = try server.connect()
            try await client.send(get)
            #expect(try await client.receive().body.count == 25)
            #expect(await stream.inner.end.value == .complete)
        }
    }
}
