import Glibc
import Origins
import TestSupport
import Testing

/// HTTP/2 over TLS, tested against nginx if it is installed.
@Suite(.serialized, .enabled(if: NginxOrigin.isInstalled)) struct HTTP2Tests {
    private func fetcher(trusting origin: NginxOrigin) throws -> OriginFetcher {
        try OriginFetcher.forTests { $0.certificateAuthorities = origin.certificate }
    }

    @Test func `many fetches share one connection`() async throws {
        let origin = try #require(await NginxOrigin())
        let fetcher = try fetcher(trusting: origin)
        let watched = (0..<60).map { fetcher.watch(origin.url("/picture?\($0)")) }
        for one in watched { #expect(await one.outcome().bytes.count == NginxOrigin.size) }
        #expect(fetcher.statistics.connections == 1)
        await fetcher.shutDown()
        origin.stop()
    }

    @Test func `a cancelled stream is reset at once, whether alone or beside others`() async throws {
        let origin = try #require(await NginxOrigin())
        let fetcher = try fetcher(trusting: origin)
        func isByte(_ event: OriginEvent) -> Bool { if case .bytes = event { true } else { false } }
        let one = fetcher.watch(origin.url("/slow?one"))
        let two = fetcher.watch(origin.url("/slow?two"))
        await one.first(isByte)
        await two.first(isByte)
        one.fetch.cancel()
        // nginx writes its log when a stream ends; the whole response would take minutes.
        #expect(await eventually { origin.log.contains("/slow?one") })
        #expect(!origin.log.contains("/slow?two"))
        two.fetch.cancel()
        #expect(await eventually { origin.log.contains("/slow?two") })
        #expect(await fetcher.outcome(of: origin.url("/picture")).isFinished)
        await fetcher.shutDown()
        origin.stop()
    }

    @Test func `a paused stream does not block another`() async throws {
        let origin = try #require(await NginxOrigin())
        let fetcher = try fetcher(trusting: origin)
        let paused = fetcher.watch(origin.url("/picture?paused"))
        paused.fetch.pause()
        await paused.first { if case .started = $0 { true } else { false } }
        #expect(await fetcher.outcome(of: origin.url("/picture?other")).isFinished)
        paused.fetch.resume()
        #expect(await paused.outcome().isFinished)
        await fetcher.shutDown()
        origin.stop()
    }

    @Test func `an untrusted certificate is refused`() async throws {
        let origin = try #require(await NginxOrigin())
        let fetcher = try OriginFetcher.forTests()
        #expect(await fetcher.outcome(of: origin.url("/picture")).error?.reason == .insecure)
        await fetcher.shutDown()
        origin.stop()
    }
}
