import HTTPTypes
import Testing

@testable import HTTPServer

/// What answers hold in memory that nobody takes, and that it is bounded.
@Suite(.timeLimit(.minutes(1)))
struct AnswerMemoryTests {
    private func get(_ path: String) -> String { "GET \(path) HTTP/1.1\r\nHost: h\r\n\r\n" }

    private static let long = 16_777_216

    /// More than any socket takes.
    private static let longAnswers = Answering { _, reply in
        reply.send(Response(body: .bytes([UInt8](repeating: 65, count: Self.long))))
    }

    @Test func `whoever holds too much by not reading is reset, and who reads is served`() async throws {
        try await withServer(
            Self.longAnswers, configure: { $0.maximumHeldAnswersPerClient = Self.long + Self.long / 2 }
        ) { server in
            let first = try server.connect(receiveBuffer: 16_384)
            try await first.send(get("/"))
            try await waitUntil { server.server.heldAnswerBytes == Self.long }
            let second = try server.connect(receiveBuffer: 16_384)
            try await second.send(get("/"))
            #expect(try await second.endsWithReset())
            #expect(server.server.heldAnswerBytes == Self.long)
            #expect(try await first.receive().body.count == Self.long)
            try await waitUntil { server.server.heldAnswerBytes == 0 }
            let third = try server.connect()
            try await third.send(get("/"))
            #expect(try await third.receive().body.count == Self.long)
        }
    }

    @Test func `who goes gives back what was held for it`() async throws {
        try await withServer(Self.longAnswers) { server in
            let client = try server.connect(receiveBuffer: 16_384)
            try await client.send(get("/1") + get("/2"))
            try await waitUntil { server.server.heldAnswerBytes > 0 }
            client.reset()
            try await waitUntil { server.server.heldAnswerBytes == 0 }
        }
    }

    @Test func `answers made ahead are counted, and one too many is 503 in its turn`() async throws {
        let held = HeldReplies(["/1", "/2", "/3", "/4"])
        let stream = HeavyStream(weight: 2_000)
        let responder = Answering { request, reply in held.hold(reply, for: request.path) }
        try await withServer(responder, configure: { $0.maximumHeldAnswersPerClient = 3_000 }) { server in
            let client = try server.connect()
            try await client.send((1...4).map { get("/\($0)") }.joined())
            await held.take("/4")?.send(Response(body: .bytes([UInt8](repeating: 65, count: 2_000))))
            try await waitUntil { server.server.heldAnswerBytes == 2_000 }
            await held.take("/3")?.send(Response(body: .stream(stream, length: 1)))
            #expect(await stream.end.value == .aborted)
            #expect(server.server.heldAnswerBytes == 2_000)
            // A short one costs nothing worth counting.
            await held.take("/2")?.send(Response(text: String(repeating: "b", count: 1_000)))
            await held.take("/1")?.send(Response(text: "one"))
            #expect(try await client.receive().text == "one")
            #expect(try await client.receive().body.count == 1_000)
            let refusal = try await client.receive()
            #expect(refusal.status == 503)
            #expect(refusal.headers[.retryAfter] == "1")
            #expect(try await client.receive().body.count == 2_000)
            try await waitUntil { server.server.heldAnswerBytes == 0 }
        }
    }

    @Test func `an answer given in place of another is counted in its place`() async throws {
        let held = HeldReplies(["/1", "/2"])
        let responder = Answering { request, reply in held.hold(reply, for: request.path) }
        try await withServer(responder) { server in
            let client = try server.connect()
            try await client.send(get("/1") + get("/2"))
            var second = Response(body: .bytes([UInt8](repeating: 65, count: 5_000)))
            second.instead = { Response(status: .noContent) }
            await held.take("/2")?.send(second)
            try await waitUntil { server.server.heldAnswerBytes == 5_000 }
            await held.take("/1")?.send(Response(text: "one"))
            #expect(try await client.receive().text == "one")
            #expect(try await client.receive().status == 204)
            try await waitUntil { server.server.heldAnswerBytes == 0 }
        }
    }

    @Test func `what is written at once is not counted`() async throws {
        let responder = Answering { _, reply in
            reply.send(Response(body: .bytes([UInt8](repeating: 65, count: 10_000))))
        }
        try await withServer(responder, configure: { $0.maximumHeldAnswers = 1 }) { server in
            let client = try server.connect()
            for _ in 0..<3 {
                try await client.send(get("/"))
                #expect(try await client.receive().body.count == 10_000)
            }
        }
    }
}

/// Says that it holds memory, and gives nothing.
private final class HeavyStream: BodyStream {
    let heldBytes: Int
    let end = Signal<BodyEnd>()

    init(weight: Int) { heldBytes = weight }

    func pull(upTo limit: Int, wake: @escaping @Sendable () -> Void) -> BodyPull { .pending }

    func ended(_ end: BodyEnd) { self.end.give(end) }
}
