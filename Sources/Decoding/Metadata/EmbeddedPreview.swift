import CVips
import FileHeads
import Images
import Renditions

/// A smaller version of the whole image that a camera wrote into the same JPEG. Making a tile from it costs a fifth of
/// decoding all pixels.
enum EmbeddedPreview {
    /// The minimum reduction of the longer side; with less, its compression artefacts would be visible.
    private static let leastReduction = 2
    /// In pixels; larger versions save little.
    private static let longestSide = 4_096
    private static let maximumBytes = 4 << 20
    /// More versions than any camera writes.
    private static let maximumTried = 3

    /// The upright image with a longer side of `side` pixels; nil if there is no version that reliably shows the same.
    static func picture(of original: InspectedOriginal, side: Int, stop: RenderStop) -> Picture? {
        // The versions may have different colour profiles.
        guard original.kind == .jpeg, original.colours == .none, leastReduction * side <= longestSide else {
            return nil
        }
        let reader = original.reader
        let before = reader.position
        defer { _ = reader.seek(to: before, whence: 0) }
        guard let index = MultiPictureIndex(reader) else { return nil }
        let ranges = Set(index.thumbnails).sorted { $0.count < $1.count }.prefix(maximumTried)
        for range in ranges where range.count <= maximumBytes {
            guard let bytes = reader.slice(at: range.lowerBound, count: range.count),
                bytes.starts(with: JPEGSegment.signature)
            else { continue }
            if let picture = try? picture(Array(bytes), of: original, side: side, stop: stop) { return picture }
        }
        return nil
    }

    private static func picture(
        _ bytes: [UInt8], of original: InspectedOriginal, side: Int, stop: RenderStop
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
            source.handle, &made, Int32(side), VIPS_SIZE_DOWN, "[fail_on=truncated]", nil, VIPS_INTENT_RELATIVE)
        let picture = try Picture.checked(status, made).inEightBits().inMemory(stop: stop)
        guard
            let frame = EmbeddedThumbnail.Frame(
                of: picture, showing: original.storedWidth, by: original.storedHeight),
            max(frame.width, frame.height) == side
        else { return nil }
        return try frame.cut(from: picture, stop: stop).upright(original.orientation, stop: stop)
    }
}
