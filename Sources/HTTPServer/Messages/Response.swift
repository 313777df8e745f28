import HTTPTypes

/// The content of a response.
public enum ResponseBody: Sendable {
    case empty
    /// In memory, shared rather than copied.
    case bytes([UInt8])
    /// On disk.
    case file(FileRegion)
    /// Produced while it is sent: `length` bytes if known, otherwise chunked (RFC 9112 §7.1).
    case stream(any BodyStream, length: Int64?)

    /// The bytes of memory that the body holds until it is sent.
    var heldBytes: Int {
        switch self {
        case .empty, .file: 0
        case .bytes(let bytes): bytes.count
        case .stream(let stream, _): stream.heldBytes
        }
    }
}

/// A response. The server writes `Date`, `Connection`, `Content-Length` and `Transfer-Encoding` itself and ignores
/// headers with these names, with two exceptions: it honours `Connection: close`, and it keeps `Content-Length` in
/// the response to a HEAD request if the body is `.empty`.
public struct Response: Sendable {
    /// The status code, with its reason phrase.
    public var status: HTTPResponse.Status
    /// The fields to send, except for those that the server writes itself.
    public var headers: HTTPFields
    /// The content.
    public var body: ResponseBody
    /// Called on the loop when the response is about to be written. With pipelined requests, that may be long after the
    /// handler has sent it. If the closure returns a response, that one is written instead, and the stream of this one
    /// ends with `.aborted`. Called once, and never for a response that it has returned itself.
    public var instead: (@Sendable () -> Response?)?
    /// If set, written instead of the status, and before the headers.
    var prepared: PreparedHead?
    /// Set in a response with status 101: what the connection becomes.
    var upgrade: WebSocketUpgrade?

    public init(status: HTTPResponse.Status = .ok, headers: HTTPFields = [:], body: ResponseBody = .empty) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// UTF-8 text.
    public init(status: HTTPResponse.Status = .ok, text: String, mediaType: String = "text/plain; charset=utf-8") {
        let headers: HTTPFields = [.contentType: mediaType, .xContentTypeOptions: "nosniff"]
        self.init(status: status, headers: headers, body: .bytes(Array(text.utf8)))
    }

    /// A response whose head was serialized in advance, for frequent responses. Its `headers` are initially empty;
    /// any that are added are written in addition to the prepared ones.
    public static func prepared(_ head: PreparedHead, body: ResponseBody) -> Response {
        var response = Response(status: head.status, body: body)
        response.prepared = head
        return response
    }

    /// The response will not be sent: tells its stream and its WebSocket handler.
    func abandon(_ end: BodyEnd) {
        if case .stream(let stream, _) = body { stream.ended(end) }
        upgrade?.handler.ended(.disconnected)
    }
}

/// The status and headers of a response, validated and serialized once.
public final class PreparedHead: Sendable {
    /// The status code, with its reason phrase.
    public let status: HTTPResponse.Status
    /// The status line and the field lines, without the empty line.
    let bytes: [UInt8]
    let closes: Bool

    /// Throws ``ResponseError`` if the head can't be sent.
    public init(status: HTTPResponse.Status = .ok, headers: HTTPFields) throws(ResponseError) {
        self.status = status
        var bytes: [UInt8] = []
        closes = try ResponseEncoder.append(status: status, headers: headers, to: &bytes)
        self.bytes = bytes
    }
}
