import HTTPTypes
import Testing

@testable import HTTPServer

@Suite(.timeLimit(.minutes(1)))
struct DisconnectTests {
    private let get = "GET / HTTP/1.1\r\nHost: h\r\n\r\n"

    @Test(arguments: [true, false])
    func `a client that disconnects while its response is pending is noticed`(resets: Bool) async throws {
        let arrived = Signal<Reply>()
        let gone = Signal<Void>()
        let responder = Answering { _, reply in
            reply.onDisconnect { gone.give() }
            arrived.give(reply)
        }
        try await withServer(responder) { server in
            let client = try server.connect()
            try await client.send(get)
            let reply = await arrived.value
            #expect(!reply.isAbandoned)
            if resets { client.reset() } else { client.leave() }
            await gone.value
            #expect(reply.isAbandoned)
            #expect(gone.count == 1)
            let late = Signal<Void>()
            reply.onDisconnect { late.give() }
            await late.value
            reply.send(Response())
        }
    }

    @Test func `a disconnect cancels the handler's task`() async throws {
        let started = Signal<Void>()
        let cancelled = Signal<Void>()
        var router = Router()
        router.get("/") { _ in
            started.give()
            try? await Task.sleep(for: .seconds(60))
            if Task.isCancelled { cancelled.give() }
            return Response()
        }
        try await withServer(router) { server in
            let client = try server.connect()
            try await client.send(get)
            await started.value
            client.reset()
            await cancelled.value
        }
    }

    @Test func `a client that half-closes after its last request still reads the responses`() async throws {
        let responder = Answering { request, reply in
            reply.send(Response(body: .bytes([UInt8](repeating: 65, count: 2_000_000))))
        }
        try await withServer(responder) { server in
            let client = try server.connect()
            try await client.send(get + get)
            client.finish()
            #expect(try await client.receive().body.count == 2_000_000)
            #expect(try await client.receive().body.count == 2_000_000)
            #expect(try await client.receiveToEnd().isEmpty)
        }
    }

    @Test func `a half-close does not cancel the handler's task, and the client still gets a slow response`()
        async throws
    {
        let isAsked = Signal<Void>()
        let mayAnswer = Signal<Void>()
        var router = Router()
        router.get("/") { _ in
            isAsked.give()
            await mayAnswer.value
            try Task.checkCancellation()
            return Response(text: "at last")
        }
        try await withServer(router) { server in
            let client = try server.connect()
            try await client.send(get)
            await isAsked.value
            client.finish()
            // The server knows that the client has finished before it sends the interim response.
            #expect(try await client.receiveHead().status == 100)
            mayAnswer.give()
            let answer = try await client.receive()
            #expect(answer.text == "at last")
            #expect(answer.headers[.connection] == "close")
            #expect(try await client.receiveToEnd().isEmpty)
        }
    }

    @Test func `a client that half-closes gets all pending responses in order`() async throws {
        let held = HeldReplies(["/1", "/2", "/3"])
        let responder = Answering { request, reply in held.hold(reply, for: request.path) }
        try await withServer(responder) { server in
            let client = try server.connect()
            for number in 1...3 { try await client.send("GET /\(number) HTTP/1.1\r\nHost: h\r\n\r\n") }
            let replies = [await held.take("/1"), await held.take("/2"), await held.take("/3")]
            client.finish()
            #expect(try await client.receiveHead().status == 100)
            for (number, reply) in replies.enumerated().reversed() {
                #expect(reply?.isAbandoned == false)
                reply?.send(Response(text: "\(number + 1)"))
            }
            for number in 1...3 { #expect(try await client.receive().text == "\(number)") }
            #expect(try await client.receiveToEnd().isEmpty)
        }
    }

    @Test func `a client that half-closes gets the whole of a streamed body`() async throws {
        let stream = ScriptedStream([.bytes([65])])
        let responder = Answering { _, reply in reply.send(Response(body: .stream(stream, length: 3))) }
        try await withServer(responder) { server in
            let client = try server.connect()
            try await client.send(get)
            await stream.isHungry.value
            client.finish()
            #expect(try await client.receiveHead().headers[.contentLength] == "3")
            stream.add("BC")
            #expect(try await client.receiveToEnd() == "ABC")
            #expect(await stream.end.value == .complete)
        }
    }

    @Test func `an HTTP 1·0 client gets no interim response`() async throws {
        let held = HeldReplies(["/"])
        let responder = Answering { request, reply in held.hold(reply, for: request.path) }
        try await withServer(responder) { server in
            let client = try server.connect()
            try await client.send("GET / HTTP/1.0\r\n\r\n")
            let reply = await held.take("/")
            client.finish()
            reply?.send(Response(text: "old"))
            #expect(try await client.receive().text == "old")
        }
    }

    @Test func `a disconnect is detected when more is sent`() async throws {
        let stream = ScriptedStream([.bytes([65])])
        let responder = Answering { _, reply in reply.send(Response(body: .stream(stream, length: nil))) }
        try await withServer(responder) { server in
            let client = try server.connect()
            try await client.send(get)
            await stream.isHungry.value
            client.leave()
            stream.add("B")
            #expect(await stream.end.value == .disconnected)
        }
    }

    @Test func `a pending reply does not keep a connection open`() async throws {
        let held = HeldReplies(["/"])
        let gone = Signal<Void>()
        let responder = Answering { request, reply in
            reply.onDisconnect { gone.give() }
            held.hold(reply, for: request.path)
        }
        try await withServer(responder) { server in
            let client = try server.connect()
            try await client.send(get)
            let reply = await held.take("/")
            client.reset()
            await gone.value
            #expect(server.server.connectionCount == 0)
            reply?.send(Response(text: "nobody reads this"))
        }
    }

    @Test func `only the first response to a request is sent`() async throws {
        let responder = Answering { _, reply in
            reply.send(Response(text: "first"))
            reply.send(Response(text: "second"))
        }
        try await withServer(responder) { server in
            let client = try server.connect()
            try await client.send(get + get)
            for _ in 0..<2 { #expect(try await client.receive().text == "first") }
        }
    }

    @Test func `a response that cannot be sent becomes a 500`() async throws {
        let responder = Answering { _, reply in reply.send(Response(status: .continue)) }
        try await withServer(responder) { server in
            let client = try server.connect()
            try await client.send(get + get)
            for _ in 0..<2 { #expect(try await client.receive().status == 500) }
        }
    }
}
