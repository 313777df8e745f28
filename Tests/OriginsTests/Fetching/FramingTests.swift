import Origins
import Testing

/// A response's coding and length are verified, and the response is refused if they are wrong, so that other bytes are
/// never taken for an image.
@Suite struct FramingTests {
    /// What `gzip` makes of empty input; enough to count as gzip.
    private static let gzipped: [UInt8] = [
        0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    ]

    private func outcome(
        _ fields: [String], body: [UInt8] = FramingTests.gzipped, closes: Bool = true
    ) async throws -> Outcome {
        let origin = ScriptedOrigin { visit in
            visit.send(visit.head("200 OK", fields))
            visit.send(body)
            if closes { visit.close() }
        }
        let fetcher = try OriginFetcher.forTests { $0.maximumRetries = 0 }
        let outcome = await fetcher.outcome(of: origin.url())
        await fetcher.shutDown()
        origin.stop()
        return outcome
    }

    @Test(arguments: [
        ["Content-Encoding: br"], ["Content-Encoding: identity, br"], ["Content-Encoding: BR ,identity"],
        ["Content-Encoding: identity", "Content-Encoding: compress"], ["Content-Encoding: gzip, gzip"],
        ["Content-Encoding: zstd, aws-chunked"], ["Content-Encoding: gzip", "Content-Encoding: br"],
    ])
    func `a content coding that is not supported is refused, wherever it is listed`(_ fields: [String]) async throws {
        let outcome = try await outcome(fields + ["Content-Length: \(Self.gzipped.count)"])
        #expect(outcome.error?.reason == .malformed)
        #expect(outcome.error?.publicMessage.contains("compressed") == true)
        #expect(outcome.starts.isEmpty)
    }

    @Test(arguments: [[], ["Content-Encoding: identity"], ["Content-Encoding: "], ["Content-Encoding: aws-chunked"]])
    func `a content coding that changes nothing is ignored`(_ fields: [String]) async throws {
        let outcome = try await outcome(fields + ["Content-Length: \(Self.gzipped.count)"])
        #expect(outcome.isFinished)
        #expect(outcome.bytes == Self.gzipped)
    }

    @Test(arguments: [
        ["Transfer-Encoding: gzip"], ["Transfer-Encoding: gzip, chunked"], ["Transfer-Encoding: chunked, gzip"],
        ["Transfer-Encoding: gzip", "Transfer-Encoding: chunked"], ["Transfer-Encoding: chunked, chunked"],
        ["Transfer-Encoding: identity"],
    ])
    func `a transfer coding other than chunked is refused`(_ fields: [String]) async throws {
        let outcome = try await outcome(fields)
        #expect(outcome.error?.reason == .malformed)
        #expect(outcome.starts.isEmpty)
    }

    @Test(arguments: [
        ["Content-Length: 20", "Content-Length: 5"], ["Content-Length: 5", "Content-Length: 20"],
        ["Content-Length: 20, 5"], ["Content-Length: +20"], ["Content-Length: 20 5"], ["Content-Length: -1"],
        ["Content-Length: 99999999999999999999"],
    ])
    func `conflicting or malformed lengths are refused`(_ fields: [String]) async throws {
        let outcome = try await outcome(fields)
        #expect(outcome.error?.reason == .malformed)
        #expect(outcome.starts.isEmpty)
    }

    @Test func `a repeated identical length is accepted`() async throws {
        let outcome = try await outcome(["Content-Length: 20", "Content-Length: 20, 20"])
        #expect(outcome.isFinished)
        #expect(outcome.bytes.count == 20)
    }

    @Test func `chunked framing overrides a length`() async throws {
        let outcome = try await outcome(
            ["Content-Length: 3", "Transfer-Encoding: Chunked"], body: Array("5\r\nhello\r\n0\r\n\r\n".utf8))
        #expect(outcome.isFinished)
        #expect(outcome.bytes == Array("hello".utf8))
        #expect(outcome.starts.map(\.declaredLength) == [nil])
    }

    @Test func `a redirect with an ambiguous length is refused, and its connection is not reused`() async throws {
        let origin = ScriptedOrigin { visit in
            guard visit.request.target == "/picture" else { return visit.answer(body: pattern(3)) }
            visit.send(visit.head("302 Found", ["Location: /other", "Content-Length: 0", "Content-Length: 9"]))
        }
        let fetcher = try OriginFetcher.forTests { $0.maximumRetries = 0 }
        #expect(await fetcher.outcome(of: origin.url()).error?.reason == .malformed)
        #expect(await fetcher.outcome(of: origin.url("/b")).isFinished)
        #expect(origin.connections == 2)
        await fetcher.shutDown()
        origin.stop()
    }
}
