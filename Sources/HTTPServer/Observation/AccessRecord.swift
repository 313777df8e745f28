public import Clients
public import HTTPTypes

/// A finished request, for the access log. Omits the query and the header fields, which may contain secrets.
public struct AccessRecord: Sendable {
    /// Nil if the request was malformed, or its connection was refused.
    public let client: ClientAddress?
    /// Nil if the request was malformed.
    public let method: HTTPRequest.Method?
    /// The path as received, still percent-encoded.
    public let path: String?
    /// The pattern of the route that the path matched.
    public let route: String?
    /// The status code. 499 means that the client disconnected before the response began.
    public let status: Int
    /// Bytes of the body handed to the connection's output. If the client disconnected, some were never sent.
    public let bodyBytes: Int64
    /// From the request's head to that of the response; nil without a response.
    public let latency: Duration?
    /// From the request's head to the end of the response; for a WebSocket, to the head of its 101 response.
    public let duration: Duration
    /// Whether the response was written to its end.
    public let isComplete: Bool
}

/// Receives a record of each request, on the loop of its connection. Must not block.
public typealias AccessLog = @Sendable (AccessRecord) -> Void
