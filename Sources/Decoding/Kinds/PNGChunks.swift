import Renditions

/// What a PNG (third edition, §5.3) carries beside its picture, by walking over its chunks. libpng unpacks each compressed
/// text, up to 8 MB and a thousand of them, and reads an eXIf chunk byte by byte, all before it says anything of the
/// picture: a file of some megabytes becomes gigabytes or half a minute.
enum PNGChunks {
    /// Bytes of one chunk that is not needed for the pixels.
    static let longest: Int64 = 1 << 20
    /// Compressed texts that are read; editors write one or two.
    static let texts = 12
    /// Chunks that may be passed over. A file with more is no picture that anybody made.
    private static let maximumExcess = 10_000

    /// Where the chunks are that a decoder need not see: those that are too long, and compressed texts beyond what is
    /// usual. What breaks the format ends the walk.
    ///
    /// - Throws: `RenderError` with the reason `.damaged` when there is no end of them.
    static func excess(in reader: SourceReader) throws(RenderError) -> [Range<Int64>] {
        var excess: [Range<Int64>] = []
        var texts = 0
        var position: Int64 = 8
        while reader.seek(to: position, whence: 0) == position {
            let header = reader.chunk(upTo: 8)
            guard header.count == 8 else { break }
            // Below 2^32, and the position below the file's length: no sum leaves 64 bits.
            let length = header[0..<4].reduce(0) { $0 << 8 | Int64($1) }
            let end = position + 12 + length
            let name = header[4..<8]
            let isText = name.elementsEqual("zTXt".utf8) || name.elementsEqual("iTXt".utf8)
            if isText { texts += 1 }
            // A small first letter: the picture can be shown without it (§5.4).
            let isAncillary = name.first.map { $0 & 0x20 != 0 } ?? false
            if isAncillary && length > longest || texts > Self.texts && isText {
                // A chunk that claims to go beyond the end is left to the decoder to complain of.
                guard end <= reader.length else { break }
                if let last = excess.last, last.upperBound == position {
                    excess[excess.count - 1] = last.lowerBound..<end
                } else {
                    excess.append(position..<end)
                }
                guard excess.count <= maximumExcess else {
                    throw RenderError(.damaged, "This picture is damaged and cannot be shown.", logDetail: "PNG chunks")
                }
            }
            position = end
        }
        return excess
    }
}
