/// The application's side of a WebSocket: see ``Response/webSocket(for:subprotocols:configuration:handler:)``.
///
/// All methods are called on the loop of the connection, one at a time, and must not block.
public protocol WebSocketHandler: AnyObject, Sendable {
    /// Called once, before anything else, when the client's handshake has been answered. Keep `socket` to wake or
    /// close it.
    func opened(_ socket: WebSocket)

    /// A complete message from the client, no longer than ``WebSocketConfiguration/maximumMessage``. None follows
    /// ``WebSocket/close(_:reason:)``.
    func received(_ message: WebSocketMessage)

    /// The next message to send; nil if there is none now.
    ///
    /// Called only when the socket is writable, with at most ``HTTPServer/Configuration/unsentLowWater`` bytes
    /// waiting in it, and when everything before has been passed to the kernel, except for less than 4 KB of small
    /// messages that go out together with this one. Messages are thus chosen at the last moment. After nil, it is
    /// called again when a message has been received or ``WebSocket/wake()`` has been called.
    func nextMessage() -> WebSocketMessage.Outgoing?

    /// Called exactly once, as the last call. ``opened(_:)`` does not precede it if the client disconnected before
    /// its handshake was answered, or if another response was sent instead.
    func ended(_ end: WebSocketEnd)
}
