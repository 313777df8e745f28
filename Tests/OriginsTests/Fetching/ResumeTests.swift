import Origins
import Testing

/// An interrupted body is resumed where it stopped, if it is certain to be the same.
@Suite struct ResumeTests {
    private static let body = pattern(100_000)

    /// Truncates the first response in the middle, and then continues with `rest`.
    private func origin(
        tag: String = "\"one\"", rest: @escaping @Sendable (ScriptedVisit, Int) -> Void
    ) -> ScriptedOrigin {
        ScriptedOrigin { visit in
            guard visit.request.number > 1 else {
                visit.send(visit.head("200 OK", ["Content-Length: \(ResumeTests.body.count)", "ETag: \(tag)"]))
                visit.send(Array(ResumeTests.body[..<40_000]))
                return visit.close()
            }
            let from = visit.request.fields["range"].flatMap { Int($0.dropFirst(6).dropLast()) } ?? 0
            rest(visit, from)
        }
    }

    @Test func `the rest is requested as a range and delivered without a second start`() async throws {
        let origin = origin { visit, from in
            visit.answer(
                "206 Partial", ["Content-Range: bytes \(from)-99999/100000", "ETag: \"one\""],
                body: Array(ResumeTests.body[from...]))
        }
        let fetcher = try OriginFetcher.forTests()
        let outcome = await fetcher.outcome(of: origin.url())
        #expect(outcome.isFinished)
        #expect(outcome.bytes == ResumeTests.body)
        #expect(outcome.starts.count == 1)
        #expect(origin.requests.last?.fields["range"] == "bytes=40000-")
        #expect(origin.requests.last?.fields["if-range"] == "\"one\"")
        #expect(fetcher.statistics.resumptions == 1)
        #expect(fetcher.statistics.bytes == 100_000)
        await fetcher.shutDown()
        origin.stop()
    }

    @Test func `an origin without range support restarts from the beginning`() async throws {
        let origin = origin { visit, _ in visit.answer("200 OK", ["ETag: \"one\""], body: ResumeTests.body) }
        let fetcher = try OriginFetcher.forTests()
        let outcome = await fetcher.outcome(of: origin.url())
        #expect(outcome.bytes == ResumeTests.body)
        #expect(outcome.starts.count == 2)
        await fetcher.shutDown()
        origin.stop()
    }

    @Test func `a part of another version is discarded, and the whole body is requested`() async throws {
        let origin = origin { visit, from in
            if visit.request.fields["range"] != nil {
                visit.answer(
                    "206 Partial", ["Content-Range: bytes \(from)-99999/100000", "ETag: \"two\""],
                    body: [UInt8](repeating: 0, count: 60_000))
            } else {
                visit.answer("200 OK", ["ETag: \"two\""], body: ResumeTests.body)
            }
        }
        let fetcher = try OriginFetcher.forTests()
        let outcome = await fetcher.outcome(of: origin.url())
        #expect(outcome.bytes == ResumeTests.body)
        #expect(outcome.starts.map(\.validators.entityTag) == ["\"one\"", "\"two\""])
        await fetcher.shutDown()
        origin.stop()
    }

    @Test func `an unsatisfiable range leads to a full request`() async throws {
        let origin = origin { visit, _ in
            visit.request.fields["range"] != nil
                ? visit.answer("416 No", ["Content-Range: bytes */5"]) : visit.answer(body: pattern(5))
        }
        let fetcher = try OriginFetcher.forTests()
        #expect(await fetcher.outcome(of: origin.url()).bytes == pattern(5))
        await fetcher.shutDown()
        origin.stop()
    }

    @Test func `a 304 response to a range request leads to a full request`() async throws {
        let origin = origin { visit, _ in
            visit.request.fields["range"] != nil
                ? visit.answer("304 Not Modified", ["ETag: \"one\""]) : visit.answer(body: ResumeTests.body)
        }
        let fetcher = try OriginFetcher.forTests()
        let outcome = await fetcher.outcome(of: origin.url())
        #expect(outcome.bytes == ResumeTests.body)
        #expect(outcome.isFinished)
        #expect(outcome.unchanged == nil)
        await fetcher.shutDown()
        origin.stop()
    }

    @Test func `a weak validator does not allow resumption`() async throws {
        let origin = origin(tag: "W/\"one\"") { visit, _ in visit.answer(body: ResumeTests.body) }
        let fetcher = try OriginFetcher.forTests()
        let outcome = await fetcher.outcome(of: origin.url())
        #expect(outcome.starts.count == 2)
        #expect(origin.requests.map { $0.fields["range"] } == [nil, nil])
        await fetcher.shutDown()
        origin.stop()
    }

    @Test func `a body that is always too short is reported as truncated`() async throws {
        let origin = ScriptedOrigin { visit in
            visit.send(visit.head("200 OK", ["Content-Length: 1000"]))
            visit.send(pattern(10))
            visit.close()
        }
        let fetcher = try OriginFetcher.forTests { $0.maximumRetries = 2 }
        let outcome = await fetcher.outcome(of: origin.url())
        #expect(outcome.error?.reason == .truncated)
        #expect(outcome.error?.isTransient == true)
        #expect(!outcome.isFinished)
        #expect(origin.requests.count == 3)
        await fetcher.shutDown()
        origin.stop()
    }

    @Test func `an interrupted chunked body is not accepted as complete`() async throws {
        let origin = ScriptedOrigin { visit in
            visit.send(visit.head("200 OK", ["Transfer-Encoding: chunked"]))
            visit.send("5\r\nhello\r\n5\r\nwo")
            visit.close()
        }
        let fetcher = try OriginFetcher.forTests { $0.maximumRetries = 0 }
        let outcome = await fetcher.outcome(of: origin.url())
        #expect(outcome.error?.isTransient == true)
        await fetcher.shutDown()
        origin.stop()
    }
}
