import Clients
import Glibc
import HTTPTypes
import Locking
import TestSupport
import Testing

@testable import HTTPServer

/// Every request is counted by its route, method and status, and recorded in the access log.
@Suite(.timeLimit(.minutes(1))) struct RequestObservationTests {
    private let records = Guarded<[AccessRecord]>([])
    private let figures = ServerStatistics()

    /// A router with a page of 5 bytes for each kind of response.
    private func router(holding held: Guarded<Reply?> = Guarded(nil)) -> Router {
        var router = Router()
        router.get("/things/{id}") { _, reply in reply.send(Response(text: "12345")) }
        router.get("/fails") { _ async throws in throw Problem(.badGateway) }
        router.get("/stream") { _, reply in
            reply.send(
                Response(body: .stream(ScriptedStream([.bytes(Array("123".utf8)), .bytes([52, 53])]), length: 5)))
        }
        router.get("/held") { _, reply in held.withLock { $0 = reply } }
        router.fallback = Refusal()
        return router
    }

    private struct Refusal: Responder {
        func respond(to request: Request, reply: Reply) { reply.send(Problem(.notFound).response) }
    }

    private func serve(_ responder: any Responder, _ body: (TestServer) async throws -> Void) async throws {
        try await withServer(
            responder, figures: figures, accessLog: { [records] record in records.withLock { $0.append(record) } },
            body)
    }

    private func recorded(_ count: Int) async -> [AccessRecord] {
        _ = await eventually { records.withLock { $0.count >= count } }
        return records.withLock { $0 }
    }

    private func get(_ target: String, _ method: String = "GET") -> String {
        "\(method) \(target) HTTP/1.1\r\nHost: h\r\n\r\n"
    }

    private func counts() async -> [String: UInt64] {
        await figures.requests().counts.reduce(into: [:]) {
            $0["\($1.key.method) \($1.key.route) \($1.key.status)"] = $1.value
        }
    }

    @Test func `requests are counted by pattern, method and status`() async throws {
        try await serve(router()) { server in
            let client = try server.connect()
            let requests = [
                get("/things/1?secret=1"), get("/things/2"), get("/things/3", "HEAD"), get("/things/4", "POST"),
                get("/fails"), get("/nowhere"), get("/things/5", "BREW"), get("/stream"),
            ]
            for request in requests {
                try await client.send(request)
                _ = try await client.receive(isHead: request.hasPrefix("HEAD"))
            }
            #expect(
                await counts() == [
                    "GET /things/{id} 200": 2, "HEAD /things/{id} 200": 1, "POST other 405": 1, "GET /fails 502": 1,
                    "GET /{file} 404": 1, "other other 501": 1, "GET /stream 200": 1,
                ])
            let latencies = await figures.requests().latencies["/things/{id}"]
            #expect(latencies?.counts.reduce(0, +) == 3 && latencies.map { $0.total > 0 } == true)
        }
    }

    @Test func `the access log has the path without its query, and the bytes of the body`() async throws {
        try await serve(router()) { server in
            let client = try server.connect()
            for target in ["/things/1%20?secret=1", "/stream", "/nowhere"] {
                try await client.send(get(target))
                _ = try await client.receive()
            }
            let records = await recorded(3)
            #expect(records.map(\.path) == ["/things/1%20", "/stream", "/nowhere"])
            #expect(records.map(\.route) == ["/things/{id}", "/stream", "/{file}"])
            #expect(records.map(\.status) == [200, 200, 404])
            #expect(records.prefix(2).map(\.bodyBytes) == [5, 5])
            #expect(records.allSatisfy { $0.isComplete && $0.client?.description == "127.0.0.1" && $0.method == .get })
            #expect(records.allSatisfy { record in record.latency.map { $0 > .zero && $0 <= record.duration } == true })
        }
    }

    @Test func `an immediate response is counted under the route that gave it`() async throws {
        struct Immediate: Responder {
            func respondImmediately(to request: PlainRequest, from client: ClientAddress) -> ImmediateResponse? {
                (try? PreparedHead(headers: [:])).map { ImmediateResponse(head: $0, body: [1, 2, 3], route: "/spot") }
            }

            func respond(to request: Request, reply: Reply) { reply.send(Response(text: "")) }
        }
        try await serve(Immediate()) { server in
            let client = try server.connect()
            try await client.send(get("/any"))
            _ = try await client.receive()
            let record = await recorded(1)[0]
            #expect(record.route == "/spot" && record.bodyBytes == 3 && record.path == "/any")
            #expect(await counts() == ["GET /spot 200": 1])
        }
    }

    @Test func `a client that disconnects first counts as 499, without a latency`() async throws {
        let held = Guarded<Reply?>(nil)
        try await serve(router(holding: held)) { server in
            let client = try server.connect()
            try await client.send(get("/held"))
            #expect(await eventually { held.withLock { $0 != nil } })
            shutdown(client.socket, Int32(SHUT_RDWR))
            let record = await recorded(1)[0]
            #expect(record.status == 499 && record.latency == nil && !record.isComplete && record.route == "/held")
            #expect(await counts() == ["GET /held 499": 1])
            #expect(await figures.requests().latencies.isEmpty)
            held.withLock { $0 = nil }
        }
    }

    @Test func `a malformed request is counted without a route, method or client`() async throws {
        try await serve(router()) { server in
            let client = try server.connect()
            try await client.send("GET\r\n\r\n")
            #expect(try await client.receive().status == 400)
            let record = await recorded(1)[0]
            #expect(record.status == 400 && record.method == nil && record.path == nil && record.client == nil)
            #expect(await counts() == ["other other 400": 1])
        }
    }

    @Test func `values go into the first bucket that is not below them`() {
        var statistics = RequestStatistics()
        for latency in [0.0005, 0.001, 0.0011, 10, 11] { statistics.count("/", .get, 200, latency: latency) }
        var twice = statistics
        twice.add(statistics)
        let counts = twice.latencies["/"]?.counts
        #expect(counts?.first == 4 && counts?[1] == 2 && counts?.suffix(2) == [2, 2])
        #expect(twice.counts.values.reduce(0, +) == 10)
        #expect(abs((twice.latencies["/"]?.total ?? 0) - 42.0052) < 1e-9)
    }
}
