import HTTPTypes
import Testing

@testable import HTTPServer

/// Under a base path, everything is served as without it.
@Suite(.timeLimit(.minutes(1))) struct BasePathTests {
    private func router() -> Router {
        var router = Router()
        router.get("/things/{id}") { request, reply in reply.send(Response(text: request.path)) }
        router.redirectToBasePath("/my/gallery")
        return router
    }

    @Test func `the base path is removed before a route is looked up`() async throws {
        try await withServer(router(), configure: { $0.basePath = "/my/gallery" }) { server in
            let client = try server.connect()
            for (target, answer) in [
                ("/my/gallery/things/1?a=b", (200, "/things/1")), ("/things/1", (200, "/things/1")),
                ("/my/galleryx/things/1", (404, "")), ("/my/gallery/my/gallery/things/1", (404, "")),
                ("/my/things/1", (404, "")), ("/MY/gallery/things/1", (404, "")),
            ] {
                try await client.send("GET \(target) HTTP/1.1\r\nHost: h\r\n\r\n")
                let given = try await client.receive()
                #expect(given.status == answer.0, "\(target)")
                if answer.0 == 200 { #expect(given.text == answer.1) }
            }
        }
    }

    @Test func `the base path without a trailing slash redirects to the one with it, keeping the query`() async throws {
        try await withServer(router(), configure: { $0.basePath = "/my/gallery" }) { server in
            let client = try server.connect()
            for query in ["", "?q=a%20b"] {
                try await client.send("GET /my/gallery\(query) HTTP/1.1\r\nHost: h\r\n\r\n")
                let answer = try await client.receive()
                #expect(answer.status == 308 && answer.headers[.location] == "/my/gallery/\(query)")
            }
        }
    }

    @Test(arguments: [
        ("", true), ("/gallery", true), ("/my/gallery-2.x_~", true), ("gallery", false), ("/", false),
        ("/gallery/", false), ("/a//b", false), ("/a/../b", false), ("/a b", false), ("/a%20b", false), ("/ä", false),
        ("//host", false),
    ]) func `a base path needs no escaping`(path: String, isValid: Bool) {
        var configuration = HTTPServer.Configuration()
        configuration.basePath = path
        #expect(((try? configuration.validate()) != nil) == isValid)
    }
}
