import HTTPTypes

/// Why a request could not be taken: what is wrong with its bytes, or a limit that it passed. The connection closes
/// after the answer, since nobody can tell any more where the next request begins.
public struct RequestError: Error, Hashable, Sendable {
    public let status: HTTPResponse.Status
    /// For the client. Says nothing of the server's inside.
    public let message: String
    /// Seconds after which the same request may be taken, where that is a matter of time.
    public let retryAfter: Int?

    init(status: HTTPResponse.Status, message: String, retryAfter: Int? = nil) {
        self.status = status
        self.message = message
        self.retryAfter = retryAfter
    }

    /// 400: it does not follow RFC 9112, or could be read in two ways.
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

    /// 417: the client expects what this server does not know.
    public static let unknownExpectation = RequestError(
        status: .expectationFailed, message: "The only expectation known here is 100-continue.")

    /// 421: the target names a resource that only a secured connection has (RFC 9110 §7.4).
    public static let misdirected = RequestError(
        status: .misdirectedRequest, message: "This connection is not secured, as the target of the request demands.")

    /// 431: the fields are too many or too long.
    public static let fieldsTooLarge = RequestError(
        status: .requestHeaderFieldsTooLarge, message: "The header fields are too many or too long.")

    /// 501: a transfer coding other than chunked (RFC 9112 §6.1).
    public static let unknownCoding = RequestError(
        status: .notImplemented, message: "The only transfer coding known here is chunked.")

    /// 501: CONNECT, which is for proxies.
    public static let tunnelRefused = RequestError(status: .notImplemented, message: "This server is no proxy.")

    /// 503: the bodies of all requests together hold as much memory as they may.
    public static let noRoomForBody = RequestError(
        status: .serviceUnavailable, message: "Too many requests are sending their bodies.", retryAfter: 1)

    /// 505: not HTTP/1.
    public static let unknownVersion = RequestError(
        status: .httpVersionNotSupported, message: "This server speaks HTTP/1.1 and HTTP/1.0.")

    /// The client went away before its body was whole. Nobody will read an answer.
    public static let disconnected = RequestError(
        status: .badRequest, message: "The connection closed before the body was whole.")
}
