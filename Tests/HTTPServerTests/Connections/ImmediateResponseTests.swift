import Clients
import EventLoops
import Glibc
import HTTPTypes
import Synchronization
import Testing

@testable import HTTPServer

/// Responds with `body` on the fast path, and with "long way" otherwise.
private struct TwoWays: Responder {
    let body: [UInt8]
    let asked = Atomic2()

    final class Atomic2: Sendable {
        let spot = Atomic<Int>(0)
        let respond = Atomic<Int>(0)
    }

    func respondImmediately(to request: PlainRequest, from client: ClientAddress) -> ImmediateResponse? {
        asked.spot.wrappingAdd(1, ordering: .relaxed)
        let isMeant = request.withTarget { path, query in path.starts(with: "/spot".utf8) && query == nil }
        guard isMeant, let head = try? PreparedHead(headers: [.contentType: "text/plain", .eTag: "\"spot\""]) else {
            return nil
        }
        return ImmediateResponse(head: head, body: body)
    }

    func respond(to request: Request, reply: Reply) {
        asked.respond.wrappingAdd(1, ordering: .relaxed)
        reply.send(Response(headers: [.eTag: "\"long\""], body: .bytes(Array("long way".utf8))))
    }
}

/// A simple request whose response is known at once takes a fast path through the server, which the client cannot
/// distinguish from the normal one.
@Suite(.timeLimit(.minutes(1)))
struct ImmediateResponseTests {
    private func get(_ target: String, _ fields: String = "") -> String {
        "GET \(target) HTTP/1.1\r\nHost: h\r\n\(fields)\r\n"
    }

    @Test func `an immediate response is complete, and the connection stays open`() async throws {
        let responder = TwoWays(body: Array("here".utf8))
        try await withServer(responder) { server in
            let client = try server.connect()
            for _ in 0..<3 {
                try await client.send(get("/spot"))
                let answer = try await client.receive()
                #expect(answer.status == 200 && answer.text == "here")
                #expect(answer.headers[.eTag] == "\"spot\"" && answer.headers[.contentLength] == "4")
                #expect(answer.headers[.date] != nil && answer.headers[.contentType] == "text/plain")
            }
            try await client.send(get("/other"))
            #expect(try await client.receive().text == "long way")
            #expect(responder.asked.respond.load(ordering: .relaxed) == 1)
        }
    }

    @Test func `pipelined requests are answered in order, whether immediately or not`() async throws {
        let responder = TwoWays(body: Array("here".utf8))
        try await withServer(responder) { server in
            let client = try server.connect()
            let targets = ["/spot", "/a", "/spot", "/spot?x", "/b", "/spot"]
            try await client.send(targets.map { get($0) }.joined())
            for target in targets {
                #expect(try await client.receive().text == (target == "/spot" ? "here" : "long way"), "\(target)")
            }
        }
    }

    @Test(arguments: [
        "HEAD /spot HTTP/1.1\r\nHost: h\r\n\r\n", "POST /spot HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n",
        "GET /spot HTTP/1.0\r\n\r\n", "GET /spot HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n",
        "GET /spot HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\n\r\nx",
        "GET /spot HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "GET /spot HTTP/1.1\r\nHost: h\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n",
    ])
    func `only plain requests are offered to the fast path`(request: String) async throws {
        let responder = TwoWays(body: Array("here".utf8))
        try await withServer(responder) { server in
            let client = try server.connect()
            try await client.send(request)
            let answer = try await client.receive(isHead: request.hasPrefix("HEAD"))
            #expect(answer.headers[.eTag] == "\"long\"")
            #expect(responder.asked.spot.load(ordering: .relaxed) == 0)
        }
    }

    @Test func `a response larger than the socket buffer is sent as the client reads`() async throws {
        let responder = TwoWays(body: [UInt8](repeating: 65, count: 16_777_216))
        try await withServer(responder) { server in
            let client = try server.connect(receiveBuffer: 16_384)
            try await client.send(get("/spot") + get("/next"))
            // The response is held and counted like any other.
            try await waitUntil { server.server.heldResponseBytes == responder.body.count }
            let answer = try await client.receive()
            #expect(answer.body.count == responder.body.count && answer.body.allSatisfy { $0 == 65 })
            #expect(try await client.receive().text == "long way")
            try await waitUntil { server.server.heldResponseBytes == 0 }
        }
    }

    @Test func `a client that disconnects while reading leaves no held bytes`() async throws {
        let responder = TwoWays(body: [UInt8](repeating: 65, count: 16_777_216))
        try await withServer(responder) { server in
            let client = try server.connect(receiveBuffer: 16_384)
            try await client.send(get("/spot"))
            try await waitUntil { server.server.heldResponseBytes > 0 }
            client.reset()
            try await waitUntil { server.server.heldResponseBytes == 0 }
        }
    }

    @Test func `a request behind a pending one waits for its turn`() async throws {
        let held = HeldReplies(["/held"])
        struct Both: Responder {
            let held: HeldReplies
            let short: TwoWays
            func respondImmediately(to request: PlainRequest, from client: ClientAddress) -> ImmediateResponse? {
                short.respondImmediately(to: request, from: client)
            }
            func respond(to request: Request, reply: Reply) {
                if request.path == "/held" {
                    held.hold(reply, for: request.path)
                } else {
                    short.respond(to: request, reply: reply)
                }
            }
        }
        try await withServer(Both(held: held, short: TwoWays(body: Array("here".utf8)))) { server in
            let client = try server.connect()
            try await client.send(get("/held") + get("/spot"))
            await held.take("/held")?.send(Response(text: "held"))
            #expect(try await client.receive().text == "held")
            // A request that arrived during another one takes the normal path.
            #expect(try await client.receive().text == "long way")
        }
    }
}
