import HTTPTypes
import Testing

@testable import HTTPServer

/// Unread responses hold a bounded amount of memory.
@Suite(.timeLimit(.minutes(1)))
struct AnswerMemoryTests {
    private func get(_ path: String) -> String { "GET \(path) HTTP/1.1\r\nHost: h\r\n\r\n" }

    private static let long = 16_777_216

    /// Longer than any socket buffer.
    private static let longAnswers = Answering { _, reply in
        reply.send(Response(body: .bytes([UInt8](repeating: 65, count: Self.long))))
    }

    @Test func `a connection over the limit on unread bytes is reset, and the others are served`() async throws {
        try await withServer(
            Self.longAnswers, configure: { $0.maximumHeldResponsesPerClient = Self.long + Self.long / 2 }
        ) { server in
            let first = try server.connect(receiveBuffer: 16_384)
            try await first.send(get("/"))
            try await waitUntil { server.server.heldResponseBytes == Self.long }
            let second = try server.connect(receiveBuffer: 16_384)
            try await second.send(get("/"))
            #expect(try await second.endsWithReset())
            #expect(server.server.heldResponseBytes == Self.long)
            #expect(try await first.receive().body.count == Self.long)
            try await waitUntil { server.server.heldResponseBytes == 0 }
            let third = try server.connect()
            try await third.send(get("/"))
            #expect(try await third.receive().body.count == Self.long)
        }
    }

    @Test func `a disconnected client's unread responses are released`() async throws {
        try await withServer(Self.longAnswers) { server in
            let client = try server.connect(receiveBuffer: 16_384)
            try await client.send(get("/1") + get("/2"))
            try await waitUntil { server.server.heldResponseBytes > 0 }
            client.reset()
            try await waitUntil { server.server.heldResponseBytes == 0 }
        }
    }

    @Test func `responses ready early are counted, and one over the limit becomes a 503 in its turn`() async throws {
        let held = HeldReplies(["/1", "/2", "/3", "/4"])
        let stream = HeavyStream(weight: 2_000)
        let responder = Answering { request, reply in held.hold(reply, for: request.path) }
        try await withServer(responder, configure: { $0.maximumHeldResponsesPerClient = 3_000 }) { server in
            let client = try server.connect()
            try await client.send((1...4).map { get("/\($0)") }.joined())
            await held.take("/4")?.send(Response(body: .bytes([UInt8](repeating: 65, count: 2_000))))
            try await waitUntil { server.server.heldResponseBytes == 2_000 }
            await held.take("/3")?.send(Response(body: .stream(stream, length: 1)))
            #expect(await stream.end.value == .aborted)
            #expect(server.server.heldResponseBytes == 2_000)
            // A short response is not counted.
            await held.take("/2")?.send(Response(text: String(repeating: "b", count: 1_000)))
            await held.take("/1")?.send(Response(text: "one"))
            #expect(try await client.receive().text == "one")
            #expect(try await client.receive().body.count == 1_000)
            let refusal = try await client.receive()
            #expect(refusal.status == 503)
            #expect(refusal.headers[.retryAfter] == "1")
            #expect(try await client.receive().body.count == 2_000)
            try await waitUntil { server.server.heldResponseBytes == 0 }
        }
    }

    @Test func `a response that is replaced before its turn is no longer counted`() async throws {
        let held = HeldReplies(["/1", "/2"])
        let responder = Answering { request, reply in held.hold(reply, for: request.path) }
        try await withServer(responder) { server in
            let client = try server.connect()
            try await client.send(get("/1") + get("/2"))
            var second = Response(body: .bytes([UInt8](repeating: 65, count: 5_000)))
            second.instead = { Response(status: .noContent) }
            await held.take("/2")?.send(second)
            try await waitUntil { server.server.heldResponseBytes == 5_000 }
            await held.take("/1")?.send(Response(text: "one"))
            #expect(try await client.receive().text == "one")
            #expect(try await client.receive().status == 204)
            try await waitUntil { server.server.heldResponseBytes == 0 }
        }
    }

    @Test func `a response that is written at once is not counted`() async throws {
        let responder = Answering { _, reply in
            reply.send(Response(body: .bytes([UInt8](repeating: 65, count: 10_000))))
        }
        try await withServer(responder, configure: { $0.maximumHeldResponses = 1 }) { server in
            let client = try server.connect()
            for _ in 0..<3 {
                try await client.send(get("/"))
                #expect(try await client.receive().body.count == 10_000)
            }
        }
    }
}

/// Claims to hold memory, and never produces bytes.
private final class HeavyStream: BodyStream {
    let heldBytes: Int
    let end = Signal<BodyEnd>()

    init(weight: Int) { heldBytes = weight }

    func pull(upTo limit: Int, wake: @escaping @Sendable () -> Void) -> BodyPull { .pending }

    func ended(_ end: BodyEnd) { self.end.give(end) }
}
