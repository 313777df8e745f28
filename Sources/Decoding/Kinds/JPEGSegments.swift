/// The marker segments of a JPEG before its first scan (ITU-T T.81, B.1), in order, as far as they are available.
struct JPEGSegments: Sequence, IteratorProtocol {
    struct Segment {
        let marker: UInt8
        /// The position of the contents in the file, after the marker and the length.
        let position: Int64
        /// The length of the contents in bytes.
        let count: Int

        /// Whether this is a frame header, which states the image's size.
        var isFrame: Bool { (0xc0...0xcf).contains(marker) && ![0xc4, 0xc8, 0xcc].contains(marker) }

        /// Nil unless the contents are completely available.
        func content(in reader: SourceReader) -> ArraySlice<UInt8>? { reader.slice(at: position, count: count) }
    }

    /// More segments than any camera or program writes.
    private static let maximumCount = 1_024

    private let reader: SourceReader
    private var position: Int64 = 2
    private var count = 0

    /// Nil if the file is not a JPEG.
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
            // Stop at a scan, or at the end of the image.
            guard marker > 0x01, !(0xd0...0xda).contains(marker),
                let length = reader.slice(at: position + 2, count: 2).map(Self.number), length >= 2
            else { return nil }
            defer { position += 2 + Int64(length) }
            return Segment(marker: marker, position: position + 4, count: length - 2)
        }
        return nil
    }

    /// A big-endian number, as in JPEG.
    static func number(_ bytes: ArraySlice<UInt8>) -> Int { bytes.reduce(0) { $0 << 8 | Int($1) } }
}
