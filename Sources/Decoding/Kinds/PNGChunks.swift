import FileHeads
import Renditions

/// Finds excessive metadata in a PNG (third edition, §5.3) by skipping from chunk to chunk. Before it reports anything
/// about the image, libpng decompresses up to a thousand texts of up to 8 MB each, and reads an eXIf chunk byte by
/// byte: a file of a few megabytes would take gigabytes or half a minute.
enum PNGChunks {
    /// The maximum length in bytes of a chunk that is not needed for the pixels.
    static let maximumLength: Int64 = 1 << 20
    /// The maximum number of compressed texts to read; editors write one or two.
    static let texts = 12
    /// The maximum number of chunks to hide. No real image has more.
    private static let maximumExcess = 10_000

    /// The ranges of chunks to hide from the decoder: those that are too long, and compressed texts beyond the usual
    /// number. Stops at malformed data.
    ///
    /// - Parameter found: Called with the name and the contents' range of every other ancillary chunk.
    /// - Throws: `RenderError` with the reason `.damaged` if there are too many.
    static func excess(
        in reader: SourceReader, found: (ArraySlice<UInt8>, Range<Int64>) -> Void = { _, _ in }
    ) throws(RenderError) -> [Range<Int64>] {
        var excess: [Range<Int64>] = []
        var texts = 0
        var position: Int64 = 8
        while reader.seek(to: position, whence: 0) == position {
            let header = reader.chunk(upTo: 8)
            guard header.count == 8, let length = header.first(4) else { break }
            // The length is below 2^32 and the position below the file's length, so sums fit into 64 bits.
            let end = position + 12 + length
            let name = header[4..<8]
            let isText = name.elementsEqual("zTXt".utf8) || name.elementsEqual("iTXt".utf8)
            if isText { texts += 1 }
            // A lower-case first letter marks an ancillary chunk, which is not needed to display the image (§5.4).
            let isAncillary = name.first.map { $0 & 0x20 != 0 } ?? false
            if isAncillary && length > maximumLength || texts > Self.texts && isText {
                // A chunk that claims to extend beyond the end of the file is left for the decoder to report.
                guard end <= reader.length else { break }
                if let last = excess.last, last.upperBound == position {
                    excess[excess.count - 1] = last.lowerBound..<end
                } else {
                    excess.append(position..<end)
                }
                guard excess.count <= maximumExcess else {
                    throw RenderError(.damaged, "This picture is damaged and cannot be shown.", logDetail: "PNG chunks")
                }
            } else if isAncillary {
                found(name, position + 8..<position + 8 + length)
            }
            position = end
        }
        return excess
    }
}
