import CBrotli

/// Compression as browsers take it where nobody reads along (RFC 7932), by Brotli's own library.
enum Brotli {
    /// All the front's scripts, 170 KB: 42 KB after 60 ms. The utmost, 11, would take 950 ms at each start for 3 KB less.
    private static let quality: Int32 = 9
    /// 256 KB: what is sent is hardly larger, and a larger window costs memory on both sides.
    private static let window: Int32 = 18

    /// `bytes` compressed; nil where that does not save a tenth. The same bytes always give the same result.
    static func compress(_ bytes: [UInt8]) -> [UInt8]? {
        let compressed = [UInt8](unsafeUninitializedCapacity: bytes.count / 10 * 9) { buffer, count in
            var written = buffer.count
            let isWhole = BrotliEncoderCompress(
                quality, window, BROTLI_MODE_TEXT, bytes.count, bytes, &written, buffer.baseAddress)
            count = isWhole == 0 ? 0 : written
        }
        return compressed.isEmpty ? nil : compressed
    }
}
