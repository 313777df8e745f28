import Testing

@testable import Origins

@Suite struct OriginHeaderTests {
    private func reason(_ texts: String...) -> String? {
        do throws(OriginHeader.Invalid) {
            _ = try OriginHeader.parse(texts)
            return nil
        } catch {
            return "\(error)"
        }
    }

    private func lines(_ texts: [String], to target: String, listed: String) throws -> [String] {
        let (target, listed) = (try OriginURL(target).origin, try OriginURL(listed).origin)
        return OriginHeader.fields(try OriginHeader.parse(texts), to: target, listed: listed).map(\.line)
    }

    @Test func `a field without an origin stays with the listed host`() throws {
        let texts = [
            "User-Agent: me:you", "https://cdn.example Authorization: Bearer x", "https://cdn.example user-agent: x",
        ]
        #expect(try lines(texts, to: "https://a.example/1", listed: "https://a.example/1") == ["User-Agent: me:you"])
        #expect(try lines(texts, to: "https://a.example/", listed: "http://a.example/1") == ["User-Agent: me:you"])
        for other in ["https://b.example/", "https://sub.a.example/", "https://a.example:444/", "http://a.example/"] {
            #expect(try lines(texts, to: other, listed: "https://a.example/1") == [], "\(other)")
        }
        #expect(try lines(texts, to: "https://a.example/", listed: "http://a.example:8080/1") == [])
        let named = ["Authorization: Bearer x", "user-agent: x"]
        #expect(try lines(texts, to: "https://cdn.example/", listed: "https://a.example/1") == named)
        #expect(try lines(texts, to: "https://cdn.example/", listed: "https://cdn.example/1") == named)
        #expect(try lines(texts, to: "https://cdn.example:8443/", listed: "https://a.example/1") == [])
        #expect(try lines(texts, to: "http://cdn.example/", listed: "https://a.example/1") == [])
    }

    @Test(arguments: [
        "Host: a", "content-length: 1", "Connection: close", "Transfer-Encoding: chunked", "Range: bytes=0-1",
        "Accept-Encoding: gzip", "If-None-Match: *", "https://a.example Upgrade: h2c", "TE: trailers",
    ]) func `fields that frame a request are refused`(text: String) {
        #expect(reason(text)?.contains("set by Tessera") == true)
    }

    @Test(arguments: [
        "", "s3cr3t", "X-Key s3cr3t", ": s3cr3t", "X Key: s3cr3t", "X-Key: s3cr3t\r\nHost: b", "X-Key\r\nA: s3cr3t",
        "X-Key: s3cr3t\u{e9}", "X-Key: s3cr3t\u{0}", "X-Key:", "X-Key: ", "https://a.example/path X-Key: s3cr3t",
        "https://a.example?x X-Key: s3cr3t", "https://u:s3cr3t@a.example X-Key: s3cr3t", "https:// X-Key: s3cr3t",
        "https://a.example", "https://a.example:X-Key: s3cr3t", "ftp://a.example X-Key: s3cr3t",
    ]) func `what is no field is refused without being repeated`(text: String) {
        let reason = reason(text)
        #expect(reason != nil)
        #expect(reason?.contains("s3cr3t") == false)
    }

    @Test func `secrets must name the origin that may see them`() {
        #expect(reason("Authorization: Bearer s3cr3t")?.contains("'https://host Authorization: value'") == true)
        #expect(reason("cookie: a=1")?.contains("https://host") == true)
        #expect(reason("http://a.example:8080 Cookie: a=1") == nil)
    }

    @Test func `a name may be given once for each origin`() {
        #expect(reason("A: 1", "a: 2")?.contains("twice") == true)
        #expect(reason("https://a.example/ A: 1", "HTTPS://A.example:443 a: 2")?.contains("twice") == true)
        #expect(reason("A: 1", "https://a.example A: 2", "https://b.example A: 3") == nil)
    }

    @Test func `a value is in no description`() throws {
        let header = try OriginHeader("X-Key: s3cr3t")
        var configuration = Configuration()
        configuration.headers = [header]
        var dumped = ""
        dump(configuration, to: &dumped)
        for text in ["\(header)", String(reflecting: header), "\(configuration)", dumped] {
            #expect(!text.contains("s3cr3t"), "\(text)")
        }
    }
}
