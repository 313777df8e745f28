import Testing

@testable import Origins

@Suite struct OriginURLTests {
    @Test func `an origin is a scheme, a host and a port`() throws {
        let plain = try OriginURL("http://Example.org/a")
        #expect(plain.origin == Origin(isSecure: false, host: "example.org", port: 80))
        #expect(try OriginURL("HTTPS://example.org:8443/a#b").origin.port == 8443)
        #expect(try OriginURL("http://example.org:80/b").origin == plain.origin)
    }

    @Test func `spaces and non-ASCII letters are encoded, and fragments dropped`() throws {
        #expect(try OriginURL("http://example.org/a b/ä.jpg#top").text == "http://example.org/a%20b/%c3%a4.jpg")
    }

    @Test func `an international host name is converted, also in a redirect`() throws {
        let url = try OriginURL("http://B\u{fc}cher.example:8080/\u{fc}")
        #expect(url.text == "http://xn--bcher-kva.example:8080/%c3%bc")
        #expect(url.origin.host == "xn--bcher-kva.example")
        #expect(try url.resolving("//b\u{fc}cher.example:8080/b").origin == url.origin)
        #expect(try url.resolving("http://b%C3%BCcher.example:8080/").origin == url.origin)
        #expect(throws: OriginError.self) { try url.resolving("http://\u{fc}\u{ff0f}b.example/") }
    }

    @Test(arguments: [
        "", "picture.jpg", "file:///etc/passwd", "ftp://example.org/a", "javascript:alert(1)", "http://", "http://?a",
        "http://user@example.org/", "http://user:secret@example.org/", "http://:secret@example.org/",
        "http://example.org:0/", "http://example.org:99999/", "http://example.org/\u{0}/a", "http://a\r\nHost: b/",
        "gopher://127.0.0.1:6379/_FLUSHALL", "http://[::1", "http://exa mple.org/",
    ])
    func `a URL that cannot be fetched is refused`(_ text: String) {
        #expect { try OriginURL(text) } throws: { ($0 as? OriginError)?.reason == .badURL }
    }

    @Test func `a password never appears in the log`() {
        #expect { try OriginURL("http://user:secret@example.org/") } throws: {
            ($0 as? OriginError)?.logDetail.contains("secret") == false
        }
    }

    @Test func `an overlong URL is refused`() {
        #expect(throws: OriginError.self) {
            try OriginURL("http://example.org/" + String(repeating: "a", count: 20_000))
        }
    }
}

@Suite struct RedirectChainTests {
    private func redirects(_ start: String, maximum: Int = 5) throws -> RedirectChain {
        RedirectChain(from: try OriginURL(start), maximum: maximum)
    }

    @Test func `a location is resolved against the current URL`() throws {
        var redirects = try redirects("http://example.org/a/b?c")
        try redirects.follow("../d")
        #expect(redirects.current.text == "http://example.org/d")
        try redirects.follow("//other.example/e")
        #expect(redirects.current.text == "http://other.example/e")
        try redirects.follow("https://third.example/")
        #expect(redirects.current.origin.isSecure)
    }

    @Test(arguments: [
        nil, "", "file:///etc/passwd", "http://user:pass@example.org/", "http://example.org/start",
        "ftp://example.org/",
    ])
    func `an invalid or repeated location is refused`(_ location: String?) throws {
        var redirects = try redirects("http://example.org/start")
        #expect { try redirects.follow(location) } throws: { ($0 as? OriginError)?.reason == .redirect }
    }

    @Test func `a URL may be visited again with a cookie that it did not get before`() throws {
        var redirects = try redirects("http://example.org/start")
        try redirects.follow("/start", setting: ["a=1"])
        #expect(redirects.cookies == "a=1")
        #expect(throws: OriginError.self) { try redirects.follow("/start") }
        try redirects.follow("http://other.example/start")
        #expect(redirects.cookies == nil)
    }

    @Test func `a redirect from https to http is refused`() throws {
        var redirects = try redirects("https://example.org/")
        #expect(throws: OriginError.self) { try redirects.follow("http://example.org/a") }
    }

    @Test func `the sixth redirect is refused`() throws {
        var redirects = try redirects("http://example.org/0")
        for hop in 1...5 { try redirects.follow("/\(hop)") }
        #expect(throws: OriginError.self) { try redirects.follow("/6") }
    }
}
