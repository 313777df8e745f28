/// A message of a client, whole, whatever its fragments were (RFC 6455 §5.4).
public enum WebSocketMessage: Hashable, Sendable {
    /// Checked to be UTF-8 while it came (RFC 6455 §8.1).
    case text(String)
    case binary([UInt8])

    /// A message to a client. It goes out as one frame.
    public enum Outgoing: Hashable, Sendable {
        case text(String)
        /// The bytes of `head`, then those of `body`. A body of more than a kilobyte is shared with whoever else holds it
        /// and not copied; both are handed to the kernel in one call.
        case binary(head: [UInt8], body: [UInt8])
    }
}
