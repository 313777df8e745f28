import Origins
import TestSupport
import Testing

/// A body that an origin compresses unasked is decoded on its way.
@Suite struct CodingTests {
    private static let body = pattern(300_000)

    private func origin(_ coding: String, _ bytes: [UInt8], tag: String = "\"one\"") -> ScriptedOrigin {
        ScriptedOrigin { $0.answer("200 OK", ["Content-Encoding: \(coding)", "ETag: \(tag)"], body: bytes) }
    }

    @Test(arguments: ["gzip", "x-gzip", "GZIP, identity", "deflate"])
    func `a compressed body arrives as the picture`(_ coding: String) async throws {
        let bytes = coding == "deflate" ? zlibbed(Self.body) : gzipped(Self.body)
        let origin = origin(coding, bytes)
        let fetcher = try OriginFetcher.forTests()
        let outcome = await fetcher.outcome(of: origin.url())
        #expect(outcome.isFinished && outcome.bytes == Self.body)
        #expect(outcome.starts.map(\.declaredLength) == [nil])
        #expect(outcome.starts.first?.validators.entityTag == "\"one\"")
        #expect(fetcher.statistics.bytes == Int64(bytes.count))
        #expect(origin.requests.first?.fields["accept-encoding"] == "identity")
        await fetcher.shutDown()
        origin.stop()
    }

    @Test func `an interrupted compressed body is fetched again from its beginning`() async throws {
        let bytes = gzipped(Self.body)
        let origin = ScriptedOrigin { visit in
            let fields = ["Content-Encoding: gzip", "ETag: \"one\"", "Content-Length: \(bytes.count)"]
            visit.send(visit.head("200 OK", fields))
            guard visit.request.number == 1 else { return visit.send(bytes) }
            visit.send(Array(bytes.prefix(bytes.count / 2)))
            visit.close()
        }
        let fetcher = try OriginFetcher.forTests()
        let outcome = await fetcher.outcome(of: origin.url())
        #expect(outcome.isFinished && outcome.bytes == Self.body)
        #expect(outcome.starts.count == 2)
        #expect(origin.requests.map { $0.fields["range"] } == [nil, nil])
        await fetcher.shutDown()
        origin.stop()
    }

    @Test func `the rest of a plain body is not taken from a compressed response`() async throws {
        let origin = ScriptedOrigin { visit in
            if visit.request.fields["range"] != nil {
                let fields = ["Content-Range: bytes 100-299999/300000", "ETag: \"one\"", "Content-Encoding: gzip"]
                return visit.answer("206 Partial Content", fields, body: Array(Self.body[100...]))
            }
            visit.send(visit.head("200 OK", ["Content-Length: \(Self.body.count)", "ETag: \"one\""]))
            guard visit.request.number == 1 else { return visit.send(Self.body) }
            visit.send(Array(Self.body.prefix(100)))
            visit.close()
        }
        let fetcher = try OriginFetcher.forTests()
        let outcome = await fetcher.outcome(of: origin.url())
        #expect(outcome.isFinished && outcome.bytes == Self.body)
        #expect(outcome.starts.count == 2)
        await fetcher.shutDown()
        origin.stop()
    }

    @Test func `a compressed body that ends too early is truncated, whatever its length says`() async throws {
        let origin = origin("gzip", gzipped(Self.body).dropLast(9))
        let fetcher = try OriginFetcher.forTests { $0.maximumRetries = 1 }
        #expect(await fetcher.outcome(of: origin.url()).error?.reason == .truncated)
        #expect(origin.requests.count == 2)
        await fetcher.shutDown()
        origin.stop()
    }

    @Test func `the size of the decoded body is limited, and so is its ratio`() async throws {
        let large = origin("gzip", gzipped(Self.body))
        let bomb = origin("gzip", gzipped([UInt8](repeating: 0, count: 20_000_000)))
        let fetcher = try OriginFetcher.forTests { $0.maximumBytes = 250_000 }
        #expect(await fetcher.outcome(of: large.url()).error?.reason == .tooLarge)
        await fetcher.shutDown()
        let other = try OriginFetcher.forTests()
        let outcome = await other.outcome(of: bomb.url())
        #expect(outcome.error?.reason == .tooLarge && outcome.bytes.count < 8_000_000)
        await other.shutDown()
        large.stop()
        bomb.stop()
    }

    @Test func `an endless body that decodes to nothing is too large`() async throws {
        let origin = ScriptedOrigin { visit in
            visit.send(visit.head("200 OK", ["Content-Encoding: gzip"]))
            let members = (0..<1000).flatMap { _ in gzipped([]) }
            while !visit.isClosed { visit.send(members) }
        }
        let fetcher = try OriginFetcher.forTests { $0.maximumBytes = 250_000 }
        #expect(await fetcher.outcome(of: origin.url()).error?.reason == .tooLarge)
        await fetcher.shutDown()
        origin.stop()
    }

    @Test func `a pause takes effect in the middle of a body that one packet contains`() async throws {
        // So dense that it arrives at once, but below the ratio that is allowed.
        let body = (0..<8192).flatMap { number in [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 120) }
        let origin = origin("gzip", gzipped(body))
        let fetcher = try OriginFetcher.forTests()
        let watched = fetcher.watch(origin.url())
        var outcome = Outcome()
        var pauses = 0
        for await event in watched.events {
            outcome.take(event)
            guard case .bytes = event else { continue }
            watched.fetch.pause()
            pauses += 1
            watched.fetch.resume()
        }
        #expect(outcome.isFinished && outcome.bytes == body && pauses > 3)
        await fetcher.shutDown()
        origin.stop()
    }
}
