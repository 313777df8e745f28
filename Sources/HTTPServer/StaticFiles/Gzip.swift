import CLinux

/// Compression as browsers take it (RFC 1952), by zlib.
enum Gzip {
    /// `bytes` compressed as well as zlib can; nil if that does not make them smaller. The same bytes always give the
    /// same result.
    static func compress(_ bytes: [UInt8]) -> [UInt8]? {
        let compressed = [UInt8](unsafeUninitializedCapacity: bytes.count) { buffer, count in
            count = clinux_gzip(bytes, bytes.count, buffer.baseAddress, buffer.count)
        }
        return compressed.isEmpty ? nil : compressed
    }
}
