import Origins
import Testing

/// Known versions are revalidated with their validators, and freshness is passed on.
@Suite struct RevalidationTests {
    @Test func `an unchanged picture yields its new freshness and no bytes`() async throws {
        let origin = ScriptedOrigin { visit in
            visit.request.fields["if-none-match"] == "\"v1\""
                ? visit.answer("304 Not Modified", ["Cache-Control: max-age=60"]) : visit.answer("500 No")
        }
        let fetcher = try OriginFetcher.forTests()
        let known = Validators(entityTag: "\"v1\"", lastModified: "Sun, 06 Nov 1994 08:49:37 GMT")
        let outcome = await fetcher.outcome(of: origin.url(), revalidate: known)
        #expect(outcome.unchanged?.validators == known)
        #expect(outcome.unchanged.map { $0.freshFor > .seconds(50) && $0.freshFor <= .seconds(60) } == true)
        #expect(outcome.starts.isEmpty)
        #expect(origin.requests.first?.fields["if-modified-since"] == known.lastModified)
        await fetcher.shutDown()
        origin.stop()
    }

    @Test func `a changed picture arrives whole with its new validators`() async throws {
        let origin = ScriptedOrigin { visit in
            visit.answer(
                "200 OK", ["ETag: \"v2\"", "Cache-Control: no-store", "Content-Type: text/html"], body: pattern(10))
        }
        let fetcher = try OriginFetcher.forTests()
        let outcome = await fetcher.outcome(of: origin.url(), revalidate: Validators(entityTag: "\"v1\""))
        let head = try #require(outcome.starts.first)
        #expect(head.validators.entityTag == "\"v2\"")
        #expect(!head.mayStore)
        #expect(head.declaredLength == 10)
        #expect(head.claimedType == "text/html")
        await fetcher.shutDown()
        origin.stop()
    }

    @Test func `an unsolicited 304 is an error`() async throws {
        let origin = ScriptedOrigin { $0.answer("304 Not Modified") }
        let fetcher = try OriginFetcher.forTests()
        #expect(await fetcher.outcome(of: origin.url()).error?.reason == .status(304))
        await fetcher.shutDown()
        origin.stop()
    }

    @Test func `a validator with a line break is not sent`() async throws {
        let origin = ScriptedOrigin { $0.answer(body: pattern(1)) }
        let fetcher = try OriginFetcher.forTests()
        let outcome = await fetcher.outcome(
            of: origin.url(), revalidate: Validators(entityTag: "\"a\"\r\nX-Injected: yes"))
        #expect(outcome.isFinished)
        #expect(origin.requests.first?.fields["x-injected"] == nil)
        #expect(origin.requests.first?.fields["accept-encoding"] == "identity")
        await fetcher.shutDown()
        origin.stop()
    }

    @Test func `a body that is not in its content coding is refused`() async throws {
        let origin = ScriptedOrigin { $0.answer("200 OK", ["Content-Encoding: gzip"], body: pattern(50)) }
        let fetcher = try OriginFetcher.forTests()
        #expect(await fetcher.outcome(of: origin.url()).error?.reason == .malformed)
        await fetcher.shutDown()
        origin.stop()
    }
}
