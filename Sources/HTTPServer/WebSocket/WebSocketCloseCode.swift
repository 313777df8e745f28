/// Why a WebSocket is closed (RFC 6455 §7.4 and IANA's registry of close codes).
public struct WebSocketCloseCode: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    public let rawValue: UInt16

    /// Nil for a number that may not stand in a Close frame (RFC 6455 §7.4.2): below 1000, above 4999, reserved, or of
    /// nobody's definition yet.
    public init?(rawValue: UInt16) {
        switch rawValue {
        case 1000...1003, 1007...1014, 3000...4999: self.rawValue = rawValue
        default: return nil
        }
    }

    private init(_ rawValue: UInt16) { self.rawValue = rawValue }

    /// The purpose is fulfilled.
    public static let normal = WebSocketCloseCode(1000)
    /// An endpoint goes away: the server stops, or the page was left.
    public static let goingAway = WebSocketCloseCode(1001)
    /// The other side broke the protocol.
    public static let protocolError = WebSocketCloseCode(1002)
    /// A kind of data that is not taken here, such as binary where text is spoken.
    public static let unsupportedData = WebSocketCloseCode(1003)
    /// The Close frame has no code. It is received and sent as a frame without a body; the number itself never is.
    public static let noStatus = WebSocketCloseCode(1005)
    /// The bytes are not of the message's type: a text that is not UTF-8.
    public static let invalidData = WebSocketCloseCode(1007)
    /// The message is well-formed and not acceptable.
    public static let policyViolation = WebSocketCloseCode(1008)
    /// The message is too big.
    public static let tooBig = WebSocketCloseCode(1009)
    /// The server could not do what was asked.
    public static let internalError = WebSocketCloseCode(1011)
    /// The server restarts; come back.
    public static let serviceRestart = WebSocketCloseCode(1012)
    /// There is too much to do; come back later.
    public static let tryAgainLater = WebSocketCloseCode(1013)

    public var description: String { "\(rawValue)" }
}
