import FileHeads

/// An AVIF file whose primary content is a sequence of frames (AV1 Image File Format, §6.3): its major brand is `avis`.
/// Files written for browsers contain their first frame as a still image as well, and declare that by the brand `avif`;
/// a libheif that checks only the major brand cannot read them.
enum AVIFSequence {
    /// Whether the major brand is `avis`.
    static func matches(_ head: [UInt8]) -> Bool { head.dropFirst(4).starts(with: "ftypavis".utf8) }

    /// The bytes that make the major brand that of a still image, by their positions, if the file declares one beside
    /// its frames; none otherwise.
    static func stillBrand(in head: [UInt8]) -> [Int64: UInt8] {
        guard matches(head), let length = head.first(4).map({ Int($0) }), length <= head.count else { return [:] }
        let brands = stride(from: 16, through: length - 4, by: 4).map { head[$0..<$0 + 4] }
        guard brands.contains(where: { $0.elementsEqual("avif".utf8) }) else { return [:] }
        return Dictionary(uniqueKeysWithValues: zip(Int64(8)..., "avif".utf8))
    }

    /// The maximum number of boxes visited. About ten precede the samples of the first track.
    private static let maximumBoxes = 200

    /// The number of samples in the first track (ISO/IEC 14496-12, §8.7.3.2); 1 if the boxes are malformed.
    static func frames(in reader: SourceReader) -> Int {
        var boxes = 0
        var range = 0..<reader.length
        for name in ["moov", "trak", "mdia", "minf", "stbl", "stsz"] {
            guard let inside = content(of: name, within: range, of: reader, &boxes) else { return 1 }
            range = inside
        }
        // Version and flags, then the size of all samples, then their number.
        guard range.count >= 12, reader.seek(to: range.lowerBound + 8, whence: 0) == range.lowerBound + 8 else {
            return 1
        }
        return reader.chunk(upTo: 4).first(4).map { max(1, Int($0)) } ?? 1
    }

    /// The contents of the first box with this name.
    private static func content(
        of name: String, within range: Range<Int64>, of reader: SourceReader, _ boxes: inout Int
    ) -> Range<Int64>? {
        for box in ISOBoxes(in: range, of: reader, upTo: maximumBoxes - boxes) {
            boxes += 1
            if box.isNamed(name) { return box.content }
        }
        return nil
    }
}
