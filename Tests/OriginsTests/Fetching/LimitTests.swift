import Origins
import TestSupport
import Testing

/// Timeouts, size limits and back-pressure.
@Suite struct LimitTests {
    @Test func `an origin that never responds times out`() async throws {
        let origin = ScriptedOrigin { $0.hang() }
        let fetcher = try OriginFetcher.forTests {
            $0.firstByteTimeout = .milliseconds(50)
        }
        let error = try #require(await fetcher.outcome(of: origin.url()).error)
        #expect(error.reason == .timedOut)
        #expect(error.status == 504)
        #expect(fetcher.statistics.attempts == 1, "a timeout is not retried")
        #expect(await eventually { origin.openNow == 0 })
        await fetcher.shutDown()
        origin.stop()
    }

    @Test func `a connection that is never established times out`() async throws {
        // The socket opens, and the handshake hangs.
        let origin = ScriptedOrigin { $0.hang() }
        let fetcher = try OriginFetcher.forTests { $0.connectTimeout = .milliseconds(50) }
        let error = try #require(await fetcher.outcome(of: origin.url().replacing("http:", with: "https:")).error)
        #expect(error.reason == .timedOut)
        #expect(fetcher.statistics.attempts == 1)
        await fetcher.shutDown()
        origin.stop()
    }

    @Test func `a body that stalls times out`() async throws {
        let origin = ScriptedOrigin { visit in
            visit.send(visit.head("200 OK", ["Content-Length: 100000"]))
            visit.send(pattern(100))
            visit.hang()
        }
        let fetcher = try OriginFetcher.forTests {
            $0.lowSpeedWindow = .milliseconds(50)
            $0.maximumRetries = 0
        }
        #expect(await fetcher.outcome(of: origin.url()).error?.reason == .timedOut)
        await fetcher.shutDown()
        origin.stop()
    }

    @Test func `a fetch that exceeds the total timeout fails, whatever its speed`() async throws {
        let origin = ScriptedOrigin { visit in
            visit.send(visit.head("200 OK"))
            while !visit.isClosed { visit.send(pattern(1000)) }
        }
        let fetcher = try OriginFetcher.forTests {
            $0.totalTimeout = .milliseconds(100)
            $0.maximumBytes = .max
        }
        #expect(await fetcher.outcome(of: origin.url()).error?.reason == .timedOut)
        #expect(fetcher.statistics.attempts == 1)
        await fetcher.shutDown()
        origin.stop()
    }

    @Test func `a stalled body is not retried`() async throws {
        let origin = ScriptedOrigin { visit in
            visit.send(visit.head("200 OK", ["Content-Length: 100000", "ETag: \"1\""]))
            visit.send(pattern(100))
            visit.hang()
        }
        let fetcher = try OriginFetcher.forTests { $0.lowSpeedWindow = .milliseconds(50) }
        #expect(await fetcher.outcome(of: origin.url()).error?.reason == .timedOut)
        #expect(origin.requests.count == 1)
        await fetcher.shutDown()
        origin.stop()
    }

    @Test func `waits between attempts count towards the total timeout`() async throws {
        let origin = ScriptedOrigin { $0.answer("503 No", ["Retry-After: 5"]) }
        let fetcher = try OriginFetcher.forTests { $0.totalTimeout = .seconds(4) }
        #expect(await fetcher.outcome(of: origin.url()).error?.reason == .status(503))
        #expect(origin.requests.count == 1, "the total timeout would expire before the next attempt")
        await fetcher.shutDown()
        origin.stop()
    }

    @Test func `a declared length above the limit is refused`() async throws {
        let origin = ScriptedOrigin { visit in
            visit.send(visit.head("200 OK", ["Content-Length: 1001"]))
            visit.hang()
        }
        let fetcher = try OriginFetcher.forTests { $0.maximumBytes = 1000 }
        let outcome = await fetcher.outcome(of: origin.url())
        #expect(outcome.error?.reason == .tooLarge)
        #expect(outcome.starts.isEmpty)
        await fetcher.shutDown()
        origin.stop()
    }

    @Test func `a body without a declared length is cut off at the limit`() async throws {
        let origin = ScriptedOrigin { visit in
            visit.send(visit.head("200 OK"))
            while !visit.isClosed { visit.send(pattern(1000)) }
        }
        let fetcher = try OriginFetcher.forTests { $0.maximumBytes = 50_000 }
        let outcome = await fetcher.outcome(of: origin.url())
        #expect(outcome.error?.reason == .tooLarge)
        #expect(outcome.bytes.count <= 50_000)
        await fetcher.shutDown()
        origin.stop()
    }

    @Test func `an endless head is refused`() async throws {
        let origin = ScriptedOrigin { visit in
            visit.send("HTTP/1.1 200 OK\r\n")
            var number = 0
            while !visit.isClosed, number < 100_000 {
                visit.send("X-\(number): \(String(repeating: "y", count: 1000))\r\n")
                number += 1
            }
        }
        let fetcher = try OriginFetcher.forTests()
        #expect(await fetcher.outcome(of: origin.url()).error?.reason == .malformed)
        await fetcher.shutDown()
        origin.stop()
    }

    @Test func `a paused fetch applies back-pressure to its origin and resumes without loss`() async throws {
        let body = pattern(20_000_000)
        let origin = ScriptedOrigin { $0.answer(body: body) }
        // Paused time does not count, so this timeout must not fire.
        let fetcher = try OriginFetcher.forTests { $0.lowSpeedWindow = .milliseconds(200) }
        let watched = fetcher.watch(origin.url())
        watched.fetch.pause()
        var outcome = Outcome()
        await watched.first {
            outcome.take($0)
            return if case .started = $0 { true } else { false }
        }
        // A delivery that was in progress when the fetch was paused has ended by now.
        try await Task.sleep(for: .milliseconds(50))
        let before = fetcher.statistics.bytes
        try await Task.sleep(for: .milliseconds(400))
        #expect(fetcher.statistics.bytes == before)
        #expect(before < body.count)
        watched.fetch.resume()
        for await event in watched.events { outcome.take(event) }
        #expect(outcome.isFinished)
        #expect(outcome.bytes == body)
        await fetcher.shutDown()
        origin.stop()
    }
}
