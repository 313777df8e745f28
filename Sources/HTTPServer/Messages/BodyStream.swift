/// The result of pulling from a ``BodyStream``.
public enum BodyPull: Sendable {
    /// The next bytes: at least one, and no more than requested.
    case bytes([UInt8])
    /// None yet; `wake` will be called once when it is worth pulling again.
    case pending
    /// There are no more: the body is complete.
    case finished
    /// The body is cut off: the connection closes in a way that no client can mistake for a complete body.
    case aborted
    /// The disk did not answer in time. If nothing of the response has been sent, the client gets a 504; otherwise the
    /// body is cut as with ``aborted``.
    case timedOut
}

/// How a body ended.
public enum BodyEnd: Hashable, Sendable {
    /// All of it has been passed to the kernel.
    case complete
    /// The client has disconnected.
    case disconnected
    /// It was cut off: by the stream itself, because it produced more or fewer bytes than declared, because the
    /// client read too slowly, or because the server stopped.
    case aborted
}

/// A body produced while it is sent. Bytes are pulled only when the socket is writable, so cancelled bytes are never
/// sent.
public protocol BodyStream: AnyObject, Sendable {
    /// The bytes of memory held only for this body until it ends; 0 by default. Read on the loop when the client does
    /// not accept the body at once.
    var heldBytes: Int { get }

    /// Whether the bytes come from a file. The head of the response is then sent together with the first of them, so
    /// that a disk that does not answer can still be reported as an error. False by default.
    var readsFile: Bool { get }

    /// The next bytes, no more than `limit`. Called on the connection's loop, and never reentrantly; must not block.
    /// After `.pending`, call `wake` once, from any thread; calling it before returning is allowed, and repeated
    /// calls are no-ops.
    func pull(upTo limit: Int, wake: @escaping @Sendable () -> Void) -> BodyPull

    /// Called exactly once, on the loop; no pulls follow. Also called if the body was never pulled, for instance in
    /// the response to a HEAD request.
    func ended(_ end: BodyEnd)
}

extension BodyStream {
    public var heldBytes: Int { 0 }
    public var readsFile: Bool { false }
}
