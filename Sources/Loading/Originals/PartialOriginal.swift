import BlockingIO
import Images

/// The result of one pull from a partial original.
public enum PartialOriginalPull: Sendable {
    case bytes([UInt8])
    /// No bytes are available yet. The wake closure will be called once.
    case pending
    /// All bytes have been pulled.
    case finished
    /// The original will not be completed. The bytes already pulled are void.
    case failed(LoadFailure)
}

/// A reader of an original that is still arriving, from its first byte on. It keeps the fetch alive until it is closed
/// or released, buffers almost nothing, and does not delay others when it is slow.
public final class PartialOriginal: Sendable {
    /// The total length in bytes, if the origin declared one.
    public let declaredLength: Int64?
    /// The media type, detected from the first bytes.
    public let mediaType: String?
    /// The content version; nil if the response head does not identify it.
    public let version: ContentVersion?

    private let reader: SpoolReader
    private let onClose: @Sendable () -> Void

    init(spool: Spool, pool: BlockingPool, onClose: @escaping @Sendable () -> Void) {
        declaredLength = spool.declaredLength
        mediaType = spool.mediaType
        version = spool.headVersion
        reader = SpoolReader(spool: spool, pool: pool)
        self.onClose = onClose
    }

    deinit { close() }

    /// Returns the next bytes without ever blocking. Calls must not overlap.
    ///
    /// - Parameters:
    ///   - count: The maximum number of bytes.
    ///   - wake: Called once from any thread when the result was `.pending` and a new pull makes sense.
    public func pull(upTo count: Int, wake: @escaping @Sendable () -> Void) -> PartialOriginalPull {
        reader.pull(upTo: count, wake: wake)
    }

    /// Closes the reader; the last one to close ends the fetch. Any thread; may be called repeatedly.
    public func close() {
        if reader.close() { onClose() }
    }
}
