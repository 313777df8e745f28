/// Counts the compressed texts of a PNG (PNG third edition, §11.3.3) by walking over its chunks. libpng unpacks each of
/// them, up to 8 MB and a thousand of them, before it says anything of the picture: a file of some megabytes becomes
/// gigabytes.
enum PNGChunks {
    private static let compressedTexts: Set<[UInt8]> = [Array("zTXt".utf8), Array("iTXt".utf8)]

    /// The number of such chunks, at most `limit` + 1. What breaks the format ends the count.
    static func compressedTexts(in reader: SourceReader, upTo limit: Int) -> Int {
        var texts = 0
        var position: Int64 = 8
        while texts <= limit, reader.seek(to: position, whence: 0) == position {
            let header = reader.chunk(upTo: 8)
            guard header.count == 8 else { break }
            if compressedTexts.contains(Array(header[4..<8])) { texts += 1 }
            // Below 2^32, and the position below the file's length: no sum leaves 64 bits.
            position += 12 + header[0..<4].reduce(0) { $0 << 8 | Int64($1) }
        }
        return texts
    }
}
