import HTTPTypes

/// An error that a client may read: `application/problem+json` (RFC 9457).
public struct Problem: Error, Sendable {
    /// The value of an extension member.
    public enum Value: Hashable, Sendable, ExpressibleByStringLiteral, ExpressibleByIntegerLiteral {
        case string(String)
        case integer(Int64)

        public init(stringLiteral value: String) { self = .string(value) }
        public init(integerLiteral value: Int64) { self = .integer(value) }
    }

    public var status: HTTPResponse.Status
    /// The kind of problem in a few words, always the same for one kind. The reason phrase of the status if not given.
    public var title: String
    /// What went wrong this time, for the client. Nothing of the server's inside.
    public var detail: String?
    /// Further members, for instance `field`: which one of the input is wrong.
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

    /// What a client may know of `error`: a problem as it is, a refused request as its reason, anything else as 500
    /// without a word.
    public init(describing error: any Error) {
        switch error {
        case let problem as Problem: self = problem
        case let error as RequestError:
            let headers: HTTPFields = error.retryAfter.map { [.retryAfter: String($0)] } ?? [:]
            self.init(error.status, detail: error.message, headers: headers)
        default: self.init(.internalServerError)
        }
    }

    /// The document, with the members of RFC 9457 first and the others by name. The seconds of a `Retry-After` are the
    /// member `retryAfter`, for readers who see no fields.
    public var json: [UInt8] {
        var members = members
        if let seconds = headers[.retryAfter].flatMap({ Int64($0) }) { members["retryAfter"] = .integer(seconds) }
        var text = #"{"type":"about:blank","title":\#(JSONText.quoted(title)),"status":\#(status.code)"#
        if let detail { text += #","detail":\#(JSONText.quoted(detail))"# }
        for (name, value) in members.sorted(by: { $0.key < $1.key }) {
            text += ",\(JSONText.quoted(name)):"
            switch value {
            case .string(let string): text += JSONText.quoted(string)
            case .integer(let integer): text += String(integer)
            }
        }
        return Array((text + "}").utf8)
    }

    public var response: Response {
        var headers = headers
        headers[.contentType] = "application/problem+json"
        headers[.xContentTypeOptions] = "nosniff"
        if headers[.cacheControl] == nil { headers[.cacheControl] = "no-store" }
        return Response(status: status, headers: headers, body: .bytes(json))
    }
}

/// Strings as JSON writes them (RFC 8259 §7).
public enum JSONText {
    /// `text` in quotes, with escapes where it needs them.
    public static func quoted(_ text: String) -> String {
        let isPlain = text.utf8.allSatisfy { $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
        if isPlain { return "\"" + text + "\"" }
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case "\u{0}"..<" ":
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}
