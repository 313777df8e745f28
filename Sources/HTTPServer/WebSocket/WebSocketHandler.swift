/// What a connection does once it is a WebSocket: see ``Response/webSocket(for:subprotocols:configuration:handler:)``.
///
/// All calls come on the loop of the connection, one after the other, and must not block.
public protocol WebSocketHandler: AnyObject, Sendable {
    /// Called once, before anything else, when the client's handshake has been answered. Keep `socket` to wake or to
    /// close it.
    func opened(_ socket: WebSocket)

    /// A whole message of the client, no longer than ``WebSocketConfiguration/maximumMessage``. None comes after
    /// ``WebSocket/close(_:reason:)``.
    func received(_ message: WebSocketMessage)

    /// The next message to send; nil if there is none now.
    ///
    /// Asked only when the socket takes bytes, of which no more than ``HTTPServer/Configuration/unsentLowWater`` then wait
    /// in it, and when all before has been handed to the kernel, save less than 4 KB of small messages that go out together
    /// with this one: what is decided here is decided at the last moment.
    /// After nil it is asked again when a message has been received, or ``WebSocket/wake()`` was called.
    func nextMessage() -> WebSocketMessage.Outgoing?

    /// Called exactly once, and nothing is called after it. Without ``opened(_:)`` before it if the client went before
    /// its handshake was answered, or if another answer was sent instead.
    func ended(_ end: WebSocketEnd)
}
