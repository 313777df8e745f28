public import Clients
import EventLoops
import HTTPTypes

/// A request whose head is complete. Its body may still be arriving.
public struct Request: Sendable {
    var head: RequestHead
    /// The other end of the connection.
    public let peer: SocketAddress
    /// The peer, or the client named by a trusted proxy.
    public let address: ClientAddress
    /// Who owns the limits and fair shares that the request counts for: the address, unless ``Router/admission`` knows
    /// more.
    public var client: Client
    /// Who sends the request, if ``Router/admission`` has found out.
    public var requester: (any Sendable)?
    /// Whether a trusted proxy forwarded the request, so that its forwarding headers can be believed.
    public let isFromProxy: Bool
    /// The loop of the connection. A task that prefers it as executor runs on the connection's thread.
    public let loop: EventLoop
    /// The content of the request.
    public let body: RequestBody
    /// The values of the `{…}` parameters of the route's pattern, set by the router.
    public internal(set) var parameters = PathParameters()

    init(
        head: RequestHead, peer: SocketAddress, address: ClientAddress, isFromProxy: Bool, loop: EventLoop,
        body: RequestBody
    ) {
        self.head = head
        self.peer = peer
        self.address = address
        client = .address(address)
        self.isFromProxy = isFromProxy
        self.loop = loop
        self.body = body
    }

    /// The method (RFC 9110 §9).
    public var method: HTTPRequest.Method { head.method }

    /// The path as received, still percent-encoded, without the query. `*` for `OPTIONS *`.
    public var path: String { String(decoding: head.bytes[head.path], as: UTF8.self) }

    /// The pairs of the query, parsed at each call.
    public var query: Query { head.query.map { Query(head.bytes[$0]) } ?? Query([]) }

    /// The path and query as received.
    public var target: String {
        head.query.map { path + "?" + String(decoding: head.bytes[$0], as: UTF8.self) } ?? path
    }

    /// The header fields, looked up on demand.
    public var headers: RequestHeaders { RequestHeaders(head: head) }

    /// Host and port as named by the client (RFC 9110 §7.2): from the target if that is absolute, otherwise from
    /// `Host`. Nil only in HTTP/1.0.
    public var authority: String? {
        head.authority.map { String(decoding: head.bytes[$0], as: UTF8.self) }
    }
}

extension Request {
    /// A request with a complete body but without a connection, for tests of responders.
    ///
    /// Throws ``RequestError`` if it is not a valid request.
    public init(
        _ method: HTTPRequest.Method, _ target: String, headers: HTTPFields = [:], body: [UInt8] = [],
        peer: SocketAddress = SocketAddress(ip: .v4(0x7F00_0001), port: 49152), isFromProxy: Bool = false,
        loop: EventLoop
    ) throws(RequestError) {
        var text = "\(method.rawValue) \(target) HTTP/1.1\r\n"
        if headers[HTTPField.Name("Host")!] == nil { text += "Host: localhost\r\n" }
        for field in headers { text += "\(field.name.rawName): \(field.value)\r\n" }
        if !body.isEmpty, headers[.contentLength] == nil { text += "Content-Length: \(body.count)\r\n" }
        var parser = RequestParser(limits: .init())
        parser.append(Array((text + "\r\n").utf8))
        guard case .head(let head) = try parser.next() else {
            throw .malformed("The request is truncated.")
        }
        self.init(
            head: head, peer: peer, address: peer.client, isFromProxy: isFromProxy, loop: loop,
            body: RequestBody(complete: body))
    }
}
