/// What a ``BodyStream`` gives when it is asked for bytes.
public enum BodyPull: Sendable {
    /// The next bytes, at least one and no more than were asked for.
    case bytes([UInt8])
    /// None yet; `wake` will be called once when it is worth asking again.
    case pending
    /// There are no more: the body is whole.
    case finished
    /// The body is cut: the connection closes, in a way that no client can take for the end of a whole body.
    case aborted
}

/// How a body ended.
public enum BodyEnd: Hashable, Sendable {
    /// All of it has been handed to the kernel.
    case complete
    /// The client is gone.
    case disconnected
    /// It was cut: by the stream itself, because it gave another number of bytes than was declared, because the
    /// client read too slowly, or because the server stopped.
    case aborted
}

/// A body that is made while it is sent. Pull-based: bytes are asked for only when the socket can take them, so what
/// is cancelled is never sent.
public protocol BodyStream: AnyObject, Sendable {
    /// Bytes of memory that are held for this body alone until it ends; 0 if there are none, which is the default.
    /// Asked on the loop when the client does not take the body at once.
    var heldBytes: Int { get }

    /// The next bytes, no more than `limit`. Called on the loop of the connection, never again before it has
    /// returned; must not block. After `.pending`, `wake` is to be called once, from any thread, also during this
    /// call; later calls do nothing.
    func pull(upTo limit: Int, wake: @escaping @Sendable () -> Void) -> BodyPull

    /// Called exactly once, on the loop, after which there are no more pulls. Also when the body was never pulled, for
    /// instance in the answer to a HEAD request.
    func ended(_ end: BodyEnd)
}

extension BodyStream {
    public var heldBytes: Int { 0 }
}
