/// How a WebSocket ended.
public enum WebSocketEnd: Hashable, Sendable {
    /// The client has closed it, with this code (``WebSocketCloseCode/noStatus`` if it gave none) and reason.
    case closedByClient(WebSocketCloseCode, reason: String)
    /// It was closed here with this code: by ``WebSocket/close(_:reason:)``, or with
    /// ``WebSocketCloseCode/goingAway`` because the server stops.
    case closed(WebSocketCloseCode)
    /// The client broke the protocol, and was told so.
    case failed(WebSocketError)
    /// The connection broke off without a word.
    case disconnected
    /// The client took no byte for ``HTTPServer/Configuration/writeTimeout``.
    case stalled
    /// The client said nothing, not even in answer to a ping, for ``WebSocketConfiguration/silenceLimit``.
    case silent
}
