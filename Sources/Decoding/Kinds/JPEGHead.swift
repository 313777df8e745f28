import Images
import Renditions

/// A JPEG by its marker segments alone (ITU-T T.81, B.1), up to the first scan: what it measures and what is written beside
/// its pixels. It costs a read of the file's head, and no decoder is woken for it; what it does not understand is left to
/// the decoder.
struct JPEGHead {
    /// Pixels, as they are stored.
    let width: Int
    /// Pixels, as they are stored.
    let height: Int
    let metadata: PictureMetadata

    private static let xmp = Array("http://ns.adobe.com/xap/1.0/\0".utf8)
    private static let exif = Array("Exif\0\0".utf8)
    private static let photoshop = Array("Photoshop 3.0\0".utf8)

    /// Nil unless the head is whole and names the picture's size.
    init?(_ reader: SourceReader) {
        guard let segments = JPEGSegments(reader) else { return nil }
        var metadata = PictureMetadata()
        for segment in segments {
            switch segment.marker {
            case _ where segment.isFrame:
                guard let frame = segment.content(in: reader), frame.count >= 6 else { return nil }
                let first = frame.startIndex
                height = JPEGSegments.number(frame[first + 1..<first + 3])
                width = JPEGSegments.number(frame[first + 3..<first + 5])
                self.metadata = metadata
                // A height that is told after the first scan only the decoder finds.
                if width == 0 || height == 0 { return nil }
                return
            case 0xe1 where metadata.exif == nil || metadata.xmp == nil:
                guard let content = segment.content(in: reader) else { return nil }
                if metadata.exif == nil, content.starts(with: Self.exif) {
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

    /// - Parameter reader: the one that the head was read by.
    func facts(of reader: SourceReader) -> ImageFacts {
        var facts = ImageFacts()
        metadata.describe(&facts)
        let isSideways = (facts.orientation ?? 1) >= 5
        facts.width = isSideways ? height : width
        facts.height = isSideways ? width : height
        facts.mediaType = "image/jpeg"
        facts.byteCount = reader.fileLength
        facts.digest = reader.digest
        facts.frames = 1
        facts.isBroken = false
        facts.examination = ImageFacts.presentExamination
        return facts
    }
}
