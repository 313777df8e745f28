import HTTPTypes

/// The head of a request as received: its bytes, validated by ``RequestParser``, and the positions of its parts.
/// Fields are looked up in the bytes on demand, so a head costs a single copy.
struct RequestHead: Sendable {
    /// How the body's length is determined (RFC 9112 §6.3).
    enum Framing: Hashable, Sendable {
        case none
        case length(Int64)
        case chunked
    }

    /// The request line and the field lines, each with its CRLF, without the empty line.
    var bytes: [UInt8]
    var method: HTTPRequest.Method
    /// The path and the query of the target within `bytes`; `*` counts as a path.
    var path: Range<Int>
    var query: Range<Int>?
    /// Host and port, from the target if that is absolute, otherwise from `Host` (RFC 9112 §3.2.2).
    var authority: Range<Int>?
    /// The start of the field lines.
    var fields: Int
    /// 0 or 1, for HTTP/1.0 and HTTP/1.1.
    var minorVersion: UInt8
    var framing: Framing
    /// Whether the client wants to keep the connection alive (RFC 9112 §9.3).
    var keepsAlive: Bool
    /// Whether the client waits for `100 Continue` before it sends the body (RFC 9110 §10.1.1).
    var expectsContinue: Bool
    /// Whether the client requests an upgrade to WebSocket (RFC 9110 §7.8, RFC 6455 §4.1).
    var requestsWebSocket: Bool

    /// Strips `base` from the start of the path if a slash follows it.
    mutating func stripBasePath(_ base: [UInt8]) {
        let end = path.lowerBound + base.count
        guard !base.isEmpty, end < path.upperBound, bytes[end] == UInt8(ascii: "/"),
            bytes[path.lowerBound..<end].elementsEqual(base)
        else { return }
        path = end..<path.upperBound
    }
}
