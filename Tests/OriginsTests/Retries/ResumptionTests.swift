import Testing

@testable import Origins

@Suite struct ResumptionTests {
    private func body(length: Int64? = 100, tag: String? = "\"a\"", delivered: Int = 40) -> Resumption {
        var head = ResponseHead(status: 200)
        head.contentLength = length
        head.entityTag = tag
        var resumption = Resumption(head)
        resumption.deliver(delivered)
        return resumption
    }

    private func part(_ range: String?, tag: String? = "\"a\"", length: Int64? = nil) -> ResponseHead {
        var head = ResponseHead(status: 206)
        head.contentRange = range
        head.entityTag = tag
        head.contentLength = length
        return head
    }

    @Test func `the range request carries the validator of the first response`() throws {
        let request = try #require(body().request)
        #expect(request.range == "bytes=40-")
        #expect(request.ifRange == "\"a\"")
    }

    @Test func `a body is not resumed without a strong validator, delivered bytes and range support`() {
        #expect(body(tag: nil).request == nil)
        #expect(body(tag: "W/\"a\"").request == nil)
        #expect(body(delivered: 0).request == nil)
        #expect(body(tag: "\"a\rX-Injected: yes\r\"").request == nil, "it could begin another line")
        var head = ResponseHead(status: 200)
        head.entityTag = "\"a\""
        head.acceptRanges = "none"
        var refusing = Resumption(head)
        refusing.deliver(1)
        #expect(refusing.request == nil)
    }

    @Test func `only the exact rest continues a body`() {
        #expect(body().continues(with: part("bytes 40-99/100", length: 60)))
        #expect(body().continues(with: part("bytes 40-99/*")))
        #expect(body(length: nil).continues(with: part("bytes 40-99/100")))
        #expect(body().continues(with: part("bytes 40-99/100", tag: nil)))
        #expect(!body().continues(with: part("bytes 40-99/100", tag: "\"b\"")))
        #expect(!body().continues(with: part("bytes 39-99/100")))
        #expect(!body().continues(with: part("bytes 41-99/100")))
        #expect(!body().continues(with: part("bytes 40-98/100")))
        #expect(!body().continues(with: part("bytes 40-100/101")))
        #expect(!body().continues(with: part("bytes 40-99/100", length: 61)))
        #expect(!body().continues(with: part(nil)))
    }

    @Test(arguments: [
        "bytes 5-4/10", "bytes 0-9/9", "bytes */10", "items 0-1/2", "bytes 0-1", "bytes -1-2/3", "bytes 0-1/2/3", "",
        "bytes 0-99999999999999999999/*", "bytes=0-1/2",
    ])
    func `an inconsistent range is rejected`(_ field: String) {
        #expect(ContentRange(field) == nil)
    }
}
