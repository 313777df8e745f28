/// Why a WebSocket is closed (RFC 6455 §7.4 and IANA's registry of close codes).
public struct WebSocketCloseCode: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    public let rawValue: UInt16

    /// Nil for a number that a Close frame must not contain (RFC 6455 §7.4.2): below 1000, above 4999, reserved, or
    /// not yet defined.
    public init?(rawValue: UInt16) {
        switch rawValue {
        case 1000...1003, 1007...1014, 3000...4999: self.rawValue = rawValue
        default: return nil
        }
    }

    private init(_ rawValue: UInt16) { self.rawValue = rawValue }

    /// The purpose is fulfilled.
    public static let normal = WebSocketCloseCode(1000)
    /// An endpoint is going away: the server is stopping, or the user left the page.
    public static let goingAway = WebSocketCloseCode(1001)
    /// The other side violated the protocol.
    public static let protocolError = WebSocketCloseCode(1002)
    /// A type of data that is not accepted, such as binary where text is expected.
    public static let unsupportedData = WebSocketCloseCode(1003)
    /// The Close frame has no code. Represents an empty Close frame; the number itself is never sent.
    public static let noStatus = WebSocketCloseCode(1005)
    /// The data does not match the message's type: text that is not UTF-8.
    public static let invalidData = WebSocketCloseCode(1007)
    /// The message is well-formed but not acceptable.
    public static let policyViolation = WebSocketCloseCode(1008)
    /// The message is too big.
    public static let tooBig = WebSocketCloseCode(1009)
    /// The server could not fulfil the request.
    public static let internalError = WebSocketCloseCode(1011)
    /// The server is restarting; the client may reconnect.
    public static let serviceRestart = WebSocketCloseCode(1012)
    /// The server is overloaded; the client may reconnect later.
    public static let tryAgainLater = WebSocketCloseCode(1013)

    public var description: String { "\(rawValue)" }
}
