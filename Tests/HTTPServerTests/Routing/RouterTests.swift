import EventLoops
import HTTPTypes
import Testing

@testable import HTTPServer

/// How a request reaches the router: directly, or through a server's socket.
enum Way: CaseIterable, Sendable { case direct, live }

@Suite struct RouterTests {
    private let loop: EventLoop

    init() throws { loop = try EventLoop(label: "router") }

    private var router: Router {
        var router = Router()
        router.get("/images/{id}/{rendition}") { request, reply in
            reply.send(
                Response(text: "\(request.parameters["id"] ?? "nil") \(request.parameters["rendition"] ?? "nil")"))
        }
        router.get("/images/{id}/original") { _, reply in reply.send(Response(text: "original")) }
        router.get("/images/new/{what}") { request, reply in
            reply.send(Response(text: "new \(request.parameters["what"] ?? "nil")"))
        }
        router.get("/") { _, reply in reply.send(Response(text: "root")) }
        router.post("/tokens") { request in
            let body = try await request.body.collect(upTo: 10)
            return Response(status: .created, text: String(decoding: body, as: UTF8.self))
        }
        router.delete("/tokens") { _ in throw Problem(.conflict, detail: "No.", members: ["field": "token"]) }
        router.get("/query") { request, reply in
            reply.send(Response(text: request.query.map { "\($0.name)=\($0.value)" }.joined(separator: "|")))
        }
        struct Secret: Error {}
        router.get("/broken") { _ in throw Secret() }
        router.get("/forgotten") { _, _ in }
        return router
    }

    private func ask(
        _ way: Way, _ method: HTTPRequest.Method, _ target: String, body: String = "", headers: HTTPFields = [:]
    ) async throws -> (status: Int, headers: HTTPFields, body: String) {
        switch way {
        case .direct:
            let request = try Request(method, target, headers: headers, body: Array(body.utf8), loop: loop)
            let response = await router.response(to: request)
            guard case .bytes(let bytes) = response.body else { return (response.status.code, response.headers, "") }
            return (response.status.code, response.headers, String(decoding: bytes, as: UTF8.self))
        case .live:
            return try await withServer(router) { server in
                let client = try server.connect()
                var fields = body.isEmpty ? "" : "Content-Length: \(body.utf8.count)\r\n"
                for field in headers { fields += "\(field.name): \(field.value)\r\n" }
                try await client.send("\(method.rawValue) \(target) HTTP/1.1\r\nHost: h\r\n\(fields)\r\n\(body)")
                let answer = try await client.receive(isHead: method == .head)
                return (answer.status, answer.headers, answer.text)
            }
        }
    }

    @Test(arguments: Way.allCases) func `a path is matched to its route and parameters`(way: Way) async throws {
        #expect(try await ask(way, .get, "/images/a/tile").body == "a tile")
        #expect(try await ask(way, .get, "/images/a%20b%2Fc/tile?x=1").body == "a b/c tile")
        #expect(try await ask(way, .get, "/images/%zz/tile").body == "nil tile")
        #expect(try await ask(way, .get, "/").body == "root")
    }

    @Test(arguments: Way.allCases) func `a literal segment takes precedence over a parameter`(way: Way) async throws {
        #expect(try await ask(way, .get, "/images/a/original").body == "original")
        #expect(try await ask(way, .get, "/images/new/original").body == "new original")
        #expect(try await ask(way, .get, "/images/newer/tile").body == "newer tile")
    }

    @Test(
        arguments: Way.allCases, ["/nope", "/images", "/images/a", "/images/a/b/c", "/images//tile", "//", "/tokens/"])
    func `an unknown path is 404`(way: Way, path: String) async throws {
        let answer = try await ask(way, .get, path)
        #expect(answer.status == 404)
        #expect(answer.headers[.contentType] == "application/problem+json")
    }

    @Test(arguments: Way.allCases) func `a known path with another method is 405 with Allow`(way: Way) async throws {
        let answer = try await ask(way, .put, "/images/a/tile")
        #expect(answer.status == 405)
        #expect(answer.headers[.allow] == "GET, HEAD, OPTIONS")
        #expect(try await ask(way, .get, "/tokens").headers[.allow] == "DELETE, OPTIONS, POST")
        for known: HTTPRequest.Method in [.trace, .patch, try #require(HTTPRequest.Method("QUERY"))] {
            #expect(try await ask(way, known, "/tokens").status == 405)
            #expect(try await ask(way, known, "/nope").status == 404)
        }
        let options = try await ask(way, .options, "/tokens")
        #expect(options.status == 204)
        #expect(options.headers[.allow] == "DELETE, OPTIONS, POST")
    }

    @Test(arguments: Way.allCases, ["/tokens", "/nope"])
    func `an unknown method is 501 on any path`(way: Way, path: String) async throws {
        let unknown = try #require(HTTPRequest.Method("BREW"))
        #expect(try await ask(way, unknown, path).status == 501)
        // Methods are case-sensitive.
        #expect(try await ask(way, try #require(HTTPRequest.Method("get")), path).status == 501)
    }

    @Test func `a method with a route is known`() async throws {
        var router = router
        let purge = try #require(HTTPRequest.Method("PURGE"))
        router.on(purge, "/cache") { _, reply in reply.send(Response(status: .noContent)) }
        let (cache, root) = try (Request(purge, "/cache", loop: loop), Request(purge, "/", loop: loop))
        #expect(await router.response(to: cache).status == .noContent)
        #expect(await router.response(to: root).status == .methodNotAllowed)
    }

    @Test(arguments: Way.allCases) func `OPTIONS for the whole server lists all methods`(way: Way) async throws {
        let answer = try await ask(way, .options, "*")
        #expect(answer.status == 204)
        #expect(answer.headers[.allow] == "DELETE, GET, HEAD, OPTIONS, POST")
        var router = router
        router.fallback = Answering { _, reply in reply.send(Problem(.notFound).response) }
        #expect(await router.response(to: try Request(.options, "*", loop: loop)).status == .noContent)
    }

    @Test(arguments: Way.allCases)
    func `an unnecessary percent-escape matches the character it stands for`(way: Way) async throws {
        #expect(try await ask(way, .get, "/%69mages/a/t%69le").body == "a tile")
        #expect(try await ask(way, .get, "/images/a/%6F%72iginal").body == "original")
        // An escaped reserved character is different, and an invalid escape is none.
        for path in ["/images/a%2Ftile", "/image%/a/tile", "/image%7/a/tile", "/image%zz/a/tile", "/%2569mages/a/tile"]
        {
            #expect(try await ask(way, .get, path).status == 404)
        }
    }

    @Test(arguments: Way.allCases)
    func `If-Match fails for a resource without a representation`(way: Way) async throws {
        let tag: HTTPFields = [.ifMatch: "\"a\""]
        #expect(try await ask(way, .post, "/tokens", body: "a", headers: tag).status == 412)
        #expect(try await ask(way, .post, "/tokens", body: "a", headers: [.ifMatch: "*"]).status == 412)
        #expect(try await ask(way, .post, "/tokens", body: "a", headers: [.ifNoneMatch: "*"]).status == 201)
        // A condition counts only if the response would otherwise be a success.
        #expect(try await ask(way, .get, "/nope", headers: tag).status == 404)
    }

    @Test(arguments: Way.allCases) func `HEAD uses the route for GET`(way: Way) async throws {
        #expect(try await ask(way, .head, "/images/a/tile").status == 200)
    }

    @Test(arguments: Way.allCases) func `an asynchronous handler reads the body and responds`(way: Way) async throws {
        let answer = try await ask(way, .post, "/tokens", body: "hello")
        #expect(answer.status == 201)
        #expect(answer.body == "hello")
        #expect(try await ask(way, .post, "/tokens", body: "hello, world").status == 413)
    }

    @Test(arguments: Way.allCases) func `a thrown problem is the response`(way: Way) async throws {
        let answer = try await ask(way, .delete, "/tokens")
        #expect(answer.status == 409)
        #expect(
            answer.body == #"{"type":"about:blank","title":"Conflict","status":409,"detail":"No.","field":"token"}"#)
    }

    @Test(arguments: Way.allCases) func `any other error becomes a 500 without details`(way: Way) async throws {
        let answer = try await ask(way, .get, "/broken")
        #expect(answer.status == 500)
        #expect(!answer.body.contains("Secret"))
    }

    @Test(arguments: Way.allCases) func `a reply that is dropped becomes a 500`(way: Way) async throws {
        #expect(try await ask(way, .get, "/forgotten").status == 500)
    }

    @Test(arguments: Way.allCases) func `a query is decoded`(way: Way) async throws {
        #expect(try await ask(way, .get, "/query?a=1&b=%C3%A9+x&c&=d&a=2&%zz=1").body == "a=1|b=é x|c=|=d|a=2|%zz=1")
    }

    @Test func `a router that admits requests accepts no route without a rule`() async {
        await #expect(processExitsWith: .failure) {
            var router = Router { request, _ in request }
            router.get("/with", for: AccessRule("anybody")) { _, reply in reply.send(Response(text: "")) }
            guard router.table.count == 1 else { return }
            router.get("/without") { _, reply in reply.send(Response(text: "")) }
        }
    }

    @Test func `strings in a problem document are escaped as JSON`() {
        let problem = Problem(.badRequest, title: "a\"b\\c\n\u{1}", members: ["n": 5])
        let text = String(decoding: problem.json, as: UTF8.self)
        #expect(text == #"{"type":"about:blank","title":"a\"b\\c\n\u0001","status":400,"n":5}"#)
    }
}
