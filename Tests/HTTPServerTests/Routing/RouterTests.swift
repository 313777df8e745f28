import EventLoops
import HTTPTypes
import Testing

@testable import HTTPServer

/// The same questions to a router alone and to one behind a server on a socket.
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

    @Test(arguments: Way.allCases) func `a path finds its route and its parameters`(way: Way) async throws {
        #expect(try await ask(way, .get, "/images/a/tile").body == "a tile")
        #expect(try await ask(way, .get, "/images/a%20b%2Fc/tile?x=1").body == "a b/c tile")
        #expect(try await ask(way, .get, "/images/%zz/tile").body == "nil tile")
        #expect(try await ask(way, .get, "/").body == "root")
    }

    @Test(arguments: Way.allCases) func `a literal goes before a parameter`(way: Way) async throws {
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
    func `a method that is not known is 501, wherever it is asked for`(way: Way, path: String) async throws {
        let unknown = try #require(HTTPRequest.Method("BREW"))
        #expect(try await ask(way, unknown, path).status == 501)
        // The case of a method counts.
        #expect(try await ask(way, try #require(HTTPRequest.Method("get")), path).status == 501)
    }

    @Test func `a method that a route has is known`() async throws {
        var router = router
        let purge = try #require(HTTPRequest.Method("PURGE"))
        router.on(purge, "/cache") { _, reply in reply.send(Response(status: .noContent)) }
        let (cache, root) = try (Request(purge, "/cache", loop: loop), Request(purge, "/", loop: loop))
        #expect(await router.response(to: cache).status == .noContent)
        #expect(await router.response(to: root).status == .methodNotAllowed)
    }

    @Test(arguments: Way.allCases) func `the server as a whole can be asked for its options`(way: Way) async throws {
        let answer = try await ask(way, .options, "*")
        #expect(answer.status == 204)
        #expect(answer.headers[.allow] == "DELETE, GET, HEAD, OPTIONS, POST")
        var router = router
        router.fallback = Answering { _, reply in reply.send(Problem(.notFound).response) }
        #expect(await router.response(to: try Request(.options, "*", loop: loop)).status == .noContent)
    }

    @Test(arguments: Way.allCases)
    func `an escape of what needs none is the same as what it stands for`(way: Way) async throws {
        #expect(try await ask(way, .get, "/%69mages/a/t%69le").body == "a tile")
        #expect(try await ask(way, .get, "/images/a/%6F%72iginal").body == "original")
        // What has a meaning of its own stays apart, and what is no escape is none.
        for path in ["/images/a%2Ftile", "/image%/a/tile", "/image%7/a/tile", "/image%zz/a/tile", "/%2569mages/a/tile"]
        {
            #expect(try await ask(way, .get, path).status == 404)
        }
    }

    @Test(arguments: Way.allCases)
    func `what has no representation fails a condition that wants one`(way: Way) async throws {
        let tag: HTTPFields = [.ifMatch: "\"a\""]
        #expect(try await ask(way, .post, "/tokens", body: "a", headers: tag).status == 412)
        #expect(try await ask(way, .post, "/tokens", body: "a", headers: [.ifMatch: "*"]).status == 412)
        #expect(try await ask(way, .post, "/tokens", body: "a", headers: [.ifNoneMatch: "*"]).status == 201)
        // A condition counts only where the answer would be a success without it.
        #expect(try await ask(way, .get, "/nope", headers: tag).status == 404)
    }

    @Test(arguments: Way.allCases) func `HEAD is answered by the route for GET`(way: Way) async throws {
        #expect(try await ask(way, .head, "/images/a/tile").status == 200)
    }

    @Test(arguments: Way.allCases) func `an asynchronous handler reads the body and answers`(way: Way) async throws {
        let answer = try await ask(way, .post, "/tokens", body: "hello")
        #expect(answer.status == 201)
        #expect(answer.body == "hello")
        #expect(try await ask(way, .post, "/tokens", body: "hello, world").status == 413)
    }

    @Test(arguments: Way.allCases) func `a problem that is thrown is the answer`(way: Way) async throws {
        let answer = try await ask(way, .delete, "/tokens")
        #expect(answer.status == 409)
        #expect(
            answer.body == #"{"type":"about:blank","title":"Conflict","status":409,"detail":"No.","field":"token"}"#)
    }

    @Test(arguments: Way.allCases) func `any other error is 500 without a word of it`(way: Way) async throws {
        let answer = try await ask(way, .get, "/broken")
        #expect(answer.status == 500)
        #expect(!answer.body.contains("Secret"))
    }

    @Test(arguments: Way.allCases) func `a reply that is let go of is 500`(way: Way) async throws {
        #expect(try await ask(way, .get, "/forgotten").status == 500)
    }

    @Test(arguments: Way.allCases) func `a query is decoded`(way: Way) async throws {
        #expect(try await ask(way, .get, "/query?a=1&b=%C3%A9+x&c&=d&a=2&%zz=1").body == "a=1|b=é x|c=|=d|a=2|%zz=1")
    }

    @Test func `strings of a problem are quoted as JSON wants it`() {
        let problem = Problem(.badRequest, title: "a\"b\\c\n\u{1}", members: ["n": 5])
        let text = String(decoding: problem.json, as: UTF8.self)
        #expect(text == #"{"type":"about:blank","title":"a\"b\\c\n\u0001","status":400,"n":5}"#)
    }
}
