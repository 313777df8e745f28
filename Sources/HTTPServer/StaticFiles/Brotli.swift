import CBrotli

/// Brotli compression (RFC 7932) by Google's library.
enum Brotli {
    /// 2^18 bytes: pages are smaller, and a larger window costs memory on both sides.
    private static let window: Int32 = 18

    /// Compresses `bytes` at the highest quality, which takes about 30 ms for 50 KB. Nil if that saves less than a
    /// tenth.
    static func compress(_ bytes: [UInt8]) -> [UInt8]? {
        let compressed = [UInt8](unsafeUninitializedCapacity: bytes.count / 10 * 9) { buffer, count in
            var written = buffer.count
            let isWhole = BrotliEncoderCompress(
                BROTLI_MAX_QUALITY, window, BROTLI_MODE_TEXT, bytes.count, bytes, &written, buffer.baseAddress)
            count = isWhole == 0 ? 0 : written
        }
        return compressed.isEmpty ? nil : compressed
    }
}
