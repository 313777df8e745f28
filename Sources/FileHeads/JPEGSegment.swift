/// One marker segment of a JPEG (ITU-T T.81, B.1.1.3).
package struct JPEGSegment {
    /// How a JPEG begins: the marker of its start, and the next marker's first byte.
    package static let signature: [UInt8] = [0xff, 0xd8, 0xff]

    /// How the contents of a segment with Exif data begin (CIPA DC-008, 4.7.2).
    package static let exif = Array("Exif\0\0".utf8)

    package let marker: UInt8
    /// The position of the contents in the file, after the marker and the length.
    package let position: Int64
    /// The length of the contents in bytes.
    package let count: Int

    package init(marker: UInt8, position: Int64, count: Int) {
        self.marker = marker
        self.position = position
        self.count = count
    }

    /// Whether this is a frame header, which states the image's size.
    package var isFrame: Bool { (0xc0...0xcf).contains(marker) && ![0xc4, 0xc8, 0xcc].contains(marker) }

    /// Nil unless the contents are completely available.
    package func content(in file: some RandomAccessBytes) -> ArraySlice<UInt8>? {
        file.slice(at: position, count: count)
    }

    /// A big-endian number, as in JPEG.
    package static func number(_ bytes: ArraySlice<UInt8>) -> Int { bytes.reduce(0) { $0 << 8 | Int($1) } }
}
