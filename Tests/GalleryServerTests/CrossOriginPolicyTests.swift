import HTTPTypes
import Testing

@testable import GalleryServer
@testable import HTTPServer

@Suite struct CrossOriginPolicyTests {
    @Test func `only pages of allowed origins may read responses`() throws {
        let policy = try CrossOriginPolicy([WebOrigin("https://example.org", of: "--allow-origin")])
        #expect(policy.fields(for: "https://example.org")[.accessControlAllowOrigin] == "https://example.org")
        for other in ["https://example.org.evil.test", "http://example.org", "https://example.org:8443", "null"] {
            #expect(policy.fields(for: other)[.accessControlAllowOrigin] == nil)
            #expect(policy.preflightFields(for: other)[.accessControlAllowMethods] == nil)
        }
    }

    @Test func `the headers that cross-origin pages may read are exposed`() throws {
        let fields = try CrossOriginPolicy([WebOrigin("*", of: "--allow-origin")]).fields(for: "https://example.org")
        let exposed = try #require(fields[.accessControlExposeHeaders]).split(separator: ", ")
        for name: HTTPField.Name in [.eTag, .retryAfter, .tesseraDropped, .tesseraIncomplete] {
            #expect(exposed.contains(Substring(name.rawName)))
        }
    }

    @Test(arguments: ["example.org", "https://", "https://example.org/", "https://Example.org", "https://a b", "null"])
    func `an origin that no browser would send is rejected at startup`(text: String) {
        #expect(throws: WebOrigin.Malformed.self) { try WebOrigin(text, of: "--allow-origin") }
    }

    @Test(arguments: [
        ("http://localhost", "localhost", true), ("https://localhost", "localhost", true),
        ("http://LOCALHOST:8080", "localhost:8080", true), ("http://localhost", "localhost:80", true),
        ("http://localhost:80", "localhost", true), ("https://nas.local", "nas.local:443", true),
        ("x://localhost", "localhost", false), ("ftp://localhost", "localhost", false),
        ("://localhost", "localhost", false), ("localhost", "localhost", false),
        ("http:/localhost", "localhost", false),
        ("http://http://localhost", "localhost", false), ("http://localhost", "localhost:443", false),
        ("https://localhost", "localhost:80", false), ("http://localhost:81", "localhost", false),
        ("http://", "", false), ("null", "null", false), ("file://", "localhost", false),
    ])
    func `a WebSocket is accepted only from web pages of the same host and port`(
        origin: String, authority: String, admits: Bool
    ) throws {
        #expect(CrossOriginPolicy([]).admitsSocket(from: origin, to: authority) == admits)
    }

    @Test func `responses with a prepared head carry the CORS headers, too`() async throws {
        let gallery = try await TestGallery(
            files: ["a.jpg": try picture(red: 1)], allowedOrigins: ["https://example.org"])
        let page: PageAnswer = try await gallery.get("/api/v1/images").json()
        let tile = try #require(page.images[0].links["tile"])
        #expect(try await gallery.get(tile).status == 200)
        for target in [tile, "/"] {
            let answer = try await gallery.get(target, headers: [.origin: "https://example.org"])
            #expect(answer.response.prepared != nil)
            #expect(answer.header("Access-Control-Allow-Origin") == "https://example.org")
            #expect(answer.header("Vary")?.contains("Origin") == true)
            #expect(answer.header("Vary")?.contains("Accept") == true)
        }
        let tag = try #require(try await gallery.get("/").header("ETag"))
        let again = try await gallery.get("/", headers: [.origin: "https://example.org", .ifNoneMatch: tag])
        #expect(again.status == 304)
        #expect(again.header("Access-Control-Allow-Origin") == "https://example.org")
        await gallery.close()
    }

    @Test func `responses vary by Origin even for requests without an allowed origin`() async throws {
        let gallery = try await TestGallery(files: [:], allowedOrigins: ["https://example.org"])
        for headers: HTTPFields in [[:], [.origin: "https://other.example"]] {
            for target in ["/", "/api/v1/images", "/nothing"] {
                let answer = try await gallery.get(target, headers: headers)
                #expect(answer.header("Vary")?.contains("Origin") == true)
                #expect(answer.header("Access-Control-Allow-Origin") == nil)
            }
        }
        await gallery.close()
        let closed = try await TestGallery(files: [:])
        #expect(try await closed.get("/").header("Vary")?.contains("Origin") != true)
        await closed.close()
    }

    @Test func `the gallery sends CORS headers only if an origin is allowed`() async throws {
        let headers: HTTPFields = [.origin: "https://example.org"]
        let closed = try await TestGallery(files: [:])
        #expect(try await closed.get("/api/v1/images", headers: headers).header("Access-Control-Allow-Origin") == nil)
        await closed.close()
        let open = try await TestGallery(files: [:], allowedOrigins: ["https://example.org"])
        for target in ["/api/v1/images", "/api/v1/images?limit=0", "/images/0000000000000/tile"] {
            let answer = try await open.get(target, headers: headers)
            #expect(answer.header("Access-Control-Allow-Origin") == "https://example.org")
            #expect(answer.header("Vary")?.contains("Origin") == true)
        }
        var preflight = headers
        preflight[.accessControlRequestMethod] = "POST"
        let answer = try await open.ask(.options, "/api/v1/tokens", headers: preflight)
        #expect(answer.status == 204)
        #expect(answer.header("Access-Control-Allow-Methods") == "GET, HEAD, POST")
        await open.close()
    }
}
