import Origins
import Testing

/// Redirects are followed hop by hop, and each hop is checked.
@Suite struct RedirectTests {
    @Test func `a redirect is followed, on the same connection if possible`() async throws {
        let origin = ScriptedOrigin { visit in
            switch visit.request.target {
            case "/picture": visit.answer("302 Found", ["Location: /real"], body: Array("moved".utf8))
            default: visit.answer(body: pattern(100))
            }
        }
        let fetcher = try OriginFetcher.forTests()
        let outcome = await fetcher.outcome(of: origin.url())
        #expect(outcome.bytes == pattern(100))
        #expect(outcome.starts.first?.url == origin.url("/real"))
        #expect(origin.connections == 1)
        await fetcher.shutDown()
        origin.stop()
    }

    @Test func `a redirect loop is detected`() async throws {
        let origin = ScriptedOrigin { visit in
            visit.answer("301 Moved", ["Location: " + (visit.request.target == "/a" ? "/b" : "/a")])
        }
        let fetcher = try OriginFetcher.forTests()
        #expect(await fetcher.outcome(of: origin.url("/a")).error?.reason == .redirect)
        #expect(origin.requests.count == 2)
        await fetcher.shutDown()
        origin.stop()
    }

    @Test func `a redirect that sets a cookie is followed, even to itself, and no later fetch sends the cookie`()
        async throws
    {
        let origin = ScriptedOrigin { visit in
            visit.request.fields["cookie"] == "seen=1"
                ? visit.answer(body: pattern(100))
                : visit.answer("302 Found", ["Set-Cookie: seen=1; Path=/", "Location: /picture"])
        }
        let fetcher = try OriginFetcher.forTests()
        for fetches in 1...2 {
            #expect(await fetcher.outcome(of: origin.url()).bytes == pattern(100))
            let cookies = Array([nil, "seen=1", nil, "seen=1"].prefix(2 * fetches))
            #expect(origin.requests.map { $0.fields["cookie"] } == cookies)
        }
        await fetcher.shutDown()
        origin.stop()
    }

    @Test func `a redirect that sets the same cookie again is a loop, and other cookies end at the limit`()
        async throws
    {
        let origin = ScriptedOrigin { visit in
            let value = visit.request.target == "/same" ? 1 : visit.request.number
            visit.answer("302 Found", ["Set-Cookie: a=\(value)", "Location: \(visit.request.target)"])
        }
        let fetcher = try OriginFetcher.forTests()
        #expect(await fetcher.outcome(of: origin.url("/same")).error?.reason == .redirect)
        #expect(origin.requests.count == 2)
        #expect(await fetcher.outcome(of: origin.url("/other")).error?.reason == .redirect)
        #expect(origin.requests.count == 2 + 6)
        await fetcher.shutDown()
        origin.stop()
    }

    @Test func `a cookie and the operator's fields do not follow a redirect to another host`() async throws {
        let other = ScriptedOrigin { $0.answer(body: pattern(9)) }
        let there = "http://other.example/b"
        let origin = ScriptedOrigin { visit in
            visit.request.fields["cookie"] == "k=s3cr3t; a=1"
                ? visit.answer("302 Found", ["Location: \(there)"])
                : visit.answer("302 Found", ["Set-Cookie: a=1; Domain=127.0.0.1", "Location: /picture"])
        }
        let headers = try OriginHeader.parse([
            "User-Agent: me", "Accept: image/png", "X-Key: s3cr3t",
            "http://127.0.0.1:\(origin.port) Cookie: k=s3cr3t",
            "http://127.0.0.1:\(origin.port) Authorization: s3cr3t", "http://other.example X-Other: 1",
        ])
        let fetcher = try OriginFetcher.forTests { configuration in
            configuration.routes = ["other.example:80": "127.0.0.1:\(other.port)"]
            configuration.headers = headers
        }
        #expect(await fetcher.outcome(of: origin.url()).bytes == pattern(9))
        #expect(origin.requests.map { $0.fields["cookie"] } == ["k=s3cr3t", "k=s3cr3t; a=1"])
        for request in origin.requests {
            #expect(request.fields["user-agent"] == "me" && request.fields["accept"] == "image/png")
            #expect(request.fields["x-key"] == "s3cr3t" && request.fields["authorization"] == "s3cr3t")
            #expect(request.fields["x-other"] == nil && request.fields["accept-encoding"] == "identity")
        }
        let fields = try #require(other.requests.first?.fields)
        #expect(fields["x-other"] == "1" && fields["user-agent"] == "Tessera/1")
        #expect(!fields.values.contains { $0.contains("s3cr3t") } && fields["cookie"] == nil)
        await fetcher.shutDown()
        origin.stop()
        other.stop()
    }

    @Test func `the operator's fields are sent with no upload`() async throws {
        let origin = ScriptedOrigin { $0.answer() }
        let headers = try OriginHeader.parse(["X-Key: s3cr3t"])
        let fetcher = try OriginFetcher.forTests { $0.headers = headers }
        let upload = OriginRequest.Upload(bytes: [1], mediaType: "image/png")
        #expect(await fetcher.outcome(of: origin.url(), upload: upload).isFinished)
        #expect(origin.requests.map { $0.fields["x-key"] } == [nil])
        await fetcher.shutDown()
        origin.stop()
    }

    @Test func `at most five redirects are followed`() async throws {
        let origin = ScriptedOrigin { visit in
            visit.answer("307 Temporary", ["Location: \(visit.request.target)x"])
        }
        let fetcher = try OriginFetcher.forTests()
        #expect(await fetcher.outcome(of: origin.url("/")).error?.reason == .redirect)
        #expect(origin.requests.count == 6)
        await fetcher.shutDown()
        origin.stop()
    }

    @Test(arguments: ["file:///etc/passwd", "gopher://127.0.0.1/", "http://a:b@127.0.0.1/"])
    func `a redirect to an unsupported URL is refused`(_ location: String) async throws {
        let origin = ScriptedOrigin { $0.answer("302 Found", ["Location: \(location)"]) }
        let fetcher = try OriginFetcher.forTests()
        let error = await fetcher.outcome(of: origin.url()).error
        #expect(error?.reason == .redirect)
        #expect(error?.status == 502)
        #expect(origin.requests.count == 1)
        await fetcher.shutDown()
        origin.stop()
    }

    @Test func `a redirect to a private address opens no socket`() async throws {
        let hidden = ScriptedOrigin { $0.answer(body: pattern(1)) }
        let port = hidden.port
        let origin = ScriptedOrigin { $0.answer("302 Found", ["Location: http://127.0.0.2:\(port)/"]) }
        let fetcher = try OriginFetcher.forTests()
        let error = await fetcher.outcome(of: origin.url()).error
        #expect(error?.reason == .addressRefused)
        #expect(error?.publicMessage.contains("127") == false)
        #expect(hidden.connections == 0)
        #expect(fetcher.statistics.refusedAddresses == 1)
        await fetcher.shutDown()
        origin.stop()
        hidden.stop()
    }

    @Test(arguments: ["localhost", "127.0.0.1", "0x7f.1", "2130706433", "[::ffff:127.0.0.1]"])
    func `a host that resolves to a loopback address is refused in every notation`(_ host: String) async throws {
        let origin = ScriptedOrigin { $0.answer(body: pattern(1)) }
        let fetcher = try OriginFetcher.forTests { $0.allowedAddresses = [] }
        let outcome = await fetcher.outcome(of: "http://\(host):\(origin.port)/")
        #expect(outcome.error?.reason == .addressRefused)
        #expect(outcome.error?.isTransient == false)
        #expect(origin.connections == 0)
        await fetcher.shutDown()
        origin.stop()
    }
}
