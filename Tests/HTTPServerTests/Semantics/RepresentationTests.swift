import EventLoops
import HTTPServer
import HTTPTypes
import Testing
import Time

@Suite struct RepresentationTests {
    private let loop: EventLoop
    private let representation: Representation

    init() throws {
        loop = try EventLoop(label: "test")
        representation = Representation(
            .bytes(Array("0123456789".utf8)), mediaType: "text/plain", entityTag: EntityTag("v1"),
            lastModified: HTTPDate(seconds: 784_111_777), headers: [.cacheControl: "no-cache"])
    }

    private func response(_ headers: HTTPFields = [:], method: HTTPRequest.Method = .get) throws -> Response {
        representation.response(to: try Request(method, "/", headers: headers, loop: loop))
    }

    private func text(_ response: Response) -> String? {
        guard case .bytes(let bytes) = response.body else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test func `a plain request gets the whole representation with its validators`() throws {
        let response = try response()
        #expect(response.status == .ok)
        #expect(text(response) == "0123456789")
        #expect(response.headers[.eTag] == "\"v1\"")
        #expect(response.headers[.lastModified] == "Sun, 06 Nov 1994 08:49:37 GMT")
        #expect(response.headers[.acceptRanges] == "bytes")
        #expect(response.headers[.contentType] == "text/plain")
    }

    @Test func `a range request gets a partial response`() throws {
        let response = try response([.range: "bytes=2-4"])
        #expect(response.status == .partialContent)
        #expect(text(response) == "234")
        #expect(response.headers[.contentRange] == "bytes 2-4/10")
    }

    @Test func `a range of outdated content gets the whole representation`() throws {
        #expect(try response([.range: "bytes=2-4", .ifRange: "\"v0\""]).status == .ok)
        #expect(try response([.range: "bytes=2-4", .ifRange: "\"v1\""]).status == .partialContent)
    }

    @Test func `an unsatisfiable range is 416 with the length`() throws {
        let response = try response([.range: "bytes=10-"])
        #expect(response.status == .rangeNotSatisfiable)
        #expect(response.headers[.contentRange] == "bytes */10")
    }

    @Test func `HEAD ignores a range`() throws {
        #expect(try response([.range: "bytes=2-4"], method: .head).status == .ok)
    }

    @Test func `a matching If-None-Match gets a 304, even with a range`() throws {
        let response = try response([.ifNoneMatch: "\"v1\"", .range: "bytes=2-4"])
        #expect(response.status == .notModified)
        #expect(response.headers[.eTag] == "\"v1\"")
        #expect(response.headers[.cacheControl] == "no-cache")
        #expect(response.headers[.contentType] == nil)
    }

    @Test func `a failed precondition is 412`() throws {
        #expect(try response([.ifMatch: "\"v0\""]).status == .preconditionFailed)
    }
}
