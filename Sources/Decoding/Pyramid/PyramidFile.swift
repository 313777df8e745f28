import Glibc
import Renditions

/// Writes a pyramid file: tiles in the order in which they are made, and finally the head with the index in front of
/// them.
struct PyramidFile {
    private let descriptor: Int32
    private let layout: PyramidLayout
    private var tiles: [Range<Int>]
    private var end: Int

    /// In bytes; a worker may not write more (`RLIMIT_FSIZE`).
    static let maximumLength = 512 << 20

    /// - Parameter descriptor: Open for writing; earlier contents are overwritten.
    init(_ descriptor: Int32, layout: PyramidLayout) throws(DecoderFailure) {
        self.descriptor = descriptor
        self.layout = layout
        tiles = Array(repeating: 0..<0, count: layout.tileCount)
        end = layout.indexEnd
    }

    mutating func append(_ tile: [UInt8], number: Int) throws(DecoderFailure) {
        guard end + tile.count <= Self.maximumLength else {
            throw DecoderFailure("tiles of more than \(Self.maximumLength) bytes", .bounds)
        }
        try write(tile, at: end)
        tiles[number] = end..<end + tile.count
        end += tile.count
    }

    func finish() throws(DecoderFailure) {
        try write(layout.head(tiles: tiles), at: 0)
    }

    private static func unwritten(_ operation: String, _ code: Int32) -> DecoderFailure {
        DecoderFailure("\(operation): \(String(cString: strerror(code)))", .output)
    }

    /// Does not use the file offset, which is shared with every other holder of the descriptor.
    private func write(_ bytes: [UInt8], at position: Int) throws(DecoderFailure) {
        let failure = bytes.withUnsafeBytes { buffer in
            var done = 0
            while done < buffer.count {
                let put = pwrite(descriptor, buffer.baseAddress! + done, buffer.count - done, position + done)
                if put > 0 {
                    done += put
                } else if put == 0 || errno != EINTR {
                    return errno
                }
            }
            return 0
        }
        guard failure == 0 else { throw Self.unwritten("pwrite", failure) }
    }
}
