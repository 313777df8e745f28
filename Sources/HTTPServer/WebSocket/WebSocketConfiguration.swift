/// The limits of one WebSocket. Timeouts are checked about once a second. How long a client may read nothing is set
/// by the server's ``HTTPServer/Configuration/writeTimeout``.
public struct WebSocketConfiguration: Hashable, Sendable {
    /// The length of a client's message in bytes, all its fragments together. A longer one is rejected with
    /// ``WebSocketCloseCode/tooBig`` as soon as its length is known.
    public var maximumMessage = 65_536
    /// How long a client may be silent before it is pinged, and the interval between pings.
    public var pingInterval = Duration.seconds(20)
    /// How long a client may be silent altogether. Browsers answer pings by themselves.
    public var silenceLimit = Duration.seconds(60)
    /// How long a client may take to answer a Close frame, counted from ``WebSocket/close(_:reason:)``.
    public var closeTimeout = Duration.seconds(5)

    public init() {}
}
