public import Clients
import HTTPTypes

/// Answers requests: a ``Router``, ``StaticFiles``, or a type of your own.
public protocol Responder: Sendable {
    /// Called on the loop of the request's connection; must not block. Send the response through `reply`, at once or
    /// later, from any thread.
    func respond(to request: Request, reply: Reply)

    /// The response to a plain request if it is available immediately; nil to use ``respond(to:reply:)``, which must
    /// give the same response. This avoids the cost of a request that may have a body, wait, or be cancelled. Called
    /// on the loop of the request's connection; must not block.
    ///
    /// - Parameter client: The client that sent the request.
    func respondImmediately(to request: PlainRequest, from client: ClientAddress) -> ImmediateResponse?
}

extension Responder {
    /// Returns nil.
    public func respondImmediately(to request: PlainRequest, from client: ClientAddress) -> ImmediateResponse? { nil }
}

/// An HTTP/1.1 GET without a body on a connection that stays open, as received.
public struct PlainRequest: Sendable {
    private let head: RequestHead

    init?(_ head: RequestHead) {
        guard head.method == .get, head.framing == .none, head.minorVersion == 1, head.keepsAlive,
            !head.requestsWebSocket
        else { return nil }
        self.head = head
    }

    /// Calls `body` with the bytes of path and query as received, still percent-encoded; valid only within `body`.
    public func withTarget<Result>(
        _ body: (_ path: UnsafeRawBufferPointer, _ query: UnsafeRawBufferPointer?) -> Result
    ) -> Result {
        head.bytes.withUnsafeBytes { bytes in
            body(
                UnsafeRawBufferPointer(rebasing: bytes[head.path]),
                head.query.map { UnsafeRawBufferPointer(rebasing: bytes[$0]) })
        }
    }

    /// Calls `body` with host and port as named by the client (RFC 9110 §7.2); valid only within `body`.
    public func withAuthority<Result>(_ body: (UnsafeRawBufferPointer?) -> Result) -> Result {
        head.bytes.withUnsafeBytes { bytes in
            body(head.authority.map { UnsafeRawBufferPointer(rebasing: bytes[$0]) })
        }
    }

    /// Calls `body` with each field line in order, without the white space around the value; valid only within
    /// `body`.
    public func forEachField(_ body: (_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Void) {
        head.bytes.withUnsafeBytes { FieldLines(bytes: $0, start: head.fields).forEach(body) }
    }
}

/// A prepared head, and the body that follows it.
public struct ImmediateResponse: Sendable {
    let head: PreparedHead
    let body: [UInt8]
    let route: String?

    /// - Parameter route: The pattern of the route that responds.
    public init(head: PreparedHead, body: [UInt8], route: String? = nil) {
        self.route = route
        self.head = head
        self.body = body
    }
}
