import Testing

@testable import Origins

@Suite struct CookieJarTests {
    private func jar(
        _ fields: String..., from url: String = "https://a.example/x/y?z", now: Int64 = 0
    ) throws -> CookieJar {
        var jar = CookieJar()
        jar.take(fields, from: try OriginURL(url), now: now)
        return jar
    }

    @Test func `a cookie goes back to the host that set it, and to no other`() throws {
        for field in [
            "a=1; Path=/", "a=1; Path=/; Domain=example", "a=1; path=/; DOMAIN=.a.example", "a=1;Path=/;Domain=",
        ] {
            let jar = try jar(field)
            #expect(jar.field(for: try OriginURL("https://a.example/other")) == "a=1")
            for other in ["https://b.example/", "https://sub.a.example/", "https://example/", "https://a.example.x/"] {
                #expect(jar.field(for: try OriginURL(other)) == nil, "\(field) at \(other)")
            }
        }
    }

    @Test func `a cookie for a foreign domain is ignored`() throws {
        for domain in ["b.example", "sub.a.example", "xa.example", "a.example.test"] {
            #expect(try jar("a=1; Path=/; Domain=\(domain)").field(for: OriginURL("https://a.example/")) == nil)
        }
    }

    @Test func `a path limits a cookie, and the default is that of the URL`() throws {
        for (field, path, isSent) in [
            ("a=1", "/x/z", true), ("a=1", "/x", true), ("a=1", "/xy", false), ("a=1", "/", false),
            ("a=1; Path=/x/", "/x", false), ("a=1; Path=/x/", "/x/1", true), ("a=1; Path=nonsense", "/x/1", true),
            ("a=1; Path=/", "/?q", true),
        ] {
            let sent = try jar(field).field(for: OriginURL("https://a.example\(path)"))
            #expect(sent == (isSent ? "a=1" : nil), "\(field) at \(path)")
        }
        // Unicode regards these as equal to characters of ASCII that are shorter.
        for (equal, path) in [("\u{212a}", "/K"), ("\u{1fef}", "/`"), ("\u{212a}", "/K?long=enough")] {
            let sent = try jar("a=1; Path=/\(equal)").field(for: OriginURL("https://a.example\(path)"))
            #expect(sent == nil, "\(equal) at \(path)")
        }
        let both = try jar("a=short; Path=/", "a=long; Path=/x")
        #expect(both.field(for: try OriginURL("https://a.example/x/1")) == "a=long; a=short")
    }

    @Test func `a secure cookie neither comes from nor goes to plain http`() throws {
        #expect(try jar("a=1; Secure; Path=/").field(for: OriginURL("http://a.example/")) == nil)
        #expect(try jar("a=1; Path=/").field(for: OriginURL("http://a.example/")) == "a=1")
        let plain = try jar("a=1; Secure; Path=/", from: "http://a.example/")
        #expect(plain.field(for: try OriginURL("https://a.example/")) == nil)
    }

    @Test func `a cookie is replaced and removed`() throws {
        let url = try OriginURL("https://a.example/x/1")
        #expect(try jar("a=1", "b=2", "a=3").field(for: url) == "a=3; b=2")
        #expect(try jar("a=1", "a=; Max-Age=0").field(for: url) == nil)
        let past = "a=1; Expires=Sun, 06 Nov 1994 08:49:37 GMT"
        #expect(try jar(past, now: 2_000_000_000).field(for: url) == nil)
        #expect(try jar(past + "; Max-Age=9", now: 2_000_000_000).field(for: url) == "a=1")
    }

    @Test func `malformed, overlong and excess cookies are ignored`() throws {
        let url = try OriginURL("https://a.example/x/1")
        let long = "a=" + String(repeating: "b", count: CookieJar.maximumBytes)
        for field in ["", "a", "=1", "; a=1", "a=\u{1}", "a=1\r\nX: y", "a=\u{e9}", long] {
            #expect(try jar(field).field(for: url) == nil, "\(field.prefix(9))")
        }
        var jar = CookieJar()
        jar.take((0..<100).map { "c\($0)=1" }, from: url, now: 0)
        #expect(jar.field(for: url)?.split(separator: ";").count == CookieJar.maximumCount)
    }
}
