/// The bytes of an original.
public enum RenderSource: Sendable {
    /// An open, seekable descriptor. Borrowed: never closed, and its file offset is neither used nor changed.
    case descriptor(Int32)
    /// The whole original in memory.
    case bytes([UInt8])
}
