import HTTPTypes
import Testing

@testable import HTTPServer

@Suite(.timeLimit(.minutes(1)))
struct DisconnectTests {
    private let get = "GET / HTTP/1.1\r\nHost: h\r\n\r\n"

    @Test(arguments: [true, false])
    func `a client that goes while its answer is awaited is noticed`(resets: Bool) async throws {
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
            if resets { client.reset() } else { client.finish() }
            await gone.value
            #expect(reply.isAbandoned)
            #expect(gone.count == 1)
            let late = Signal<Void>()
            reply.onDisconnect { late.give() }
            await late.value
            reply.send(Response())
        }
    }

    @Test func `a client that goes cancels the task of its handler`() async throws {
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

    @Test func `who finishes sending after its last request still reads the answers`() async throws {
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

    @Test func `a held reply keeps no connection open`() async throws {
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

    @Test func `only the first answer counts`() async throws {
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

    @Test func `a response that cannot be sent is 500`() async throws {
        let responder = Answering { _, reply in reply.send(Response(status: .continue)) }
        try await withServer(responder) { server in
            let client = try server.connect()
            try await client.send(get + get)
            for _ in 0..<2 { #expect(try await client.receive().status == 500) }
        }
    }
}
