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

    /// No camera and no program writes so many.
    private static let maximumSegments = 1_024
    private static let xmp = Array("http://ns.adobe.com/xap/1.0/\0".utf8)
    private static let exif = Array("Exif\0\0".utf8)
    private static let photoshop = Array("Photoshop 3.0\0".utf8)

    static func begins(_ head: [UInt8]) -> Bool { head.starts(with: [0xff, 0xd8, 0xff]) }

    /// Nil unless the head is whole and names the picture's size.
    init?(_ reader: SourceReader) {
        guard Self.begins(reader.head) else { return nil }
        var metadata = PictureMetadata()
        var position: Int64 = 2
        for _ in 0..<Self.maximumSegments {
            // The marker, after any number of fill bytes, and the segment's length.
            guard let start = Self.bytes(of: reader, at: position, count: 2), start.first == 0xff,
                let marker = start.last
            else { return nil }
            if marker == 0xff {
                position += 1
                continue
            }
            guard let length = Self.bytes(of: reader, at: position + 2, count: 2).map(Self.number), length >= 2 else {
                return nil
            }
            let content = { Self.bytes(of: reader, at: position + 4, count: length - 2) }
            switch marker {
            case 0xc0...0xcf where ![0xc4, 0xc8, 0xcc].contains(marker):
                guard let frame = content(), frame.count >= 6 else { return nil }
                let first = frame.startIndex
                height = Self.number(frame[first + 1..<first + 3])
                width = Self.number(frame[first + 3..<first + 5])
                self.metadata = metadata
                // A height that is told after the first scan only the decoder finds.
                if width == 0 || height == 0 { return nil }
                return
            case 0xe1 where metadata.exif == nil || metadata.xmp == nil:
                guard let content = content() else { return nil }
                if metadata.exif == nil, content.starts(with: Self.exif) {
                    metadata.exif = ExifMetadata(Array(content))
                } else if metadata.xmp == nil, content.starts(with: Self.xmp) {
                    metadata.xmp = XMPPacket(content.dropFirst(Self.xmp.count))
                }
            case 0xed where metadata.iptc == nil:
                guard let content = content() else { return nil }
                if content.starts(with: Self.photoshop) { metadata.iptc = IPTCRecord(content) }
            // A scan or the end before any frame.
            case 0, 0x01, 0xd0...0xda: return nil
            default: break
            }
            position += 2 + Int64(length)
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

    /// Nil unless they are all there.
    private static func bytes(of reader: SourceReader, at position: Int64, count: Int) -> ArraySlice<UInt8>? {
        let end = position + Int64(count)
        if end <= Int64(reader.head.count) { return reader.head[Int(position)..<Int(end)] }
        guard end <= reader.length, reader.seek(to: position, whence: 0) == position else { return nil }
        let bytes = reader.chunk(upTo: count)
        return bytes.count == count ? bytes[...] : nil
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> Int { bytes.reduce(0) { $0 << 8 | Int($1) } }
}
