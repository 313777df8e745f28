/// A box of a file in the ISO base media file format (ISO/IEC 14496-12, §4.2).
package struct ISOBox {
    /// Four characters.
    package let name: ArraySlice<UInt8>
    /// The position of the box, which begins with its length, in the file.
    package let start: Int64
    /// The range of the contents in the file.
    package let content: Range<Int64>

    package func isNamed(_ text: String) -> Bool { name.elementsEqual(text.utf8) }
}

/// The boxes in a range of a file, or in a box, in order, as far as they are well-formed.
package struct ISOBoxes<Bytes: RandomAccessBytes>: Sequence, IteratorProtocol {
    private let file: Bytes
    private let end: Int64
    /// Where the next box begins: after the last one, unless something else follows that is not a box.
    package private(set) var position: Int64
    /// The number of boxes left to visit.
    private var left: Int

    package init(in range: Range<Int64>, of file: Bytes, upTo limit: Int) {
        self.file = file
        position = range.lowerBound
        end = range.upperBound
        left = limit
    }

    package mutating func next() -> ISOBox? {
        guard position < end, left > 0, let header = file.slice(at: position, count: 8), let short = header.first(4)
        else { return nil }
        left -= 1
        // 1: the length follows in eight bytes. 0: the box extends to the end of the file.
        let long = short == 1 ? file.slice(at: position + 8, count: 8)?.first(8) : nil
        let length = short == 0 ? end - position : short == 1 ? long ?? 0 : short
        let start: Int64 = short == 1 ? 16 : 8
        guard length >= start, length <= end - position else { return nil }
        defer { position += length }
        return ISOBox(name: header.suffix(4), start: position, content: position + start..<position + length)
    }
}

extension Collection<UInt8> {
    /// The first bytes as a big-endian number; nil if there are fewer, or it does not fit into 63 bits.
    package func first(_ count: Int) -> Int64? {
        let bytes = prefix(count)
        guard bytes.count == count, count <= 8 else { return nil }
        return Int64(exactly: bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
    }
}
