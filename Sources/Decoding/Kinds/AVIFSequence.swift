/// An AVIF file that is in the first place a sequence of frames (AV1 Image File Format, §6.3): its major brand is `avis`.
/// What is written for browsers has its first frame as a picture, too, and says so by the brand `avif`; a libheif that
/// looks at the major brand alone does not read it.
enum AVIFSequence {
    /// Whether the file says that it is one.
    static func begins(_ head: [UInt8]) -> Bool { head.dropFirst(4).starts(with: "ftypavis".utf8) }

    /// The file's beginning as that of the picture which the file has beside its frames; nil where it says of none.
    static func pictureHead(_ head: [UInt8]) -> [UInt8]? {
        guard begins(head), let length = head.first(4).map({ Int($0) }), length <= head.count else { return nil }
        let brands = stride(from: 16, through: length - 4, by: 4).map { head[$0..<$0 + 4] }
        guard brands.contains(where: { $0.elementsEqual("avif".utf8) }) else { return nil }
        var picture = head
        picture.replaceSubrange(8..<12, with: "avif".utf8)
        return picture
    }

    /// Boxes that are looked at. Before the samples of the first track stand some ten.
    private static let maximumBoxes = 200

    /// The samples of the first track (ISO/IEC 14496-12, §8.7.3.2); 1 where the boxes are not as they should be.
    static func frames(in reader: SourceReader) -> Int {
        var boxes = 0
        var range = 0..<reader.length
        for name in ["moov", "trak", "mdia", "minf", "stbl", "stsz"] {
            guard let inside = content(of: name, within: range, of: reader, &boxes) else { return 1 }
            range = inside
        }
        // Version and flags, the size of all samples, and then how many there are.
        guard range.count >= 12, reader.seek(to: range.lowerBound + 8, whence: 0) == range.lowerBound + 8 else {
            return 1
        }
        return reader.chunk(upTo: 4).first(4).map { max(1, Int($0)) } ?? 1
    }

    /// What is in the first box of this name.
    private static func content(
        of name: String, within range: Range<Int64>, of reader: SourceReader, _ boxes: inout Int
    ) -> Range<Int64>? {
        var position = range.lowerBound
        while position < range.upperBound, boxes < maximumBoxes, reader.seek(to: position, whence: 0) == position {
            boxes += 1
            let header = reader.chunk(upTo: 16)
            guard let short = header.first(4), header.count >= 8 else { return nil }
            // 1: the length follows in eight bytes. 0: up to the end of the file (§4.2).
            let long = short == 1 ? header.dropFirst(8).first(8) : nil
            let length = short == 0 ? range.upperBound - position : long ?? Int64(short)
            let start: Int64 = short == 1 ? 16 : 8
            guard length >= start, length <= range.upperBound - position else { return nil }
            if header[4..<8].elementsEqual(name.utf8) { return position + start..<position + length }
            position += length
        }
        return nil
    }
}

extension Collection<UInt8> {
    /// The first bytes as a number, the highest first; nil where there are fewer, or where it has no place in 63 bits.
    fileprivate func first(_ count: Int) -> Int64? {
        let bytes = prefix(count)
        guard bytes.count == count else { return nil }
        return Int64(exactly: bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
    }
}
