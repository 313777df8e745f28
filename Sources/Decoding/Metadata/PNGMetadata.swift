/// The metadata in a PNG's chunks: EXIF in `eXIf` (PNG third edition, §11.3.4.5), and XMP in an uncompressed `iTXt` (XMP
/// specification part 3, 1.1.5). The decoder finds only what precedes the pixels, and editors also append it.
struct PNGMetadata {
    private(set) var exif: ExifMetadata?
    private(set) var xmp: XMPPacket?

    /// The keyword, then neither compression, nor language, nor translated keyword.
    private static let xmpHead = Array("XML:com.adobe.xmp\0\0\0\0\0".utf8)

    /// Takes a chunk, unless the same kind of metadata was found before.
    ///
    /// - Parameter range: That of the chunk's contents in the file, at most ``PNGChunks/maximumLength`` bytes.
    mutating func take(_ name: ArraySlice<UInt8>, at range: Range<Int64>, of reader: SourceReader) {
        let isExif = name.elementsEqual("eXIf".utf8)
        guard isExif ? exif == nil : name.elementsEqual("iTXt".utf8) && xmp == nil,
            range.count <= Int(PNGChunks.maximumLength),
            let content = reader.slice(at: range.lowerBound, count: range.count)
        else { return }
        if isExif {
            exif = ExifMetadata(Array(content))
        } else if content.starts(with: Self.xmpHead) {
            xmp = XMPPacket(content.dropFirst(Self.xmpHead.count))
        }
    }
}
