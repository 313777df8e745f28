import Origins
import Testing

/// A host unknown to DNS is fetched from the address that a route gives, and only such hosts are.
@Suite struct RouteTests {
    @Test func `a host is reached through its route and addressed by its name`() async throws {
        let origin = ScriptedOrigin { $0.answer(body: pattern(100)) }
        let fetcher = try OriginFetcher.forTests { $0.routes = ["pictures.invalid:80": "127.0.0.1:\(origin.port)"] }
        let outcome = await fetcher.outcome(of: "http://pictures.invalid/1.jpg")
        #expect(outcome.bytes == pattern(100))
        #expect(outcome.starts.first?.url == "http://pictures.invalid/1.jpg")
        #expect(origin.requests.count == 1)
        await fetcher.shutDown()
        origin.stop()
    }

    @Test func `the target of a route is checked like any address`() async throws {
        let origin = ScriptedOrigin { $0.answer(body: pattern(1)) }
        let fetcher = try OriginFetcher.forTests { $0.routes = ["pictures.invalid:80": "127.0.0.2:\(origin.port)"] }
        #expect(await fetcher.outcome(of: "http://pictures.invalid/1.jpg").error?.reason == .addressRefused)
        #expect(origin.requests.isEmpty)
        await fetcher.shutDown()
        origin.stop()
    }
}
