/// The marker segments of a JPEG before its first scan (ITU-T T.81, B.1), one after the other, as far as they are all
/// there.
struct JPEGSegments: Sequence, IteratorProtocol {
    struct Segment {
        let marker: UInt8
        /// Where in the file its content begins, after marker and length.
        let position: Int64
        /// Bytes of its content.
        let count: Int

        /// A frame header, which tells the picture's size.
        var isFrame: Bool { (0xc0...0xcf).contains(marker) && ![0xc4, 0xc8, 0xcc].contains(marker) }

        /// Nil unless it is all there.
        func content(in reader: SourceReader) -> ArraySlice<UInt8>? { reader.slice(at: position, count: count) }
    }

    /// No camera and no program writes so many.
    private static let maximumCount = 1_024

    private let reader: SourceReader
    private var position: Int64 = 2
    private var count = 0

    /// Nil where the file is no JPEG.
    init?(_ reader: SourceReader) {
        guard Self.begin(reader.head) else { return nil }
        self.reader = reader
    }

    static func begin(_ head: [UInt8]) -> Bool { head.starts(with: [0xff, 0xd8, 0xff]) }

    mutating func next() -> Segment? {
        while count < Self.maximumCount {
            count += 1
            // The marker, after any number of fill bytes, and the segment's length.
            guard let start = reader.slice(at: position, count: 2), start.first == 0xff, let marker = start.last else {
                return nil
            }
            if marker == 0xff {
                position += 1
                continue
            }
            // A scan, or the end.
            guard marker > 0x01, !(0xd0...0xda).contains(marker),
                let length = reader.slice(at: position + 2, count: 2).map(Self.number), length >= 2
            else { return nil }
            defer { position += 2 + Int64(length) }
            return Segment(marker: marker, position: position + 4, count: length - 2)
        }
        return nil
    }

    /// Of bytes in the order of JPEG, the greatest first.
    static func number(_ bytes: ArraySlice<UInt8>) -> Int { bytes.reduce(0) { $0 << 8 | Int($1) } }
}
