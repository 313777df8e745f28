import Testing

@testable import Origins

@Suite struct HeadCollectorTests {
    private func collect(_ lines: [String], limit: Int = 1000) -> HeadCollector.Step {
        var collector = HeadCollector(limit: limit)
        var last = HeadCollector.Step.more
        for line in lines {
            last = Array((line + "\r\n").utf8).withUnsafeBytes { collector.take($0) }
            if last != .more { break }
        }
        return last
    }

    @Test func `relevant fields are kept, whatever the case of their names`() throws {
        guard
            case .complete(let head) = collect([
                "HTTP/1.1 200 OK", "eTag: \"x\"", "CACHE-CONTROL: max-age=1", "Cache-Control:no-store",
                "Content-Length:  12 ", "X-Other: y", "",
            ])
        else {
            Issue.record("the head is incomplete")
            return
        }
        #expect(head.status == 200)
        #expect(head.entityTag == "\"x\"")
        #expect(head.cacheControl == "max-age=1, no-store")
        #expect(head.contentLength == 12)
    }

    @Test func `interim responses are skipped`() {
        var expected = ResponseHead(status: 204)
        expected.date = "d"
        #expect(
            collect(["HTTP/1.1 103 Early Hints", "Link: a", "", "HTTP/2 204 ", "date: d", ""]) == .complete(expected))
    }

    @Test func `a head that is too long or malformed is reported`() {
        #expect(collect(["HTTP/1.1 200 OK", "A: " + String(repeating: "b", count: 990)]) == .tooLong)
        #expect(collect(["HTTP/1.1 xyz"]) == .malformed)
        #expect(collect([""]) == .malformed)
    }
}
