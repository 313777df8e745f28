import Origins
import Testing

/// What may pass is tried again, what will not is not, and the origin's word counts.
@Suite struct RetryTests {
    @Test(arguments: [500, 502, 503, 504, 429])
    func `a transient status is tried again`(_ status: Int) async throws {
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

    @Test func `a status that lasts is told after the bounded retries`() async throws {
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
    func `a status that will not pass is told at once`(_ status: Int) async throws {
        let origin = ScriptedOrigin { $0.answer("\(status) No") }
        let fetcher = try OriginFetcher.forTests()
        let error = try #require(await fetcher.outcome(of: origin.url()).error)
        #expect(error.reason == .status(status))
        #expect(error.status == ([404, 410].contains(status) ? 404 : 502))
        #expect(origin.requests.count == 1)
        await fetcher.shutDown()
        origin.stop()
    }

    @Test func `an origin that asks for a long wait is not asked again`() async throws {
        let origin = ScriptedOrigin { $0.answer("429 Slow", ["Retry-After: 3600"]) }
        let fetcher = try OriginFetcher.forTests()
        let error = try #require(await fetcher.outcome(of: origin.url()).error)
        #expect(error.retryAfter == .seconds(3600))
        #expect(origin.requests.count == 1)
        await fetcher.shutDown()
        origin.stop()
    }

    @Test(arguments: ["3601", "86400", "99999999999999999999", "Fri, 31 Dec 9999 23:59:59 GMT"])
    func `no origin is left alone for longer than an hour by its own word`(_ wait: String) async throws {
        let origin = ScriptedOrigin { $0.answer("429 Slow", ["Retry-After: \(wait)"]) }
        let fetcher = try OriginFetcher.forTests()
        let error = try #require(await fetcher.outcome(of: origin.url()).error)
        #expect(error.retryAfter == .seconds(3600))
        await fetcher.shutDown()
        origin.stop()
    }

    @Test(arguments: ["-1", "1.5", "soon", "1, 2", "0x10", "１２", "Someday, 99 Foo 2026 00:00:00 GMT"])
    func `a wait that cannot be read is none`(_ wait: String) async throws {
        let origin = ScriptedOrigin { $0.answer("429 Slow", ["Retry-After: \(wait)"]) }
        let fetcher = try OriginFetcher.forTests { $0.maximumRetries = 0 }
        let error = try #require(await fetcher.outcome(of: origin.url()).error)
        #expect(error.retryAfter == nil)
        await fetcher.shutDown()
        origin.stop()
    }

    @Test func `a reset before the head is tried again`() async throws {
        let origin = ScriptedOrigin { visit in
            visit.request.number < 3 ? visit.reset() : visit.answer(body: pattern(9))
        }
        let fetcher = try OriginFetcher.forTests()
        #expect(await fetcher.outcome(of: origin.url()).bytes == pattern(9))
        await fetcher.shutDown()
        origin.stop()
    }

    @Test func `an origin that refuses connections is told as unreachable`() async throws {
        let fetcher = try OriginFetcher.forTests { $0.maximumRetries = 1 }
        let error = try #require(await fetcher.outcome(of: "http://127.0.0.1:1/").error)
        #expect(error.reason == .unreachable)
        #expect(error.status == 502)
        #expect(fetcher.statistics.attempts == 2)
        await fetcher.shutDown()
    }

    @Test func `a host without an address is told as unresolved`() async throws {
        let fetcher = try OriginFetcher.forTests { $0.maximumRetries = 0 }
        #expect(await fetcher.outcome(of: "http://nowhere.invalid/").error?.reason == .unresolved)
        await fetcher.shutDown()
    }

    @Test(arguments: ["", "not a url", "file:///etc/passwd", "http://a:b@127.0.0.1/"])
    func `a URL that cannot be fetched is told without a socket`(_ url: String) async throws {
        let fetcher = try OriginFetcher.forTests()
        #expect(await fetcher.outcome(of: url).error?.reason == .badURL)
        #expect(fetcher.statistics.attempts == 0)
        await fetcher.shutDown()
    }

    @Test(arguments: ["SSH-2.0-OpenSSH_9.2\r\n", "HTTP/1.1 2x0 OK\r\n\r\n", "<html>hello</html>"])
    func `what does not speak HTTP is told as such`(_ answer: String) async throws {
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
