import HTTPTypes

/// Why a request was rejected: it is malformed, or exceeds a limit. The connection closes after the response, since
/// the start of the next request can no longer be determined.
public struct RequestError: Error, Hashable, Sendable {
    /// The status of the response.
    public let status: HTTPResponse.Status
    /// For the client. Reveals nothing about the server's internals.
    public let message: String
    /// Seconds after which the same request may succeed, if the failure is temporary.
    public let retryAfter: Int?

    init(status: HTTPResponse.Status, message: String, retryAfter: Int? = nil) {
        self.status = status
        self.message = message
        self.retryAfter = retryAfter
    }

    /// 400: the request violates RFC 9112, or is ambiguous.
    public static func malformed(_ message: String) -> RequestError {
        RequestError(status: .badRequest, message: message)
    }

    /// 408: the client sent too slowly.
    public static let tooSlow = RequestError(status: .requestTimeout, message: "The request came too slowly.")

    /// 413: the body is longer than `limit` bytes.
    public static func bodyTooLarge(limit: Int64) -> RequestError {
        RequestError(status: .contentTooLarge, message: "The body is longer than \(limit) bytes.")
    }

    /// 414: the request line is too long.
    public static let targetTooLong = RequestError(status: .uriTooLong, message: "The request line is too long.")

    /// 417: the server doesn't know the client's expectation.
    public static let unknownExpectation = RequestError(
        status: .expectationFailed, message: "The only supported expectation is 100-continue.")

    /// 421: the target's resource is available only over a secured connection (RFC 9110 §7.4).
    public static let misdirected = RequestError(
        status: .misdirectedRequest, message: "The request's target requires a secure connection.")

    /// 431: the fields are too many or too long.
    public static let fieldsTooLarge = RequestError(
        status: .requestHeaderFieldsTooLarge, message: "The header fields are too many or too long.")

    /// 501: a transfer coding other than chunked (RFC 9112 §6.1).
    public static let unknownCoding = RequestError(
        status: .notImplemented, message: "The only supported transfer coding is chunked.")

    /// 501: CONNECT, which only proxies support.
    public static let tunnelRefused = RequestError(status: .notImplemented, message: "This server is not a proxy.")

    /// 503: the memory budget of request bodies is used up.
    public static let noRoomForBody = RequestError(
        status: .serviceUnavailable, message: "Too many requests are sending their bodies.", retryAfter: 1)

    /// 505: not HTTP/1.
    public static let unknownVersion = RequestError(
        status: .httpVersionNotSupported, message: "This server speaks HTTP/1.1 and HTTP/1.0.")

    /// The client disconnected before its body was complete. Nobody will read a response.
    public static let disconnected = RequestError(
        status: .badRequest, message: "The connection closed before the body was whole.")
}
