/// Reads the directories of a TIFF file (TIFF 6.0 §2, and BigTIFF with its wider numbers). No offset or count in it is
/// trusted: what lies outside the file counts as absent.
struct TIFFReader {
    /// Bytes of the file by position and count; nil unless all of them exist.
    private let read: (Int64, Int) -> ArraySlice<UInt8>?
    private let isLittleEndian: Bool
    private let isBig: Bool
    /// The offset of the first directory; 0 if there is none.
    let first: UInt64

    /// More entries than any program writes.
    private static let maximumEntries = 1_024
    /// The maximum number of values read of one tag.
    private static let maximumValues = 64

    /// The entries of one directory.
    struct Directory {
        /// By tag; those that consist of whole numbers have them as values.
        var values: [UInt16: [UInt64]] = [:]
        /// The offset of the next directory; 0 if there is none.
        var next: UInt64 = 0
    }

    /// Nil unless the head is that of a TIFF.
    init?(head: [UInt8], read: @escaping (Int64, Int) -> ArraySlice<UInt8>?) {
        guard head.count >= 16 else { return nil }
        switch (head[0], head[1]) {
        case (UInt8(ascii: "I"), UInt8(ascii: "I")): isLittleEndian = true
        case (UInt8(ascii: "M"), UInt8(ascii: "M")): isLittleEndian = false
        default: return nil
        }
        let version = Self.number(head[2..<4], isLittleEndian)
        guard version == 42 || version == 43 else { return nil }
        isBig = version == 43
        first = Self.number(isBig ? head[8..<16] : head[4..<8], isLittleEndian)
        self.read = read
    }

    /// Nil if there is no directory at this offset. One whose entries are cut short has those that are there.
    func directory(at offset: UInt64) -> Directory? {
        let (countWidth, entryWidth, offsetWidth) = isBig ? (8, 20, 8) : (2, 12, 4)
        guard let count = number(at: offset, countWidth), count <= 65_536 else { return nil }
        var directory = Directory()
        let start = offset + UInt64(countWidth)
        directory.next = number(at: start + count * UInt64(entryWidth), offsetWidth) ?? 0
        for index in 0..<min(Int(count), Self.maximumEntries) {
            guard let entry = bytes(at: start + UInt64(index * entryWidth), entryWidth) else { break }
            let first = entry.startIndex
            // Of several entries with one tag, libtiff takes the first.
            let tag = UInt16(number(entry[first..<first + 2]))
            if directory.values[tag] == nil { directory.values[tag] = values(of: entry) ?? [] }
        }
        return directory
    }

    /// The values of an entry, which are in the entry itself if they fit; nil unless they are whole numbers.
    private func values(of entry: ArraySlice<UInt8>) -> [UInt64]? {
        let first = entry.startIndex
        let width: Int
        // BYTE, SHORT, LONG, IFD, LONG8, and IFD8.
        switch number(entry[first + 2..<first + 4]) {
        case 1: width = 1
        case 3: width = 2
        case 4, 13: width = 4
        case 16, 18: width = 8
        default: return nil
        }
        let field = entry[(first + (isBig ? 12 : 8))...]
        let count = number(entry[first + 4..<field.startIndex])
        guard count > 0 else { return nil }
        let length = width * Int(min(count, UInt64(Self.maximumValues)))
        let isInside = count <= UInt64(field.count / width)
        guard let content = isInside ? field.prefix(length) : bytes(at: number(field), length) else { return nil }
        return stride(from: content.startIndex, to: content.endIndex, by: width).map {
            number(content[$0..<$0 + width])
        }
    }

    private func bytes(at offset: UInt64, _ count: Int) -> ArraySlice<UInt8>? {
        // Far from overflowing: no file is longer.
        guard offset < 1 << 62 else { return nil }
        return read(Int64(offset), count)
    }

    private func number(at offset: UInt64, _ width: Int) -> UInt64? { bytes(at: offset, width).map(number) }

    private func number(_ bytes: ArraySlice<UInt8>) -> UInt64 { Self.number(bytes, isLittleEndian) }

    private static func number(_ bytes: ArraySlice<UInt8>, _ isLittleEndian: Bool) -> UInt64 {
        isLittleEndian
            ? bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) } : bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }
}
