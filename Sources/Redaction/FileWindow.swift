import FileHeads
import Glibc

/// Reads a file in windows of 64 KiB. Used by one thread at a time.
final class FileWindow: RandomAccessBytes {
    private static let windowLength = 64 << 10

    private let descriptor: Int32
    private let length: Int64
    private var window: [UInt8] = []
    private var start: Int64 = 0

    init(_ descriptor: Int32, length: Int64) {
        self.descriptor = descriptor
        self.length = length
    }

    /// The bytes at a position. Nil unless all of them exist and can be read.
    func slice(at position: Int64, count: Int) -> ArraySlice<UInt8>? {
        guard position >= 0, count >= 0, Int64(count) <= length - position else { return nil }
        if position < start || position + Int64(count) > start + Int64(window.count) {
            start = position
            window = read(max(count, Int(min(Int64(Self.windowLength), length - position))), at: position)
        }
        let offset = Int(position - start)
        guard offset + count <= window.count else { return nil }
        return window[offset..<offset + count]
    }

    private func read(_ count: Int, at position: Int64) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            while filled < count {
                let got = pread(descriptor, buffer.baseAddress! + filled, count - filled, off_t(position) + filled)
                if got < 0, errno == EINTR { continue }
                guard got > 0 else { return }
                filled += got
            }
        }
    }
}
