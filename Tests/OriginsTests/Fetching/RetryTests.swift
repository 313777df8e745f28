import Origins
import Testing

/// Transient failures are retried, others are not, and `Retry-After` is respected.
@Suite struct RetryTests {
    @Test(arguments: [500, 502, 503, 504, 429])
    func `a transient status is retried`(_ status: Int) async throws {
        let origin = ScriptedOrigin { visit in
            visit.request.number < 3
                ? visit.answer("\(status) No", body: Array("<html>".utf8)) : visit.answer(body: pattern(9))
        }
        let fetcher = try OriginFetcher.forTests()
        let outcome = await fetcher.outcome(of: origin.url())
        #expect(outcome.bytes == pattern(9))
        #expect(outcome.isFinished)
        #expect(fetcher.statistics.retries == 2)
        await fetcher.shutDown()
        origin.stop()
    }

    @Test func `a persistent transient status is reported after the maximum retries`() async throws {
        let origin = ScriptedOrigin { $0.answer("503 No", ["Retry-After: 0"]) }
        let fetcher = try OriginFetcher.forTests { $0.maximumRetries = 2 }
        let error = try #require(await fetcher.outcome(of: origin.url()).error)
        #expect(error.reason == .status(503))
        #expect(error.status == 503)
        #expect(error.isTransient)
        #expect(origin.requests.count == 3)
        await fetcher.shutDown()
        origin.stop()
    }

    @Test(arguments: [400, 401, 403, 404, 410, 451])
    func `a permanent status is reported at once`(_ status: Int) async throws {
        let origin = ScriptedOrigin { $0.answer("\(status) No") }
        let fetcher = try OriginFetcher.forTests()
        let error = try #require(await fetcher.outcome(of: origin.url()).error)
        #expect(error.reason == .status(status))
        #expect(error.status == ([404, 410].contains(status) ? 404 : 502))
        #expect(origin.requests.count == 1)
        await fetcher.shutDown()
        origin.stop()
    }

    @Test func `a long Retry-After is not waited for`() async throws {
        let origin = ScriptedOrigin { $0.answer("429 Slow", ["Retry-After: 3600"]) }
        let fetcher = try OriginFetcher.forTests()
        let error = try #require(await fetcher.outcome(of: origin.url()).error)
        #expect(error.retryAfter == .seconds(3600))
        #expect(origin.requests.count == 1)
        await fetcher.shutDown()
        origin.stop()
    }

    @Test(arguments: ["3601", "86400", "99999999999999999999", "Fri, 31 Dec 9999 23:59:59 GMT"])
    func `Retry-After is capped at an hour`(_ wait: String) async throws {
        let origin = ScriptedOrigin { $0.answer("429 Slow", ["Retry-After: \(wait)"]) }
        let fetcher = try OriginFetcher.forTests()
        let error = try #require(await fetcher.outcome(of: origin.url()).error)
        #expect(error.retryAfter == .seconds(3600))
        await fetcher.shutDown()
        origin.stop()
    }

    @Test(arguments: ["-1", "1.5", "soon", "1, 2", "0x10", "１２", "Someday, 99 Foo 2026 00:00:00 GMT"])
    func `a malformed Retry-After is ignored`(_ wait: String) async throws {
        let origin = ScriptedOrigin { $0.answer("429 Slow", ["Retry-After: \(wait)"]) }
        let fetcher = try OriginFetcher.forTests { $0.maximumRetries = 0 }
        let error = try #require(await fetcher.outcome(of: origin.url()).error)
        #expect(error.retryAfter == nil)
        await fetcher.shutDown()
        origin.stop()
    }

    @Test func `a connection reset before the head is retried`() async throws {
        let origin = ScriptedOrigin { visit in
            visit.request.number < 3 ? visit.reset() : visit.answer(body: pattern(9))
        }
        let fetcher = try OriginFetcher.forTests()
        #expect(await fetcher.outcome(of: origin.url()).bytes == pattern(9))
        await fetcher.shutDown()
        origin.stop()
    }

    @Test func `an origin that refuses connections is reported as unreachable`() async throws {
        let fetcher = try OriginFetcher.forTests { $0.maximumRetries = 1 }
        let error = try #require(await fetcher.outcome(of: "http://127.0.0.1:1/").error)
        #expect(error.reason == .unreachable)
        #expect(error.status == 502)
        #expect(fetcher.statistics.attempts == 2)
        await fetcher.shutDown()
    }

    @Test func `a host without an address is reported as unresolved`() async throws {
        let fetcher = try OriginFetcher.forTests { $0.maximumRetries = 0 }
        #expect(await fetcher.outcome(of: "http://nowhere.invalid/").error?.reason == .unresolved)
        await fetcher.shutDown()
    }

    @Test(arguments: ["", "not a url", "file:///etc/passwd", "http://a:b@127.0.0.1/"])
    func `a URL that cannot be fetched fails without a connection`(_ url: String) async throws {
        let fetcher = try OriginFetcher.forTests()
        #expect(await fetcher.outcome(of: url).error?.reason == .badURL)
        #expect(fetcher.statistics.attempts == 0)
        await fetcher.shutDown()
    }

    @Test(arguments: ["SSH-2.0-OpenSSH_9.2\r\n", "HTTP/1.1 2x0 OK\r\n\r\n", "<html>hello</html>"])
    func `a response that is not HTTP is reported as malformed`(_ answer: String) async throws {
        let origin = ScriptedOrigin { visit in
            visit.send(answer)
            visit.close()
        }
        let fetcher = try OriginFetcher.forTests()
        #expect(await fetcher.outcome(of: origin.url()).error?.reason == .malformed)
        await fetcher.shutDown()
        origin.stop()
    }
}
