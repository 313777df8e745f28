import EventLoops
import HTTPTypes
import Synchronization
import TestSupport
import Testing

@testable import HTTPServer

@Suite(.timeLimit(.minutes(1)))
struct PipeliningTests {
    private func get(_ path: String, _ fields: String = "") -> String {
        "GET \(path) HTTP/1.1\r\nHost: h\r\n\(fields)\r\n"
    }

    @Test func `responses are sent in request order, whichever is ready first`() async throws {
        let held = HeldReplies(["/1", "/2", "/3"])
        let responder = Answering { request, reply in held.hold(reply, for: request.path) }
        try await withServer(responder) { server in
            let client = try server.connect()
            try await client.send(get("/1") + get("/2") + get("/3"))
            let third = await held.take("/3")
            third?.send(Response(text: "three"))
            let second = await held.take("/2")
            second?.send(Response(text: "two"))
            let first = await held.take("/1")
            first?.send(Response(text: "one"))
            for text in ["one", "two", "three"] { #expect(try await client.receive().text == text) }
        }
    }

    @Test func `a response replaced before its turn is never started, and the connection stays open`()
        async throws
    {
        let held = HeldReplies(["/1", "/2", "/3"])
        let stream = ScriptedStream([.bytes([1])])
        let isOff = Atomic<Bool>(false)
        let responder = Answering { request, reply in held.hold(reply, for: request.path) }
        try await withServer(responder) { server in
            let client = try server.connect()
            try await client.send(get("/1") + get("/2") + get("/3"))
            var second = Response(body: .stream(stream, length: 1))
            second.instead = { isOff.load(ordering: .relaxed) ? Response(status: .noContent) : nil }
            await held.take("/2")?.send(second)
            isOff.store(true, ordering: .relaxed)
            await held.take("/1")?.send(Response(text: "one"))
            #expect(try await client.receive().text == "one")
            #expect(try await client.receive().status == 204)
            #expect(await stream.end.value == .aborted && stream.pulls == 0)
            await held.take("/3")?.send(Response(text: "three"))
            #expect(try await client.receive().text == "three")
        }
    }

    @Test func `the number of requests in flight per connection is limited`() async throws {
        let held = HeldReplies(["/1", "/2", "/3", "/4"])
        let taken = Atomic<Int>(0)
        let responder = Answering { request, reply in
            taken.wrappingAdd(1, ordering: .relaxed)
            held.hold(reply, for: request.path)
        }
        try await withServer(responder, configure: { $0.pipelineDepth = 2 }) { server in
            let client = try server.connect()
            try await client.send((1...4).map { get("/\($0)") }.joined())
            let second = await held.take("/2")
            // A round trip shows that the server has had a chance to accept more.
            _ = try await roundTrip(server)
            #expect(taken.load(ordering: .relaxed) == 2)
            second?.send(Response(text: "2"))
            await held.take("/1")?.send(Response(text: "1"))
            await held.take("/3")?.send(Response(text: "3"))
            await held.take("/4")?.send(Response(text: "4"))
            for number in 1...4 { #expect(try await client.receive().text == "\(number)") }
        }
    }

    /// A malformed request on another connection, which is answered without the responder.
    private func roundTrip(_ server: TestServer) async throws -> Int {
        let client = try server.connect()
        try await client.send("BAD\r\n\r\n")
        return try await client.receive().status
    }

    @Test func `ten thousand pipelined requests are all answered`() async throws {
        let responder = Answering { request, reply in reply.send(Response(text: request.path)) }
        try await withServer(responder) { server in
            let client = try server.connect()
            let count = 10_000
            async let sent: Void = client.send((0..<count).map { get("/\($0)") }.joined())
            for number in 0..<count {
                let answer = try await client.receive()
                guard answer.text == "/\(number)" else {
                    Issue.record("\(answer.text) in place of /\(number)")
                    break
                }
            }
            try await sent
        }
    }

    @Test(arguments: 1...6 as ClosedRange<UInt64>)
    func `requests of all kinds, split anywhere, are answered in order`(seed: UInt64) async throws {
        let responder = Answering { request, reply in
            let number = request.path.utf8.reduce(0) { $0 &+ Int($1) }
            let answer = { @Sendable (body: [UInt8]) in
                let content = Array("\(request.method.rawValue) \(request.path) ".utf8) + body
                guard number % 2 == 0 else { return Response(body: .bytes(content)) }
                let stream = ScriptedStream([.bytes(content), .finished])
                return Response(body: .stream(stream, length: nil))
            }
            switch number % 3 {
            // At once, discarding the body.
            case 0: reply.send(answer([]))
            // Later, on the loop.
            case 1: request.loop.execute { reply.send(answer([])) }
            // From another thread, with the body.
            default: Task { reply.send(answer(try await request.body.collect(upTo: 100_000))) }
            }
        }
        var random = SeededRandom(seed: seed)
        var wire: [UInt8] = []
        var expected: [String] = []
        for number in 0..<200 {
            let path = "/\(number)"
            let length = random.number(below: 4) == 0 ? random.number(below: 5_000) : random.number(below: 20)
            let body = String(repeating: "b", count: length)
            switch random.number(below: 3) {
            case 0:
                wire += Array(get(path).utf8)
                expected.append("GET \(path) ")
            case 1:
                wire += Array("POST \(path) HTTP/1.1\r\nHost: h\r\nContent-Length: \(length)\r\n\r\n\(body)".utf8)
                expected.append("POST \(path) \(path.utf8.reduce(0) { $0 + Int($1) } % 3 == 2 ? body : "")")
            default:
                let chunk = length > 0 ? "\(String(length, radix: 16))\r\n\(body)\r\n" : ""
                let fields = "Host: h\r\nTransfer-Encoding: chunked\r\n\r\n"
                wire += Array("PUT \(path) HTTP/1.1\r\n\(fields)\(chunk)0\r\n\r\n".utf8)
                expected.append("PUT \(path) \(path.utf8.reduce(0) { $0 + Int($1) } % 3 == 2 ? body : "")")
            }
        }
        var pieces: [[UInt8]] = []
        while !wire.isEmpty {
            let count = min(wire.count, 1 + random.number(below: random.number(below: 3) == 0 ? 20_000 : 200))
            pieces.append(Array(wire.prefix(count)))
            wire.removeFirst(count)
        }
        let (sent, answers) = (pieces, expected)
        try await withServer(responder) { server in
            let client = try server.connect()
            async let sending: Void = { for piece in sent { try await client.send(piece) } }()
            for answer in answers { #expect(try await client.receive().text == answer) }
            try await sending
        }
    }

    @Test func `after a request that closes the connection, no other is answered`() async throws {
        let responder = Answering { request, reply in reply.send(Response(text: request.path)) }
        try await withServer(responder) { server in
            let client = try server.connect()
            try await client.send(get("/1", "Connection: close\r\n") + get("/2"))
            let answer = try await client.receive()
            #expect(answer.text == "/1")
            #expect(answer.headers[.connection] == "close")
            #expect(try await client.receiveToEnd().isEmpty)
        }
    }

    @Test func `after a response that closes the connection, no other is sent`() async throws {
        let responder = Answering { request, reply in
            reply.send(Response(headers: [.connection: "close"], body: .bytes(Array(request.path.utf8))))
        }
        try await withServer(responder) { server in
            let client = try server.connect()
            try await client.send(get("/1") + get("/2"))
            #expect(try await client.receive().text == "/1")
            #expect(try await client.receiveToEnd().isEmpty)
        }
    }

    @Test func `an HTTP 1·0 connection closes unless keep-alive is requested`() async throws {
        let responder = Answering { request, reply in reply.send(Response(text: request.path)) }
        try await withServer(responder) { server in
            let client = try server.connect()
            try await client.send("GET /1 HTTP/1.0\r\nConnection: keep-alive\r\n\r\nGET /2 HTTP/1.0\r\n\r\n")
            let first = try await client.receive()
            #expect(first.headers[.connection] == "keep-alive")
            #expect(try await client.receive().text == "/2")
            #expect(try await client.receiveToEnd().isEmpty)
        }
    }

    @Test(arguments: RequestParserTests.malformed)
    func `a malformed request gets a 400 and a close, and smuggles nothing`(text: String) async throws {
        let smuggled = Atomic<Int>(0)
        let responder = Router.echo { if $0 == "/smuggled" { smuggled.wrappingAdd(1, ordering: .relaxed) } }
        try await withServer(responder) { server in
            let client = try server.connect()
            try await client.send(get("/before") + text + get("/smuggled"))
            #expect(try await client.receive().status == 200)
            let answer = try await client.receive()
            #expect(answer.status == 400)
            #expect(answer.headers[.connection] == "close")
            #expect(try await client.receiveToEnd().isEmpty)
            #expect(smuggled.load(ordering: .relaxed) == 0)
        }
    }
}

extension Router {
    /// Reads each body completely and responds with it.
    static func echo(_ see: @escaping @Sendable (String) -> Void = { _ in }) -> Router {
        var router = Router()
        router.fallback = Answering { request, reply in
            see(request.path)
            Task(executorPreference: request.loop) {
                do {
                    reply.send(Response(body: .bytes(try await request.body.collect(upTo: 10_000_000))))
                } catch {
                    reply.send(Problem(describing: error).response)
                }
            }
        }
        return router
    }
}
