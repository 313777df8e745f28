import CBrotli

/// Compression as browsers take it where nobody reads along (RFC 7932), by Brotli's own library.
enum Brotli {
    /// How much work a file is worth. Scripts of 236 KB: quick 58 KB after 40 ms, utmost 53 KB after 600 ms.
    enum Effort: Int32 {
        case quick = 9
        case utmost = 11
    }

    /// 256 KB: what is sent is hardly larger, and a larger window costs memory on both sides.
    private static let window: Int32 = 18

    /// `bytes` compressed; nil where that does not save a tenth. The same bytes always give the same result.
    static func compress(_ bytes: [UInt8], _ effort: Effort) -> [UInt8]? {
        let compressed = [UInt8](unsafeUninitializedCapacity: bytes.count / 10 * 9) { buffer, count in
            var written = buffer.count
            let isWhole = BrotliEncoderCompress(
                effort.rawValue, window, BROTLI_MODE_TEXT, bytes.count, bytes, &written, buffer.baseAddress)
            count = isWhole == 0 ? 0 : written
        }
        return compressed.isEmpty ? nil : compressed
    }
}
