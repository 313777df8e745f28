import CVips
import Renditions

/// A smaller size of the whole picture that a camera wrote into the same JPEG: what the grid shows is made of it for a
/// fifth of decoding all pixels.
enum EmbeddedPreview {
    /// Of less than so many times the pixels on the longer side, what its encoding lost would be seen.
    private static let leastReduction = 2
    /// Pixels; larger ones save little.
    private static let longestSide = 4_096
    private static let maximumBytes = 4 << 20
    /// No camera writes more sizes.
    private static let mostTried = 3

    /// The picture upright, `side` pixels on its longer side; nil where there is none that can be trusted to show the same
    /// as well.
    static func picture(of original: Examination, side: Int, stop: RenderStop) -> Picture? {
        // Of such, the profile of the one may not be that of the other.
        guard original.kind == .jpeg, !original.needsColourConversion, leastReduction * side <= longestSide else {
            return nil
        }
        let reader = original.reader
        let before = reader.position
        defer { _ = reader.seek(to: before, whence: 0) }
        guard let index = MultiPictureIndex(reader) else { return nil }
        let ranges = Set(index.thumbnails).sorted { $0.count < $1.count }.prefix(mostTried)
        for range in ranges where range.count <= maximumBytes {
            guard let bytes = reader.slice(at: range.lowerBound, count: range.count), JPEGSegments.begin(Array(bytes))
            else { continue }
            if let picture = try? picture(Array(bytes), of: original, side: side, stop: stop) { return picture }
        }
        return nil
    }

    private static func picture(
        _ bytes: [UInt8], of original: Examination, side: Int, stop: RenderStop
    ) throws -> Picture? {
        let source = try DecoderSource(try SourceReader(.bytes(bytes), stop: stop))
        guard source.sniffedKind() == .jpeg, let opened = cvips_image_open(source.handle, VIPS_FAIL_ON_TRUNCATED) else {
            throw DecoderFailure()
        }
        let header = Picture(owning: opened)
        let longest = max(header.width, header.height)
        guard header.isPlainJPEG, longest >= leastReduction * side, longest <= longestSide else { return nil }
        var made: UnsafeMutablePointer<VipsImage>?
        let status = cvips_thumbnail_source(
            source.handle, &made, Int32(side), VIPS_SIZE_DOWN, "[fail_on=truncated]", nil)
        let picture = try Picture.checked(status, made).inEightBits().inMemory(stop: stop)
        guard
            let frame = EmbeddedThumbnail.Frame(
                of: picture, showing: original.storedWidth, by: original.storedHeight),
            max(frame.width, frame.height) == side
        else { return nil }
        return try frame.cut(from: picture, stop: stop).upright(original.orientation, stop: stop)
    }
}
