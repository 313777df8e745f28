import HTTPTypes
import Testing

@testable import GalleryServer

@Suite struct CrossOriginPolicyTests {
    @Test func `only the pages that were named may read`() throws {
        let policy = try CrossOriginPolicy(["https://example.org"])
        #expect(policy.fields(for: "https://example.org")[.accessControlAllowOrigin] == "https://example.org")
        for other in ["https://example.org.evil.test", "http://example.org", "https://example.org:8443", "null"] {
            #expect(policy.fields(for: other)[.accessControlAllowOrigin] == nil)
            #expect(policy.preflightFields(for: other)[.accessControlAllowMethods] == nil)
        }
    }

    @Test func `what pages elsewhere may read of a head is named`() throws {
        let fields = try CrossOriginPolicy(["*"]).fields(for: "https://example.org")
        let exposed = try #require(fields[.accessControlExposeHeaders]).split(separator: ", ")
        for name: HTTPField.Name in [.eTag, .retryAfter, .tesseraDropped, .tesseraIncomplete] {
            #expect(exposed.contains(Substring(name.rawName)))
        }
    }

    @Test(arguments: ["example.org", "https://", "https://example.org/", "https://Example.org", "https://a b", "null"])
    func `what no browser would write is refused at the start`(text: String) {
        #expect(throws: CrossOriginPolicy.InvalidOrigin.self) { try CrossOriginPolicy([text]) }
    }

    @Test func `answers through the gallery bear the fields, and by default none`() async throws {
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
