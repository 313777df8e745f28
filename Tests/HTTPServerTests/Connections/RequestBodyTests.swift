import HTTPTypes
import Synchronization
import Testing

@testable import HTTPServer

@Suite(.timeLimit(.minutes(1)))
struct RequestBodyTests {
    private let get = "GET /next HTTP/1.1\r\nHost: h\r\n\r\n"

    private func post(_ fields: String, _ body: String = "") -> String {
        "POST / HTTP/1.1\r\nHost: h\r\n\(fields)\r\n\(body)"
    }

    @Test func `a body of known length arrives, and the next request after it`() async throws {
        try await withServer(Router.echo()) { server in
            let client = try server.connect()
            try await client.send(post("Content-Length: 5\r\n", "hello") + get)
            #expect(try await client.receive().text == "hello")
            #expect(try await client.receive().status == 200)
        }
    }

    @Test func `a large body arrives whole, chunked or not`() async throws {
        try await withServer(Router.echo(), configure: { $0.maximumBody = 10_000_000 }) { server in
            let body = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
            let client = try server.connect()
            try await client.send(Array(post("Content-Length: \(body.count)\r\n").utf8) + body)
            #expect(try await client.receive().body == body)
            var chunks = Array(post("Transfer-Encoding: chunked\r\n").utf8)
            for start in stride(from: 0, to: body.count, by: 70_000) {
                let piece = body[start..<min(start + 70_000, body.count)]
                chunks += Array("\(String(piece.count, radix: 16))\r\n".utf8) + piece + [13, 10]
            }
            try await client.send(chunks + Array("0\r\nTrailer: x\r\n\r\n".utf8))
            #expect(try await client.receive().body == body)
        }
    }

    @Test func `a complete request body can be read even after its client has disconnected`()
        async throws
    {
        let read = Signal<String>()
        let started = Signal<Void>()
        var router = Router()
        router.post("/") { request in
            started.give()
            // Until the client's disconnect cancels it.
            try? await Task.sleep(for: .seconds(60))
            read.give((try? await request.body.collect(upTo: 100)).map { String(decoding: $0, as: UTF8.self) } ?? "-")
            return Response()
        }
        try await withServer(router) { server in
            let client = try server.connect()
            try await client.send(post("Content-Length: 5\r\n", "hello"))
            await started.value
            client.leave()
            #expect(await read.value == "hello")
        }
    }

    @Test func `a client that expects 100-continue gets it once the body is wanted`() async throws {
        try await withServer(Router.echo()) { server in
            let client = try server.connect()
            try await client.send(post("Content-Length: 5\r\nExpect: 100-continue\r\n"))
            #expect(try await client.receiveHead().status == 100)
            try await client.send("hello")
            #expect(try await client.receive().text == "hello")
        }
    }

    @Test func `a client that expects 100-continue for an unwanted body gets a response and a close`() async throws {
        let responder = Answering { _, reply in reply.send(Problem(.unauthorized).response) }
        try await withServer(responder) { server in
            let client = try server.connect()
            try await client.send(post("Content-Length: 5\r\nExpect: 100-continue\r\n"))
            let answer = try await client.receive()
            #expect(answer.status == 401)
            #expect(answer.headers[.connection] == "close")
            #expect(try await client.receiveToEnd().isEmpty)
        }
    }

    @Test func `a client that sends its body without waiting gets no 100-continue`() async throws {
        try await withServer(Router.echo()) { server in
            let client = try server.connect()
            try await client.send(post("Content-Length: 5\r\nExpect: 100-continue\r\n", "hello"))
            #expect(try await client.receive().text == "hello")
        }
    }

    @Test func `100-continue is sent after the responses to earlier requests`() async throws {
        let held = HeldReplies(["/held"])
        var router = Router.echo()
        router.get("/held") { request, reply in held.hold(reply, for: "/held") }
        try await withServer(router) { server in
            let client = try server.connect()
            try await client.send("GET /held HTTP/1.1\r\nHost: h\r\n\r\n")
            try await client.send(post("Content-Length: 5\r\nExpect: 100-continue\r\n"))
            await held.take("/held")?.send(Response(text: "first"))
            #expect(try await client.receive().text == "first")
            #expect(try await client.receiveHead().status == 100)
            try await client.send("hello")
            #expect(try await client.receive().text == "hello")
        }
    }

    @Test func `a short unread body is skipped`() async throws {
        let responder = Answering { request, reply in reply.send(Response(text: request.path)) }
        try await withServer(responder) { server in
            let client = try server.connect()
            try await client.send(post("Content-Length: 5\r\n", "hello") + get)
            #expect(try await client.receive().text == "/")
            #expect(try await client.receive().text == "/next")
        }
    }

    @Test func `a long unread body closes the connection, and the client can still read the response`() async throws {
        let responder = Answering { _, reply in reply.send(Response(text: "no")) }
        try await withServer(responder, configure: { $0.maximumBody = 100_000_000 }) { server in
            let client = try server.connect()
            try await client.send(post("Content-Length: 50000000\r\n"))
            async let sent: Void = client.send(String(repeating: "x", count: 5_000_000))
            let answer = try await client.receive()
            #expect(answer.text == "no")
            #expect(answer.headers[.connection] == "close")
            #expect(try await client.receiveToEnd().isEmpty)
            try? await sent
        }
    }

    @Test func `the response to an unread chunked body says that the connection closes`() async throws {
        let responder = Answering { _, reply in reply.send(Response(text: "no")) }
        try await withServer(responder, configure: { $0.maximumBody = 100_000_000 }) { server in
            let client = try server.connect()
            try await client.send(post("Transfer-Encoding: chunked\r\n", "5\r\nhello\r\n"))
            let answer = try await client.receive()
            #expect(answer.text == "no")
            #expect(answer.headers[.connection] == "close")
            #expect(try await client.receiveToEnd().isEmpty)
        }
    }

    @Test func `received chunks are delivered as one piece, however many they were`() async throws {
        let responder = Answering { request, reply in
            Task {
                var pieces: [String] = []
                for try await piece in request.body { pieces.append(String(decoding: piece, as: UTF8.self)) }
                reply.send(Response(text: pieces.joined(separator: "|")))
            }
        }
        try await withServer(responder) { server in
            let client = try server.connect()
            let chunks = (0..<9).map { "1\r\n\($0)\r\n" }.joined()
            try await client.send(post("Transfer-Encoding: chunked\r\n", chunks + "0\r\n\r\n"))
            #expect(try await client.receive().text == "012345678")
        }
    }

    @Test func `a body that is too long gets a 413 at once, or as soon as it exceeds the limit`() async throws {
        try await withServer(Router.echo(), configure: { $0.maximumBody = 1_000 }) { server in
            let declared = try server.connect()
            try await declared.send(post("Content-Length: 1001\r\n"))
            #expect(try await declared.receive().status == 413)
            #expect(try await declared.receiveToEnd().isEmpty)
            let chunked = try server.connect()
            try await chunked.send(post("Transfer-Encoding: chunked\r\n", "3\r\nabc\r\n"))
            try await chunked.send("3e6\r\n")
            #expect(try await chunked.receive().status == 413)
            #expect(try await chunked.receiveToEnd().isEmpty)
        }
    }

    @Test func `back-pressure holds an unread body back in the client`() async throws {
        let held = HeldReplies(["/"])
        let body = Signal<RequestBody>()
        let responder = Answering { request, reply in
            body.give(request.body)
            held.hold(reply, for: request.path)
        }
        try await withServer(responder, configure: { $0.maximumBody = 100_000_000 }) { server in
            let client = try server.connect()
            let length = 30_000_000
            try await client.send(post("Content-Length: \(length)\r\n"))
            async let sent: Void = client.send(String(repeating: "x", count: length))
            let received = await body.value
            var largest = 0
            var total = 0
            for try await piece in received {
                largest = max(largest, received.bufferedBytes)
                total += piece.count
            }
            try await sent
            #expect(total == length)
            #expect(largest <= 65_536 * 2)
            await held.take("/")?.send(Response(text: "done"))
            #expect(try await client.receive().text == "done")
        }
    }

    @Test func `a disconnect in mid-body makes the read fail`() async throws {
        let failure = Signal<RequestError?>()
        let responder = Answering { request, reply in
            Task {
                do {
                    _ = try await request.body.collect(upTo: 1_000)
                    failure.give(nil)
                } catch {
                    failure.give(error as? RequestError)
                }
                reply.send(Response())
            }
        }
        try await withServer(responder) { server in
            let client = try server.connect()
            try await client.send(post("Content-Length: 10\r\n", "hello"))
            client.finish()
            #expect(await failure.value == .disconnected)
        }
    }
}
