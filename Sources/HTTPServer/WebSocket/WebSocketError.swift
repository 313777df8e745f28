/// A client's violation of RFC 6455 or of a limit. The client is sent a Close frame, and the connection ends.
public struct WebSocketError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The code in the Close frame.
    public let code: WebSocketCloseCode
    /// For the client: the reason in the Close frame. Reveals nothing about the server's internals.
    public let message: String

    /// 1002: a frame that violates RFC 6455.
    static func malformed(_ message: String) -> WebSocketError {
        WebSocketError(code: .protocolError, message: message)
    }

    /// 1007: text, or the reason of a Close frame, that is not UTF-8 (RFC 6455 §8.1).
    static let invalidText = WebSocketError(code: .invalidData, message: "The text is not UTF-8.")

    /// 1009: a message longer than `limit` bytes.
    static func tooBig(limit: Int) -> WebSocketError {
        WebSocketError(code: .tooBig, message: "The message is longer than \(limit) bytes.")
    }

    public var description: String { "\(code): \(message)" }
}
