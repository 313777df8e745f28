/// The frame header of a JPEG (ITU-T T.81, B.2.2).
package struct JPEGFrame {
    /// In pixels, as stored.
    package let width: Int
    /// In pixels, as stored.
    package let height: Int
    let components: Int
    /// Bits of a sample.
    let precision: UInt8

    /// Nil unless the header is completely available and states a size: a height may follow only after the first scan.
    package init?(_ segment: JPEGSegment, in file: some RandomAccessBytes) {
        guard let content = segment.content(in: file), content.count >= 6 else { return nil }
        let start = content.startIndex
        precision = content[start]
        height = JPEGSegment.number(content[start + 1..<start + 3])
        width = JPEGSegment.number(content[start + 3..<start + 5])
        components = Int(content[start + 5])
        guard width > 0, height > 0 else { return nil }
    }
}
