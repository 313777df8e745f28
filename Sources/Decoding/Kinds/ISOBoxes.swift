/// The boxes in a range of a file, or in a box (ISO/IEC 14496-12, §4.2), in order, as far as they are well-formed.
struct ISOBoxes: Sequence, IteratorProtocol {
    struct Box {
        /// Four characters.
        let name: ArraySlice<UInt8>
        /// The range of the contents in the file.
        let content: Range<Int64>

        func isNamed(_ text: String) -> Bool { name.elementsEqual(text.utf8) }
    }

    private let reader: SourceReader
    private let end: Int64
    private var position: Int64
    /// The number of boxes left to visit.
    private var left: Int

    init(in range: Range<Int64>, of reader: SourceReader, upTo limit: Int) {
        self.reader = reader
        position = range.lowerBound
        end = range.upperBound
        left = limit
    }

    mutating func next() -> Box? {
        guard position < end, left > 0, reader.seek(to: position, whence: 0) == position else { return nil }
        left -= 1
        let header = reader.chunk(upTo: 16)
        guard let short = header.first(4), header.count >= 8 else { return nil }
        // 1: the length follows in eight bytes. 0: the box extends to the end of the file.
        let long = short == 1 ? header.dropFirst(8).first(8) : nil
        let length = short == 0 ? end - position : long ?? Int64(short)
        let start: Int64 = short == 1 ? 16 : 8
        guard length >= start, length <= end - position else { return nil }
        defer { position += length }
        return Box(name: header[4..<8], content: position + start..<position + length)
    }
}

extension Collection<UInt8> {
    /// The first bytes as a big-endian number; nil if there are fewer, or it does not fit into 63 bits.
    func first(_ count: Int) -> Int64? {
        let bytes = prefix(count)
        guard bytes.count == count, count <= 8 else { return nil }
        return Int64(exactly: bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
    }
}
