/// What one WebSocket puts up with. Times are looked after about once a second. How long a client may take no byte is
/// the server's ``HTTPServer/Configuration/writeTimeout``.
public struct WebSocketConfiguration: Hashable, Sendable {
    /// Bytes of one message of the client, all its fragments together. A longer one is answered with
    /// ``WebSocketCloseCode/tooBig`` as soon as its length is known.
    public var maximumMessage = 65_536
    /// How long a client may say nothing before it is pinged, and then between two pings.
    public var pingInterval = Duration.seconds(20)
    /// How long a client may say nothing at all. A browser answers pings by itself.
    public var silenceLimit = Duration.seconds(60)
    /// How long a client may take to answer a Close frame, counted from ``WebSocket/close(_:reason:)``.
    public var closeTimeout = Duration.seconds(5)

    public init() {}
}
