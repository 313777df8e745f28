/// Where the bytes of an original are.
public enum RenderSource: Sendable {
    /// An open, seekable descriptor. It is borrowed: never closed, and its file offset is neither used nor moved.
    case descriptor(Int32)
    /// The whole original in memory.
    case bytes([UInt8])
}
