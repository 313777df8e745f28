/// Counts the pages of a TIFF (TIFF 6.0 §2; BigTIFF, whose numbers are wider) by following its chain of directories.
/// libvips reads each directory whole before it says how many there are, at a cost that grows with their square.
enum TIFFPages {
    /// The number of directories, at most `limit` + 1. What breaks the format ends the count, and a chain that runs in a
    /// circle has more than any limit.
    static func count(in reader: SourceReader, upTo limit: Int) -> Int {
        let head = reader.head
        guard head.count >= 16 else { return 0 }
        let isLittleEndian = head[0] == UInt8(ascii: "I")
        func number(_ bytes: ArraySlice<UInt8>) -> UInt64 {
            isLittleEndian
                ? bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) } : bytes.reduce(0) { $0 << 8 | UInt64($1) }
        }
        func read(at position: UInt64, _ width: Int) -> UInt64? {
            guard let start = Int64(exactly: position), reader.seek(to: start, whence: 0) == start else { return nil }
            let bytes = reader.chunk(upTo: width)
            return bytes.count == width ? number(bytes[...]) : nil
        }
        let isBig = number(head[2..<4]) == 43
        let (countWidth, entryWidth, offsetWidth) = isBig ? (8, 20, 8) : (2, 12, 4)
        var next = number(isBig ? head[8..<16] : head[4..<8])
        var pages = 0
        while next != 0, pages <= limit, let entries = read(at: next, countWidth) {
            pages += 1
            // No directory has more entries than there are tags.
            guard entries <= 65_536, next <= UInt64(reader.length) else { break }
            next = read(at: next + UInt64(countWidth) + entries * UInt64(entryWidth), offsetWidth) ?? 0
        }
        return pages
    }
}
