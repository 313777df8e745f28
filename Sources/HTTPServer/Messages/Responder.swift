public import Clients
import HTTPTypes

/// Whoever answers requests: a ``Router``, ``StaticFiles``, or a type of your own.
public protocol Responder: Sendable {
    /// Called on the loop of the request's connection; must not block. The answer may come now or later, from any
    /// thread, through `reply`.
    func respond(to request: Request, reply: Reply)

    /// The answer to a plain request, where it can be told on the spot: it must be just what `respond` would answer, which
    /// is asked where this gives nil. It spares what a request costs that may have a body, wait, or be given up. Called on
    /// the loop of the request's connection; must not block.
    ///
    /// - Parameter client: who asks.
    func answerOnTheSpot(to request: PlainRequest, from client: Client) -> AnswerOnTheSpot?
}

extension Responder {
    /// None.
    public func answerOnTheSpot(to request: PlainRequest, from client: Client) -> AnswerOnTheSpot? { nil }
}

/// A GET in HTTP/1.1 without a body, after which the connection lives on, as it came.
public struct PlainRequest: Sendable {
    private let head: RequestHead

    init?(_ head: RequestHead) {
        guard head.method == .get, head.framing == .none, head.minorVersion == 1, head.keepsAlive,
            !head.asksForWebSocket
        else { return nil }
        self.head = head
    }

    /// The bytes of path, query and authority (RFC 9110 §7.2), as they came, still percent-encoded; valid within `body`.
    public func withTarget<Result>(
        _ body: (_ path: UnsafeRawBufferPointer, _ query: UnsafeRawBufferPointer?) -> Result
    ) -> Result {
        head.bytes.withUnsafeBytes { bytes in
            body(
                UnsafeRawBufferPointer(rebasing: bytes[head.path]),
                head.query.map { UnsafeRawBufferPointer(rebasing: bytes[$0]) })
        }
    }

    /// Host and port as the client names them; valid within `body`.
    public func withAuthority<Result>(_ body: (UnsafeRawBufferPointer?) -> Result) -> Result {
        head.bytes.withUnsafeBytes { bytes in
            body(head.authority.map { UnsafeRawBufferPointer(rebasing: bytes[$0]) })
        }
    }

    /// The field lines in their order, with the white space around the values cut off; valid within `body`.
    public func forEachField(_ body: (_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Void) {
        head.bytes.withUnsafeBytes { FieldLines(bytes: $0, start: head.fields).forEach(body) }
    }
}

/// A head that was written before, and the bytes that follow it.
public struct AnswerOnTheSpot: Sendable {
    let head: PreparedHead
    let body: [UInt8]

    public init(head: PreparedHead, body: [UInt8]) {
        self.head = head
        self.body = body
    }
}
