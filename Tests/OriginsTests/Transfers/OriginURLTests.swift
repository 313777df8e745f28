import Testing

@testable import Origins

@Suite struct OriginURLTests {
    @Test func `an origin is a scheme, a host and a port`() throws {
        let plain = try OriginURL("http://Example.org/a")
        #expect(plain.origin == Origin(isSecure: false, host: "example.org", port: 80))
        #expect(try OriginURL("HTTPS://example.org:8443/a#b").origin.port == 8443)
        #expect(try OriginURL("http://example.org:80/b").origin == plain.origin)
    }

    @Test func `spaces and letters beyond ASCII are encoded, fragments dropped`() throws {
        #expect(try OriginURL("http://example.org/a b/ä.jpg#top").text == "http://example.org/a%20b/%c3%a4.jpg")
    }

    @Test(arguments: [
        "", "picture.jpg", "file:///etc/passwd", "ftp://example.org/a", "javascript:alert(1)", "http://", "http://?a",
        "http://user@example.org/", "http://user:secret@example.org/", "http://:secret@example.org/",
        "http://example.org:0/", "http://example.org:99999/", "http://example.org/\u{0}/a", "http://a\r\nHost: b/",
        "gopher://127.0.0.1:6379/_FLUSHALL", "http://[::1", "http://exa mple.org/",
    ])
    func `what is no fetchable URL is refused`(_ text: String) {
        #expect { try OriginURL(text) } throws: { ($0 as? OriginError)?.reason == .badURL }
    }

    @Test func `a password never comes into the log`() {
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

@Suite struct RedirectTrailTests {
    private func trail(_ start: String, maximum: Int = 5) throws -> RedirectTrail {
        RedirectTrail(from: try OriginURL(start), maximum: maximum)
    }

    @Test func `a location is read relative to where it was found`() throws {
        var trail = try trail("http://example.org/a/b?c")
        try trail.follow("../d")
        #expect(trail.current.text == "http://example.org/d")
        try trail.follow("//other.example/e")
        #expect(trail.current.text == "http://other.example/e")
        try trail.follow("https://third.example/")
        #expect(trail.current.origin.isSecure)
    }

    @Test(arguments: [
        nil, "", "file:///etc/passwd", "http://user:pass@example.org/", "http://example.org/start",
        "ftp://example.org/",
    ])
    func `a hop that leads astray is refused`(_ location: String?) throws {
        var trail = try trail("http://example.org/start")
        #expect { try trail.follow(location) } throws: { ($0 as? OriginError)?.reason == .redirect }
    }

    @Test func `from https one never gets to http`() throws {
        var trail = try trail("https://example.org/")
        #expect(throws: OriginError.self) { try trail.follow("http://example.org/a") }
    }

    @Test func `the sixth hop is one too many`() throws {
        var trail = try trail("http://example.org/0")
        for hop in 1...5 { try trail.follow("/\(hop)") }
        #expect(throws: OriginError.self) { try trail.follow("/6") }
    }
}
