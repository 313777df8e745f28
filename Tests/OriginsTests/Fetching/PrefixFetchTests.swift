import Origins
import Testing

/// The prefix of a body is fetched by a request of its own, and the rest only when it is wanted.
@Suite(.timeLimit(.minutes(1))) struct PrefixFetchTests {
    private static let body = pattern(100_000)
    private static let length = 10_000

    /// Serves ranges of the body as files on disk are served.
    ///
    /// - Parameters:
    ///   - tag: The entity tag of the response with this number.
    private func origin(
        _ body: [UInt8] = PrefixFetchTests.body, tag: @escaping @Sendable (Int) -> String = { _ in "\"one\"" }
    ) -> ScriptedOrigin {
        ScriptedOrigin { visit in
            let tag = tag(visit.request.number)
            let condition = visit.request.fields["if-range"]
            guard let range = visit.request.fields["range"]?.dropFirst(6), condition ?? tag == tag else {
                return visit.answer("200 OK", ["ETag: \(tag)"], body: body)
            }
            let ends = range.split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
            let (first, last) = (ends[0] ?? 0, min(ends[1] ?? .max, body.count - 1))
            guard first < body.count else { return visit.answer("416 No", ["Content-Range: bytes */\(body.count)"]) }
            visit.answer(
                "206 Partial", ["Content-Range: bytes \(first)-\(last)/\(body.count)", "ETag: \(tag)"],
                body: Array(body[first...last]))
        }
    }

    private func end(_ fetcher: OriginFetcher, _ origin: ScriptedOrigin) async {
        await fetcher.shutDown()
        origin.stop()
    }

    /// Everything that arrives before the fetch is parked.
    private func prefix(of watched: Watched) async -> Outcome {
        var outcome = Outcome()
        for await event in watched.events {
            outcome.take(event)
            if case .parked = event { break }
        }
        return outcome
    }

    @Test func `a fetch is parked after its prefix without a permit, and continues on request`() async throws {
        let origin = origin()
        let fetcher = try OriginFetcher.forTests { $0.permits = 1 }
        let watched = fetcher.watch(origin.url(), prefix: Self.length)
        let first = await prefix(of: watched)
        #expect(first.bytes == Array(Self.body[..<Self.length]) && !first.isFinished)
        #expect(first.starts.map(\.declaredLength) == [100_000] && first.starts.map(\.isPrefix) == [true])
        #expect(fetcher.statistics.parked == 1 && fetcher.statistics.waiting == 0)
        #expect(await fetcher.outcome(of: origin.url("/other")).isFinished, "it holds no permit")
        watched.fetch.fetchRest()
        let rest = await watched.outcome()
        #expect(rest.bytes == Array(Self.body[Self.length...]) && rest.isFinished && rest.starts.isEmpty)
        let ranges = origin.requests.filter { $0.target == "/picture" }.map { $0.fields["range"] }
        #expect(ranges == ["bytes=0-9999", "bytes=10000-"])
        #expect(origin.connections == 1, "the connection is kept")
        #expect(fetcher.statistics.bytes == 200_000 && fetcher.statistics.resumptions == 0)
        await end(fetcher, origin)
    }

    @Test func `a parked fetch that is cancelled requests nothing more, and its connection is reused`() async throws {
        let origin = origin()
        let fetcher = try OriginFetcher.forTests()
        let watched = fetcher.watch(origin.url(), prefix: Self.length)
        _ = await prefix(of: watched)
        watched.fetch.cancel()
        #expect(await fetcher.outcome(of: origin.url("/other")).isFinished)
        #expect(origin.requests.map(\.target) == ["/picture", "/other"] && origin.connections == 1)
        #expect(fetcher.statistics.prefixes == 1 && fetcher.statistics.aborted == 0)
        #expect(fetcher.statistics.parked == 0)
        await end(fetcher, origin)
    }

    @Test func `a fetch whose rest is wanted early is not parked`() async throws {
        let origin = origin()
        let fetcher = try OriginFetcher.forTests()
        let watched = fetcher.watch(origin.url(), prefix: Self.length)
        watched.fetch.fetchRest()
        let outcome = await watched.outcome()
        #expect(outcome.bytes == Self.body && outcome.parked == 0)
        await end(fetcher, origin)
    }

    /// The body is shorter than the prefix, as long, and twice as long.
    @Test(arguments: [(5_000, 1), (10_000, 1), (20_000, 2)]) func `a short body is fetched to its end`(
        count: Int, requests: Int
    ) async throws {
        let origin = origin(pattern(count))
        let fetcher = try OriginFetcher.forTests()
        let outcome = await fetcher.watch(origin.url(), prefix: Self.length).outcome()
        #expect(outcome.bytes == pattern(count) && outcome.parked == 0 && outcome.starts.count == 1)
        #expect(origin.requests.count == requests)
        await end(fetcher, origin)
    }

    @Test func `an empty body is fetched without a range`() async throws {
        let origin = origin([])
        let fetcher = try OriginFetcher.forTests()
        let outcome = await fetcher.watch(origin.url(), prefix: Self.length).outcome()
        #expect(outcome.isFinished && outcome.bytes.isEmpty)
        await end(fetcher, origin)
    }

    @Test func `an origin that ignores ranges sends everything at once`() async throws {
        let origin = ScriptedOrigin { $0.answer("200 OK", ["ETag: \"one\""], body: Self.body) }
        let fetcher = try OriginFetcher.forTests()
        let outcome = await fetcher.watch(origin.url(), prefix: Self.length).outcome()
        #expect(outcome.bytes == Self.body && outcome.parked == 0 && origin.requests.count == 1)
        await end(fetcher, origin)
    }

    @Test(arguments: [
        "bytes 1-10000/100000", "bytes 0-9998/100000", "bytes 0-9999/*", "bytes 0-19999/100000", "items 0-9999/100000",
    ]) func `a response with a different range leads to a full request`(range: String) async throws {
        let origin = ScriptedOrigin { visit in
            guard visit.request.fields["range"] != nil else { return visit.answer(body: Self.body) }
            visit.answer("206 Partial", ["Content-Range: \(range)"], body: Array(Self.body[..<10_000]))
        }
        let fetcher = try OriginFetcher.forTests()
        let outcome = await fetcher.watch(origin.url(), prefix: Self.length).outcome()
        #expect(outcome.bytes == Self.body && outcome.isFinished && outcome.starts.count == 1)
        #expect(outcome.starts.map(\.isPrefix) == [false])
        #expect(origin.requests.count == 2 && fetcher.statistics.retries == 0, "a refusal is no failure")
        await end(fetcher, origin)
    }

    @Test func `after a redirect, the rest is requested from the beginning of the chain`() async throws {
        let files = origin()
        let redirects = ScriptedOrigin { visit in
            visit.answer("302 Found", ["Location: \(files.url("/signed-\(visit.request.number)"))"])
        }
        let fetcher = try OriginFetcher.forTests()
        let watched = fetcher.watch(redirects.url(), prefix: Self.length)
        _ = await prefix(of: watched)
        watched.fetch.fetchRest()
        #expect(await watched.outcome().bytes == Array(Self.body[Self.length...]))
        #expect(files.requests.map(\.target) == ["/signed-1", "/signed-2"])
        await end(fetcher, files)
        redirects.stop()
    }

    /// With a weak validator, the prefix and the rest might belong to different images.
    @Test(arguments: ["\"two\"", "W/\"one\""]) func `a rest that may be of another version starts over`(
        later: String
    ) async throws {
        let origin = origin { $0 == 1 ? later.hasPrefix("W") ? later : "\"one\"" : later }
        let fetcher = try OriginFetcher.forTests()
        let watched = fetcher.watch(origin.url(), prefix: Self.length)
        _ = await prefix(of: watched)
        watched.fetch.fetchRest()
        let outcome = await watched.outcome()
        #expect(outcome.bytes == Self.body && outcome.isFinished && outcome.starts.count == 1)
        await end(fetcher, origin)
    }

    @Test func `an interrupted prefix is requested again`() async throws {
        let origin = ScriptedOrigin { visit in
            let isFirst = visit.request.number == 1
            visit.send(
                visit.head(
                    "206 Partial",
                    ["Content-Length: 10000", "Content-Range: bytes 0-9999/100000", "ETag: \"one\""]))
            visit.send(Array(Self.body[..<(isFirst ? 4_000 : 10_000)]))
            if isFirst { visit.close() }
        }
        let fetcher = try OriginFetcher.forTests()
        let outcome = await prefix(of: fetcher.watch(origin.url(), prefix: Self.length))
        #expect(outcome.bytes == Array(Self.body[..<10_000]) && outcome.starts.count == 2)
        #expect(origin.requests.map { $0.fields["range"] } == ["bytes=0-9999", "bytes=0-9999"])
        await end(fetcher, origin)
    }

    @Test func `a body above the limit is refused by the length of the whole`() async throws {
        let origin = origin()
        let fetcher = try OriginFetcher.forTests { $0.maximumBytes = 50_000 }
        let outcome = await fetcher.watch(origin.url(), prefix: Self.length).outcome()
        #expect(outcome.error?.reason == .tooLarge)
        await end(fetcher, origin)
    }
}
