public import Clients
import EventLoops
import HTTPTypes

/// A request, from the moment its head is complete. Its body may still be arriving.
public struct Request: Sendable {
    let head: RequestHead
    /// The other end of the connection.
    public let peer: SocketAddress
    /// Who asks: the peer, or whom a trusted proxy names.
    public let client: Client
    /// Whether a trusted proxy hands it on: what it says of others is believed.
    public let isFromProxy: Bool
    /// The loop of the connection. A task that prefers it runs beside the connection, with no change of thread.
    public let loop: EventLoop
    /// The content that comes with the request.
    public let body: RequestBody
    /// What the router found in the path for the `{…}` of the route's pattern.
    public internal(set) var parameters = PathParameters()

    public var method: HTTPRequest.Method { head.method }

    /// The path as it came, still percent-encoded, without the query. `*` for `OPTIONS *`.
    public var path: String { String(decoding: head.bytes[head.path], as: UTF8.self) }

    /// The pairs of the query; read at each call.
    public var query: Query { head.query.map { Query(head.bytes[$0]) } ?? Query([]) }

    /// The path and the query as they came.
    public var target: String {
        head.query.map { path + "?" + String(decoding: head.bytes[$0], as: UTF8.self) } ?? path
    }

    public var headers: RequestHeaders { RequestHeaders(head: head) }

    /// Host and port as the client names them (RFC 9110 §7.2): from the target if that is absolute, otherwise from
    /// `Host`. Nil only in HTTP/1.0.
    public var authority: String? {
        head.authority.map { String(decoding: head.bytes[$0], as: UTF8.self) }
    }
}

extension Request {
    /// A request that comes from no socket: for tests of responders. Its body is all there.
    ///
    /// Throws ``RequestError`` if it could not have come over the wire.
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
            throw .malformed("The request is cut.")
        }
        self.init(
            head: head, peer: peer, client: peer.client, isFromProxy: isFromProxy, loop: loop,
            body: RequestBody(complete: body))
    }
}
