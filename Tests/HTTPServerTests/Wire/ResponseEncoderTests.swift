import HTTPTypes
import Testing
import Time

@testable import HTTPServer

@Suite struct ResponseEncoderTests {
    private func encode(
        _ response: Response, isHead: Bool = false, minorVersion: UInt8 = 1, keepsAlive: Bool = true
    ) throws -> (lines: [String], plan: ResponseEncoder.Plan) {
        var encoder = ResponseEncoder()
        var bytes: [UInt8] = []
        let context = ResponseEncoder.Context(isHead: isHead, minorVersion: minorVersion, keepsAlive: keepsAlive)
        let plan = try encoder.encode(response, for: context, to: &bytes)
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(text.hasSuffix("\r\n\r\n"))
        var lines = text.split(separator: "\r\n").map { String($0) }
        let dates = lines.filter { $0.hasPrefix("Date: ") }
        #expect(dates.count == 1)
        #expect(HTTPDate(dates.first?.dropFirst("Date: ".count) ?? "") != nil)
        lines.removeAll { $0.hasPrefix("Date: ") }
        return (lines, plan)
    }

    private final class Endless: BodyStream {
        func pull(upTo limit: Int, wake: @escaping @Sendable () -> Void) -> BodyPull { .pending }
        func ended(_ end: BodyEnd) {}
    }

    @Test func `a head has status, fields, length and date`() throws {
        let (lines, plan) = try encode(Response(status: .created, headers: [.location: "/x"], body: .bytes([1, 2, 3])))
        #expect(lines == ["HTTP/1.1 201 Created", "Location: /x", "Content-Length: 3"])
        #expect(plan == .init(framing: .length(3), keepsAlive: true))
    }

    @Test func `a prepared head encodes to the same bytes`() throws {
        let headers: HTTPFields = [.contentType: "a/b", .eTag: "\"x\""]
        let prepared = try PreparedHead(status: .ok, headers: headers)
        let body = ResponseBody.bytes([1])
        #expect(
            try encode(.prepared(prepared, body: body)).lines == encode(Response(headers: headers, body: body)).lines)
    }

    @Test func `additional fields are sent with a prepared head`() throws {
        let prepared = try PreparedHead(status: .notModified, headers: [.vary: "Accept"])
        var response = Response.prepared(prepared, body: .empty)
        response.headers = [.vary: "Origin", .accessControlAllowOrigin: "https://example.org", .connection: "close"]
        let (lines, plan) = try encode(response)
        #expect(
            lines == [
                "HTTP/1.1 304 Not Modified", "Vary: Accept", "Vary: Origin",
                "Access-Control-Allow-Origin: https://example.org", "Connection: close",
            ])
        #expect(!plan.keepsAlive)
    }

    @Test func `a response cannot override framing, Date or keep-alive`() throws {
        let headers: HTTPFields = [
            .contentLength: "99", .transferEncoding: "gzip", .date: "never", .connection: "keep-alive",
        ]
        #expect(
            try encode(Response(headers: headers, body: .bytes([1]))).lines == ["HTTP/1.1 200 OK", "Content-Length: 1"])
    }

    @Test(arguments: [204, 304]) func `responses with status 204 and 304 have no body or length`(status: Int) throws {
        let response = Response(status: HTTPResponse.Status(code: status), body: .bytes([1]))
        let (lines, plan) = try encode(response)
        #expect(lines.count == 1)
        #expect(plan.framing == .none)
    }

    @Test func `the response to HEAD has the length but no body`() throws {
        let (lines, plan) = try encode(Response(body: .bytes([1, 2])), isHead: true)
        #expect(lines.contains("Content-Length: 2"))
        #expect(plan.framing == .none)
        #expect(try encode(Response(), isHead: true).lines == ["HTTP/1.1 200 OK"])
        let known = Response(headers: [.contentLength: "77"])
        #expect(try encode(known, isHead: true).lines == ["HTTP/1.1 200 OK", "Content-Length: 77"])
    }

    @Test func `a body of unknown length is chunked in HTTP 1·1 and ends with the connection in HTTP 1·0`() throws {
        let response = Response(body: .stream(Endless(), length: nil))
        let new = try encode(response)
        #expect(new.lines == ["HTTP/1.1 200 OK", "Transfer-Encoding: chunked"])
        #expect(new.plan == .init(framing: .chunked, keepsAlive: true))
        let old = try encode(response, minorVersion: 0)
        #expect(old.lines == ["HTTP/1.1 200 OK", "Connection: close"])
        #expect(old.plan == .init(framing: .untilClose, keepsAlive: false))
    }

    @Test func `Connection says whether the connection stays open`() throws {
        #expect(try encode(Response(), keepsAlive: false).lines.contains("Connection: close"))
        #expect(try encode(Response(), minorVersion: 0).lines.contains("Connection: keep-alive"))
        let closing = try encode(Response(headers: [.connection: "close"]))
        #expect(!closing.plan.keepsAlive)
        #expect(closing.lines.contains("Connection: close"))
    }

    @Test func `line breaks in a field or reason phrase inject nothing`() throws {
        let forged = "x\r\nSet-Cookie: a=b\r\n\r\nHTTP/1.1 200 OK"
        let status = HTTPResponse.Status(code: 200, reasonPhrase: "OK\r\nSet-Cookie: a=b")
        let (lines, _) = try encode(Response(status: status, headers: [.location: forged]))
        #expect(lines.count == 3)
        #expect(!lines.contains { $0.hasPrefix("Set-Cookie") })
    }

    @Test func `an interim status is not a valid response`() {
        #expect(throws: ResponseError.invalidStatus(101)) { try encode(Response(status: .switchingProtocols)) }
    }
}
