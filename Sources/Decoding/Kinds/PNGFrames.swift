/// Reads how many frames a PNG has (third edition, §11.3.6.1: the chunk acTL of an animation). libpng, as libvips has it,
/// knows the first one alone.
enum PNGFrames {
    /// Chunks that are looked at: acTL stands before the pixels, beside the palette and some texts.
    private static let maximumChunks = 100

    /// 1 of a still picture, and of one whose chunks are not as they should be.
    static func count(in reader: SourceReader) -> Int {
        var position: Int64 = 8
        for _ in 0..<maximumChunks {
            guard reader.seek(to: position, whence: 0) == position else { return 1 }
            let start = reader.chunk(upTo: 12)
            guard start.count == 12 else { return 1 }
            let name = start[4..<8]
            if name.elementsEqual("acTL".utf8) { return max(1, Int(number(start[8..<12]))) }
            if name.elementsEqual("IDAT".utf8) { return 1 }
            position += 12 + number(start[0..<4])
        }
        return 1
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> Int64 { bytes.reduce(0) { $0 << 8 | Int64($1) } }
}
