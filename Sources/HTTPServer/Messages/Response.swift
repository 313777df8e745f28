import HTTPTypes

/// The content of a response.
public enum ResponseBody: Sendable {
    case empty
    /// In memory, shared and not copied.
    case bytes([UInt8])
    /// On disk.
    case file(FileRegion)
    /// Made while it is sent, of `length` bytes if that is known, otherwise chunked (RFC 9112 §7.1).
    case stream(any BodyStream, length: Int64?)

    /// Bytes of memory that wait with it until it is sent.
    var heldBytes: Int {
        switch self {
        case .empty, .file: 0
        case .bytes(let bytes): bytes.count
        case .stream(let stream, _): stream.heldBytes
        }
    }
}

/// An answer. `Date`, `Connection`, `Content-Length` and `Transfer-Encoding` are the server's: it writes them itself and
/// leaves out what stands in the headers under these names, except that `Connection: close` is obeyed, and that
/// `Content-Length` is kept in an answer to HEAD whose body is `.empty`.
public struct Response: Sendable {
    public var status: HTTPResponse.Status
    public var headers: HTTPFields
    public var body: ResponseBody
    /// Asked on the loop when it is this answer's turn to be written, which with pipelined requests can be long after it
    /// was given: what it returns is sent in place of the answer, whose stream ends `.aborted`. Asked once, and never
    /// of an answer that it returned.
    public var instead: (@Sendable () -> Response?)?
    /// If there is one, it goes out in place of the status, and before the headers.
    var prepared: PreparedHead?
    /// What the connection becomes with this answer, whose status is 101.
    var upgrade: WebSocketUpgrade?

    public init(status: HTTPResponse.Status = .ok, headers: HTTPFields = [:], body: ResponseBody = .empty) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// Text in UTF-8.
    public init(status: HTTPResponse.Status = .ok, text: String, mediaType: String = "text/plain; charset=utf-8") {
        self.init(status: status, headers: [.contentType: mediaType], body: .bytes(Array(text.utf8)))
    }

    /// An answer whose head was serialised before: for what is answered often. Its `headers` begin empty, and what is
    /// put there goes out beside the prepared ones, as lines of their own.
    public static func prepared(_ head: PreparedHead, body: ResponseBody) -> Response {
        var response = Response(status: head.status, body: body)
        response.prepared = head
        return response
    }

    /// Nobody will send it: tells whoever would have had to do with the sending.
    func letGo(_ end: BodyEnd) {
        if case .stream(let stream, _) = body { stream.ended(end) }
        upgrade?.handler.ended(.disconnected)
    }
}

/// The status and the headers of a response, checked and serialised once.
public final class PreparedHead: Sendable {
    public let status: HTTPResponse.Status
    /// The status line and the field lines, without the empty line.
    let bytes: [UInt8]
    let closes: Bool

    /// Throws ``ResponseError`` for a head that could not be sent.
    public init(status: HTTPResponse.Status = .ok, headers: HTTPFields) throws(ResponseError) {
        self.status = status
        var bytes: [UInt8] = []
        closes = try ResponseEncoder.append(status: status, headers: headers, to: &bytes)
        self.bytes = bytes
    }
}
