import Images

/// What one pull of a growing original found.
public enum GrowingPull: Sendable {
    case bytes([UInt8])
    /// Nothing is there yet; the wake closure will be called, once.
    case pending
    /// Everything was pulled.
    case finished
    /// The original will not become whole; what was pulled is void.
    case failed(LoadFailure)
}

/// A reader of an original that is still arriving, from its first byte on. It keeps the fetch alive until it is closed
/// or let go of, holds next to no bytes, and delays nobody by being slow.
public final class GrowingOriginal: Sendable {
    /// The whole length in bytes, if the origin declared one.
    public let declaredLength: Int64?
    /// What the bytes are, by looking at the first of them.
    public let mediaType: String?
    /// Nil where the origin gave nothing to tell it by ahead of the bytes.
    public let version: ContentVersion?

    private let reader: SpoolReader
    private let onClose: @Sendable () -> Void

    init(spool: Spool, lane: BlockingLane, onClose: @escaping @Sendable () -> Void) {
        declaredLength = spool.declaredLength
        mediaType = spool.mediaType
        version = spool.headVersion
        reader = SpoolReader(spool: spool, lane: lane)
        self.onClose = onClose
    }

    deinit { close() }

    /// The next bytes, without ever blocking. Calls must not overlap.
    ///
    /// - Parameters:
    ///   - count: Bytes wanted at most.
    ///   - wake: Called once from any thread when `.pending` was answered and a new pull makes sense.
    public func pull(upTo count: Int, wake: @escaping @Sendable () -> Void) -> GrowingPull {
        reader.pull(upTo: count, wake: wake)
    }

    /// Lets go of the original; the last to do so ends the fetch. Any thread, as often as one likes.
    public func close() {
        if reader.close() { onClose() }
    }
}
