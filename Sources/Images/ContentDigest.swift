/// What a file's first bytes and its size say of its content: enough to know a file again that was moved with another
/// number and another time, as between two disks. Not proof against who makes two files alike on purpose; files that are
/// taken for each other are looked into all the same.
public struct ContentDigest: RawRepresentable, Hashable, Sendable, Codable {
    /// Bytes of the file that are digested, from its beginning: a camera's head with its times is among them.
    public static let headLength = 16 << 10

    public let rawValue: UInt64

    public init(rawValue: UInt64) {
        self.rawValue = rawValue
    }

    /// - Parameters:
    ///   - head: the file's first bytes: ``headLength`` of them, or all there are; what follows is of no account.
    ///   - size: bytes of the whole file.
    public init(head: UnsafeRawBufferPointer, size: Int64) {
        let head = UnsafeRawBufferPointer(rebasing: head.prefix(Self.headLength))
        var state = SplitMix.mixed(SplitMix.start, with: UInt64(bitPattern: size))
        let words = head.count / 8
        for word in 0..<words {
            state = SplitMix.mixed(
                state, with: UInt64(littleEndian: head.loadUnaligned(fromByteOffset: word * 8, as: UInt64.self)))
        }
        var rest: UInt64 = 0
        for byte in head[(words * 8)...] { rest = rest << 8 | UInt64(byte) }
        rawValue = SplitMix.mixed(state, with: rest)
    }
}
