/// A complete message from a client, whatever its fragments were (RFC 6455 §5.4).
public enum WebSocketMessage: Hashable, Sendable {
    /// Validated as UTF-8 while it arrived (RFC 6455 §8.1).
    case text(String)
    case binary([UInt8])

    /// A message to a client, sent as one frame.
    public enum Outgoing: Hashable, Sendable {
        case text(String)
        /// The bytes of `head`, then those of `body`. A body longer than a kilobyte is shared rather than copied;
        /// both are passed to the kernel in one call.
        case binary(head: [UInt8], body: [UInt8])
    }
}
