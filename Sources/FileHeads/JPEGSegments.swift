/// The marker segments of a JPEG before its first scan (ITU-T T.81, B.1), in order, as far as they are available.
package struct JPEGSegments<Bytes: RandomAccessBytes>: Sequence, IteratorProtocol {
    /// More segments than any camera or program writes.
    private static var maximumCount: Int { 1_024 }

    private let file: Bytes
    /// The position of the next marker.
    package private(set) var position: Int64 = 2
    private var count = 0

    /// Nil if the file is not a JPEG.
    package init?(_ file: Bytes) {
        guard let start = file.slice(at: 0, count: 3), start.elementsEqual(JPEGSegment.signature) else { return nil }
        self.file = file
    }

    package mutating func next() -> JPEGSegment? {
        while count < Self.maximumCount {
            count += 1
            // The marker, after any number of fill bytes, and the segment's length.
            guard let start = file.slice(at: position, count: 2), start.first == 0xff, let marker = start.last else {
                return nil
            }
            if marker == 0xff {
                position += 1
                continue
            }
            // Stop at a scan, or at the end of the image.
            guard marker > 0x01, !(0xd0...0xda).contains(marker),
                let length = file.slice(at: position + 2, count: 2).map(JPEGSegment.number), length >= 2
            else { return nil }
            defer { position += 2 + Int64(length) }
            return JPEGSegment(marker: marker, position: position + 4, count: length - 2)
        }
        return nil
    }
}
