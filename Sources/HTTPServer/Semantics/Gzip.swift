import CLinux

/// gzip compression (RFC 1952), by zlib.
enum Gzip {
    /// How much work to put into saving bytes.
    enum Effort: Int32 {
        /// For content compressed for each response: a page of 100 images (39,096 bytes) shrinks to 8,890 in 0.14 ms.
        /// zlib's default, 6, takes 0.32 ms and saves 38 bytes more; its fastest level, 1, takes 0.08 ms and saves
        /// 372 fewer.
        case fast = 4
        /// For content that is compressed once and sent often.
        case best = 9
    }

    /// Compresses `bytes`; nil if that saves less than a tenth, which would not be worth the decompression.
    /// Deterministic.
    static func compress(_ bytes: [UInt8], _ effort: Effort) -> [UInt8]? {
        let compressed = [UInt8](unsafeUninitializedCapacity: bytes.count / 10 * 9) { buffer, count in
            count = clinux_gzip(bytes, bytes.count, buffer.baseAddress, buffer.count, effort.rawValue)
        }
        return compressed.isEmpty ? nil : compressed
    }
}
