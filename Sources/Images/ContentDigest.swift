/// A digest of bytes. Not collision-resistant: somebody could make two contents with the same digest on purpose, but
/// only for their own pictures.
public struct ContentDigest: OpaqueIdentifier {
    /// The number of first bytes of a file that ``init(head:size:)`` digests. They include the metadata that a camera
    /// writes, with its times.
    public static let headLength = 16 << 10

    public let rawValue: UInt64

    public init(rawValue: UInt64) {
        self.rawValue = rawValue
    }

    /// The digest of all bytes: equal bytes have equal digests on every node.
    public init(of bytes: UnsafeRawBufferPointer) {
        self.init(bytes, size: Int64(bytes.count))
    }

    /// The digest of the beginning of a file: enough to recognise a file that was moved and has another inode number
    /// and modification time, for example on another disk. Files with the same digest are indexed nevertheless.
    ///
    /// - Parameters:
    ///   - head: The first ``headLength`` bytes of the file, or all if it is shorter; further bytes are ignored.
    ///   - size: The size of the whole file in bytes.
    public init(head: UnsafeRawBufferPointer, size: Int64) {
        self.init(UnsafeRawBufferPointer(rebasing: head.prefix(Self.headLength)), size: size)
    }

    private init(_ bytes: UnsafeRawBufferPointer, size: Int64) {
        var state = SplitMix.mixed(SplitMix.start, with: UInt64(bitPattern: size))
        let words = bytes.count / 8
        for word in 0..<words {
            state = SplitMix.mixed(
                state, with: UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: word * 8, as: UInt64.self)))
        }
        var rest: UInt64 = 0
        for byte in bytes[(words * 8)...] { rest = rest << 8 | UInt64(byte) }
        rawValue = SplitMix.mixed(state, with: rest)
    }
}
