import FileHeads
import Images
import Renditions

/// Reads a JPEG's marker segments (ITU-T T.81, B.1) up to the first scan: the image's size and metadata. Takes only a
/// read of the file's head and no decoder; anything that it does not understand is left to the decoder.
struct JPEGHead {
    /// In pixels, as stored.
    let width: Int
    /// In pixels, as stored.
    let height: Int
    let metadata: PictureMetadata

    private static let xmp = Array("http://ns.adobe.com/xap/1.0/\0".utf8)
    private static let photoshop = Array("Photoshop 3.0\0".utf8)

    /// Nil unless the head is complete and states the image's size.
    init?(_ reader: SourceReader) {
        guard let segments = JPEGSegments(reader) else { return nil }
        var metadata = PictureMetadata()
        for segment in segments {
            switch segment.marker {
            case _ where segment.isFrame:
                // A height that is stated only after the first scan must be found by the decoder.
                guard let frame = JPEGFrame(segment, in: reader) else { return nil }
                (width, height) = (frame.width, frame.height)
                self.metadata = metadata
                return
            case 0xe1 where metadata.exif == nil || metadata.xmp == nil:
                guard let content = segment.content(in: reader) else { return nil }
                if metadata.exif == nil, content.starts(with: JPEGSegment.exif) {
                    metadata.exif = ExifMetadata(Array(content))
                } else if metadata.xmp == nil, content.starts(with: Self.xmp) {
                    metadata.xmp = XMPPacket(content.dropFirst(Self.xmp.count))
                }
            case 0xed where metadata.iptc == nil:
                guard let content = segment.content(in: reader) else { return nil }
                if content.starts(with: Self.photoshop) { metadata.iptc = IPTCRecord(content) }
            default: break
            }
        }
        return nil
    }

    /// - Parameter reader: The reader from which the head was read.
    func metadata(of reader: SourceReader) -> ImageMetadata {
        var result = ImageMetadata()
        metadata.describe(&result)
        let isSideways = (result.orientation ?? 1) >= 5
        result.width = isSideways ? height : width
        result.height = isSideways ? width : height
        result.mediaType = "image/jpeg"
        result.byteCount = reader.fileLength
        result.digest = reader.digest
        result.frames = 1
        result.isBroken = false
        result.readerVersion = ImageMetadata.currentReader
        return result
    }
}
