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

    @Test func `a stream of unknown length comes in chunks while it is made`() async throws {
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

    @Test func `a stream of known length comes plain, and is not pulled past its end`() async throws {
        let stream = ScriptedStream([.bytes(Array("hello".utf8)), .bytes(Array("world".utf8))])
        try await with(stream, length: 10) { server in
            let client = try server.connect()
            try await client.send(get)
            #expect(try await client.receive().text == "helloworld")
            #expect(await stream.end.value == .complete)
            #expect(stream.pulls == 2)
        }
    }

    @Test func `to HTTP 1 0 a stream of unknown length ends with the connection`() async throws {
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
    func `the answer to HEAD ends a stream without a pull`(length: Int64?) async throws {
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
    func `a body that is cut, or is not of its length, ends in a reset`(
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

    @Test func `a slow reader is given no more than its buffers hold`() async throws {
        let stream = FloodStream()
        try await with(stream) { server in
            let client = try server.connect(receiveBuffer: 16_384)
            try await client.send(get)
            _ = try await client.receiveHead()
            // The pulls come to rest, and stay there.
            var before = -1
            var settled = 0
            while settled < 20 {
                let now = stream.givenBytes
                settled = now == before && now > 0 ? settled + 1 : 0
                before = now
                try await Task.sleep(for: .milliseconds(5))
            }
            #expect(before < 400_000)
            // What the reader takes is what is pulled anew.
            _ = try await client.receive(count: 1_000_000)
            #expect(stream.givenBytes >= 1_000_000)
            #expect(stream.givenBytes < 1_500_000)
            client.reset()
            #expect(await stream.end.value == .disconnected)
        }
    }

    @Test func `no more than one frame is pulled at a time`() async throws {
        let stream = ScriptedStream([.bytes([1]), .finished])
        try await with(stream) { server in
            let client = try server.connect()
            try await client.send(get)
            #expect(try await client.receive().body == [1])
            #expect(stream.largestLimit <= 16_384)
        }
    }

    @Test func `a stream that waits learns that its client is gone`() async throws {
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

    @Test func `a stream in an answer that comes too late is told so`() async throws {
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

    @Test func `a wake during the pull, or twice, or from elsewhere, is one wake`() async throws {
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
