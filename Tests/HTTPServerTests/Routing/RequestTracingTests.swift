import Addresses
import Clients
import EventLoops
import HTTPTypes
import InMemoryTracing
import Locking
import Testing
import Tracing

@testable import HTTPServer

@Suite struct RequestTracingTests {
    private let loop: EventLoop
    private let tracer = InMemoryTracer()

    init() throws { loop = try EventLoop(label: "tracing") }

    private var router: Router {
        var router = Router()
        router.tracer = tracer
        router.get("/images/{id}") { [tracer] _, reply in
            tracer.startSpan("direct work").end()
            reply.send(Response(text: "image"))
        }
        router.post("/tokens") { [tracer] _ in
            tracer.startSpan("asynchronous work").end()
            throw Problem(.serviceUnavailable)
        }
        router.get("/forgotten") { _, _ in }
        router.get("/healthz") { _, reply in reply.send(Response(text: "ok")) }
        router.untraced = ["/healthz"]
        return router
    }

    private func ask(
        _ method: HTTPRequest.Method, _ target: String, headers: HTTPFields = [:], isFromProxy: Bool = false
    ) async throws -> [FinishedInMemorySpan] {
        tracer.clearAll()
        let request = try Request(method, target, headers: headers, isFromProxy: isFromProxy, loop: loop)
        _ = await router.response(to: request)
        return tracer.popFinishedSpans()
    }

    @Test func `a request's span is named after its route, contains the handler's spans, and omits the query`()
        async throws
    {
        let spans = try await ask(.get, "/images/7?token=secret")
        try #require(spans.map(\.operationName) == ["direct work", "GET /images/{id}"])
        #expect(spans[0].parentSpanID == spans[1].spanID)
        #expect(spans[1].parentSpanID == nil)
        #expect(spans[1].kind == .server)
        #expect(spans[1].attributes.get("http.route") == .string("/images/{id}"))
        #expect(spans[1].attributes.get("url.path") == .string("/images/7"))
        #expect(spans[1].attributes.get("http.response.status_code") == .int64(200))
        #expect(spans[1].status == nil)
        var said = ""
        spans[1].attributes.forEach { said += "\($0)\($1)" }
        #expect(!said.contains("secret"))
    }

    @Test func `spans of an asynchronous handler belong to its request, whose failure is recorded`() async throws {
        let spans = try await ask(.post, "/tokens")
        try #require(spans.map(\.operationName) == ["asynchronous work", "POST /tokens"])
        #expect(spans[0].parentSpanID == spans[1].spanID)
        #expect(spans[1].attributes.get("http.response.status_code") == .int64(503))
        #expect(spans[1].status?.code == .error)
    }

    @Test func `a reply that is never sent also ends its span`() async throws {
        let spans = try await ask(.get, "/forgotten")
        #expect(spans.map(\.operationName) == ["GET /forgotten"])
        #expect(spans.first?.status?.code == .error)
        #expect(tracer.activeSpans.isEmpty)
    }

    @Test func `untraced routes have no span`() async throws {
        #expect(try await ask(.get, "/healthz").isEmpty)
    }

    @Test func `spans of unmatched requests are named by their method, if it is known`() async throws {
        #expect(try await ask(.get, "/nowhere").map(\.operationName) == ["GET"])
        #expect(try await ask(.put, "/images/7").map(\.operationName) == ["PUT"])
        let odd = try await ask(HTTPRequest.Method("BREW")!, "/images/7")
        #expect(odd.map(\.operationName) == ["HTTP"])
        #expect(odd.first?.attributes.get("http.request.method") == .string("_OTHER"))
    }

    @Test func `a parent trace is accepted only from a trusted proxy`() async throws {
        let fields: HTTPFields = [
            HTTPField.Name(InMemoryTracer.traceIDKey)!: "theirs", HTTPField.Name(InMemoryTracer.spanIDKey)!: "span",
        ]
        let believed = try await ask(.get, "/images/7", headers: fields, isFromProxy: true)
        #expect(believed.last?.traceID == "theirs")
        #expect(believed.last?.parentSpanID == "span")
        let passedOver = try await ask(.get, "/images/7", headers: fields)
        #expect(passedOver.last?.traceID != "theirs")
        #expect(passedOver.last?.parentSpanID == nil)
    }

    @Test func `while a tracer is set, requests that carry a trace context skip the fast path`() async throws {
        var router = router
        let asked = Guarded(0)
        router.immediate = { _, _ in
            asked.withLock { $0 += 1 }
            return nil
        }
        let parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
        let bearing: HTTPFields = [HTTPField.Name("Traceparent")!: parent]
        for (headers, count) in [(HTTPFields(), 1), (bearing, 1), (HTTPFields(), 2)] as [(HTTPFields, Int)] {
            let plain = try #require(PlainRequest(Request(.get, "/images/7", headers: headers, loop: loop).head))
            _ = router.respondImmediately(to: plain, from: ClientAddress(.v4(0)))
            #expect(asked.withLock(\.self) == count)
        }
        router.tracer = nil
        let plain = try #require(PlainRequest(Request(.get, "/images/7", headers: bearing, loop: loop).head))
        _ = router.respondImmediately(to: plain, from: ClientAddress(.v4(0)))
        #expect(asked.withLock(\.self) == 3)
    }
}
