import Addresses
import Clients
import EventLoops
import HTTPTypes
import Testing

@testable import HTTPServer

/// All request bodies together hold a bounded amount of memory.
@Suite(.timeLimit(.minutes(1)))
struct RequestBodyMemoryTests {
    /// A connection that is never asked for more.
    private final class NoSource: RequestBody.Source {
        func bodyIsWanted(_ body: RequestBody) {}
    }

    private let loop: EventLoop

    init() throws { loop = try EventLoop(label: "body") }

    private func body(_ budget: BodyBudget) -> RequestBody {
        RequestBody(
            declaredLength: nil, of: ClientAddress(.v4(1)), budget: budget, loop: loop, source: NoSource())
    }

    @Test func `unread bytes are counted until they are read`() async throws {
        let budget = BodyBudget(limit: 10, perClient: 10)
        let one = body(budget)
        #expect(one.deliver([1, 2, 3, 4]))
        #expect(one.deliver([5, 6]))
        #expect(budget.heldBytes == 6)
        let other = body(budget)
        #expect(!other.deliver([1, 2, 3, 4, 5]))
        #expect(budget.heldBytes == 6)
        #expect(other.deliver([1, 2, 3, 4]))
        let pieces = one.makeAsyncIterator()
        #expect(try await pieces.next() == [1, 2, 3, 4, 5, 6])
        #expect(budget.heldBytes == 4)
        #expect(other.deliver([5]))
    }

    @Test func `a collected body is counted until it is released`() async throws {
        let budget = BodyBudget(limit: 10, perClient: 10)
        var body: RequestBody? = body(budget)
        #expect(body?.deliver([1, 2, 3]) == true)
        body?.end()
        #expect(try await body?.collect(upTo: 3) == [1, 2, 3])
        #expect(budget.heldBytes == 3)
        body = nil
        #expect(budget.heldBytes == 0)
    }

    @Test func `a body that exceeds its limit frees its memory`() async throws {
        let budget = BodyBudget(limit: 10, perClient: 10)
        let body = body(budget)
        #expect(body.deliver([1, 2, 3]))
        await #expect(throws: RequestError.bodyTooLarge(limit: 2)) { try await body.collect(upTo: 2) }
        #expect(budget.heldBytes == 0)
    }

    @Test func `a body that fails frees its memory, even while it is referenced`() async throws {
        let budget = BodyBudget(limit: 10, perClient: 10)
        let body = body(budget)
        #expect(body.deliver([1, 2, 3]))
        body.end(.noRoomForBody)
        await #expect(throws: RequestError.noRoomForBody) { try await body.collect(upTo: 10) }
        #expect(budget.heldBytes == 0)
    }

    @Test(arguments: [
        ("Content-Length: 200000", ""), ("Transfer-Encoding: chunked", "20000\r\n"),
    ])
    func `a parser keeps no memory for body bytes it has delivered`(framing: String, size: String) throws {
        var parser = RequestParser(limits: .init())
        let piece = [UInt8](repeating: 65, count: 60_000)
        parser.append(Array("POST / HTTP/1.1\r\nHost: h\r\n\(framing)\r\n\r\n\(size)".utf8) + piece)
        guard case .head = try parser.next() else {
            Issue.record("no head was parsed")
            return
        }
        for round in 0..<2 {
            if round > 0 { parser.append(piece) }
            guard case .body(let bytes) = try parser.next() else {
                Issue.record("no body was parsed")
                return
            }
            #expect(bytes == piece)
            #expect(parser.bufferedCapacity < 8_192)
            let next = try parser.next()
            #expect(next == nil)
        }
    }

    @Test func `request bodies are limited per client and in total`() {
        let budget = BodyBudget(limit: 10, perClient: 6)
        let (one, other) = (ClientAddress(.v4(1)), ClientAddress(.v4(2)))
        #expect(budget.take(6, of: one) && !budget.take(1, of: one))
        #expect(!budget.take(5, of: other) && budget.take(4, of: other))
        #expect(budget.heldBytes == 10)
        budget.giveBack(6, by: one)
        #expect(budget.take(2, of: other) && !budget.take(1, of: other))
        #expect(budget.heldBytes == 6)
    }

    @Test func `a body that exceeds the total limit gets a 503 with Retry-After`() async throws {
        let responder = Answering { request, reply in
            Task {
                do {
                    let bytes = try await request.body.collect(upTo: 1_000)
                    reply.send(Response(text: "\(bytes.count)"))
                } catch {
                    reply.send(Problem(describing: error).response)
                }
            }
        }
        try await withServer(responder, configure: { $0.maximumHeldBodies = 1_000 }) { server in
            let (first, second) = (try server.connect(), try server.connect())
            let fields = "Host: h\r\nContent-Length: 1000\r\n\r\n"
            try await first.send("POST /1 HTTP/1.1\r\n" + fields + String(repeating: "x", count: 600))
            try await waitUntil { server.server.heldBodyBytes == 600 }
            try await second.send("POST /2 HTTP/1.1\r\n" + fields + String(repeating: "x", count: 600))
            let refusal = try await second.receive()
            #expect(refusal.status == 503)
            #expect(refusal.headers[.retryAfter] == "1")
            #expect(refusal.headers[.connection] == "close")
            // The first one is served.
            try await first.send(String(repeating: "x", count: 400))
            #expect(try await first.receive().text == "1000")
            try await waitUntil { server.server.heldBodyBytes == 0 }
            try await first.send("POST /1 HTTP/1.1\r\n" + fields + String(repeating: "x", count: 1_000))
            #expect(try await first.receive().text == "1000")
        }
    }
}
