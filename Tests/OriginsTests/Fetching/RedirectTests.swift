import Origins
import Testing

/// Redirects are followed hop by hop, and each hop is checked.
@Suite struct RedirectTests {
    @Test func `a redirect is followed, on the same connection where it can be`() async throws {
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

    @Test func `a circle ends at its second turn`() async throws {
        let origin = ScriptedOrigin { visit in
            visit.answer("301 Moved", ["Location: " + (visit.request.target == "/a" ? "/b" : "/a")])
        }
        let fetcher = try OriginFetcher.forTests()
        #expect(await fetcher.outcome(of: origin.url("/a")).error?.reason == .redirect)
        #expect(origin.requests.count == 2)
        await fetcher.shutDown()
        origin.stop()
    }

    @Test func `at most five are followed`() async throws {
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
    func `a redirect to what is not fetched ends there`(_ location: String) async throws {
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
    func `a host that resolves to a loopback address is refused in every writing`(_ host: String) async throws {
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
