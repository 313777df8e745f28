import Encodings
import HTTPTypes

/// An error for clients: `application/problem+json` (RFC 9457).
public struct Problem: Error, Sendable {
    /// The value of an extension member.
    public enum Value: Hashable, Sendable, ExpressibleByStringLiteral, ExpressibleByIntegerLiteral {
        case string(String)
        case integer(Int64)

        public init(stringLiteral value: String) { self = .string(value) }
        public init(integerLiteral value: Int64) { self = .integer(value) }
    }

    /// The status of the response.
    public var status: HTTPResponse.Status
    /// A short title, always the same for one kind of problem. By default the reason phrase of the status.
    public var title: String
    /// What went wrong this time, for the client. Reveals nothing about the server's internals.
    public var detail: String?
    /// Extension members, for instance `field`: which part of the input is wrong.
    public var members: [String: Value]
    /// Fields of the response, for instance `Allow` or `Retry-After`.
    public var headers: HTTPFields

    public init(
        _ status: HTTPResponse.Status, title: String? = nil, detail: String? = nil,
        members: [String: Value] = [:], headers: HTTPFields = [:]
    ) {
        self.status = status
        self.title = title ?? status.reasonPhrase
        self.detail = detail
        self.members = members
        self.headers = headers
    }

    /// What a client may learn about `error`: a problem unchanged, the message of a rejected request, and for
    /// anything else a plain 500.
    public init(describing error: any Error) {
        switch error {
        case let problem as Problem: self = problem
        case let error as RequestError:
            let headers: HTTPFields = error.retryAfter.map { [.retryAfter: String($0)] } ?? [:]
            self.init(error.status, detail: error.message, headers: headers)
        default: self.init(.internalServerError)
        }
    }

    /// The document, with the members of RFC 9457 first and the others sorted by name. `Retry-After` is repeated as
    /// the member `retryAfter`, for clients that cannot see the fields.
    public var json: [UInt8] {
        var members = members
        if let seconds = headers[.retryAfter].flatMap({ Int64($0) }) { members["retryAfter"] = .integer(seconds) }
        var json = JSONWriter()
        json.object { json in
            json.member("type", "about:blank")
            json.member("title", title)
            json.member("status", status.code)
            json.member("detail", detail)
            for (name, value) in members.sorted(by: { $0.key < $1.key }) {
                switch value {
                case .string(let string): json.member(named: name, string)
                case .integer(let integer): json.member(named: name, integer)
                }
            }
        }
        return json.bytes
    }

    /// The response that reports the problem.
    public var response: Response {
        var headers = headers
        headers[.contentType] = "application/problem+json"
        headers[.xContentTypeOptions] = "nosniff"
        // A frame on another site would show that there is nothing.
        headers[.contentSecurityPolicy] = "default-src 'none'; frame-ancestors 'none'"
        if headers[.cacheControl] == nil { headers[.cacheControl] = "no-store" }
        return Response(status: status, headers: headers, body: .bytes(json))
    }
}
