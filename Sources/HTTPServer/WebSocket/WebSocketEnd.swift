/// How a WebSocket ended.
public enum WebSocketEnd: Hashable, Sendable {
    /// The client closed it with this code (``WebSocketCloseCode/noStatus`` if it sent none) and reason.
    case closedByClient(WebSocketCloseCode, reason: String)
    /// The server closed it with this code: through ``WebSocket/close(_:reason:)``, or with
    /// ``WebSocketCloseCode/goingAway`` because the server is stopping.
    case closed(WebSocketCloseCode)
    /// The client violated the protocol, and was told so.
    case failed(WebSocketError)
    /// The connection broke off without a Close frame.
    case disconnected
    /// The client read nothing for ``HTTPServer/Configuration/writeTimeout``.
    case stalled
    /// The client sent nothing, not even the answer to a ping, for ``WebSocketConfiguration/silenceLimit``.
    case silent
}
