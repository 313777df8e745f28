/// Reads the number of frames of a PNG (third edition, §11.3.6.1: the chunk acTL of an animation). libvips's use of
/// libpng knows only the first frame.
enum PNGFrames {
    /// The maximum number of chunks visited: acTL comes before the pixels, near the palette and a few texts.
    private static let maximumChunks = 100

    /// 1 for a still image, and for a file whose chunks are malformed.
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
