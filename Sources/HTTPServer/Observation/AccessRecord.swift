public import Clients
public import HTTPTypes

/// One request and the end of its response, for an access log. Omits the query and the fields, in which clients may send
/// secrets.
public struct AccessRecord: Sendable {
    /// Nil if the request was malformed, or its connection was refused.
    public let client: Client?
    /// Nil if the request was malformed.
    public let method: HTTPRequest.Method?
    /// The path as received, still percent-encoded.
    public let path: String?
    /// The pattern of the route that the path matched.
    public let route: String?
    /// The status code. 499 means that the client disconnected before the response began.
    public let status: Int
    /// The bytes of the body that were passed to the kernel, or soon would have been.
    public let bodyBytes: Int64
    /// From the request's head to that of the response; nil without a response.
    public let latency: Duration?
    /// From the request's head to the end of the response. That of a WebSocket ends with its head.
    public let duration: Duration
    /// Whether the response was written to its end.
    public let isComplete: Bool
}

/// Receives a record of each request, on the loop of its connection. Must not block.
public typealias AccessLog = @Sendable (AccessRecord) -> Void
