/// The directories of a TIFF structure (TIFF 6.0 §2), which EXIF uses as well. No offset or count in it is trusted:
/// values outside the bytes count as absent.
package struct TIFFDirectories {
    /// The entries of one directory, by tag.
    package struct Directory {
        fileprivate var entries: [UInt16: Entry] = [:]
        /// The offset of the next directory; 0 or invalid if there is none.
        package fileprivate(set) var next: UInt32 = 0
    }

    fileprivate struct Entry {
        let type: UInt16
        let count: UInt32
        /// The position of the four bytes that hold the value or its offset.
        let position: Int
    }

    private static let maximumEntries = 512

    private let bytes: ArraySlice<UInt8>
    package let isLittleEndian: Bool
    /// Reads bytes that follow `bytes`, by position and count; nil where there are none.
    private let reading: ((Int, Int) -> ArraySlice<UInt8>?)?

    /// Parses a block that may begin with "Exif\0\0", as in a JPEG. Nil unless a TIFF header follows.
    ///
    /// - Parameter reading: Reads what follows the block.
    package init?(_ block: [UInt8], reading: ((Int, Int) -> ArraySlice<UInt8>?)? = nil) {
        self.reading = reading
        let isSegment = block.starts(with: JPEGSegment.exif)
        bytes = isSegment ? block.dropFirst(JPEGSegment.exif.count) : block[...]
        guard bytes.count >= 8 else { return nil }
        switch Array(bytes.prefix(4)) {
        case [0x49, 0x49, 0x2a, 0]: isLittleEndian = true
        case [0x4d, 0x4d, 0, 0x2a]: isLittleEndian = false
        default: return nil
        }
    }

    /// The first directory; in EXIF it describes the image.
    package var first: Directory? { word(at: 4).flatMap { directory(at: $0) } }

    package func directory(at offset: UInt32) -> Directory? {
        guard offset >= 8, let count = short(at: Int(offset)) else { return nil }
        var directory = Directory()
        for index in 0..<min(Int(count), Self.maximumEntries) {
            let position = Int(offset) + 2 + 12 * index
            guard let tag = short(at: position), let type = short(at: position + 2),
                let count = word(at: position + 4), word(at: position + 8) != nil
            else { break }
            directory.entries[tag] = Entry(type: type, count: count, position: position + 8)
        }
        directory.next = word(at: Int(offset) + 2 + 12 * Int(count)) ?? 0
        return directory
    }

    /// The values of a tag, as they are stored.
    package struct Value {
        package let tag: UInt16
        /// One of TIFF's types, 1 to 12.
        package let type: UInt16
        package let count: Int
        /// In the byte order of this structure.
        package let bytes: ArraySlice<UInt8>

        package init(tag: UInt16, type: UInt16, count: Int, bytes: ArraySlice<UInt8>) {
            self.tag = tag
            self.type = type
            self.count = count
            self.bytes = bytes
        }
    }

    /// The bytes of one value, by type (TIFF 6.0 §2); the first is not used.
    private static let widths = [0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8]

    /// Nil if the tag is absent, empty, or of an unknown type.
    package func value(_ tag: UInt16, in directory: Directory) -> Value? {
        guard let entry = directory.entries[tag], (1..<Self.widths.count).contains(Int(entry.type)),
            let bytes = content(of: entry, unit: Self.widths[Int(entry.type)])
        else { return nil }
        return Value(tag: tag, type: entry.type, count: Int(entry.count), bytes: bytes)
    }

    /// A tag's text: printable, without padding, at most 100 characters; nil if nothing is left.
    package func text(_ tag: UInt16, in directory: Directory) -> String? {
        guard let entry = directory.entries[tag], entry.type == 2, let content = content(of: entry, unit: 1) else {
            return nil
        }
        let letters = content.prefix(1024).prefix { $0 != 0 }
        let printable = String(decoding: letters, as: UTF8.self).unicodeScalars
            .filter { !($0.properties.generalCategory == .control) && $0 != "\u{fffd}" }
        var text = Substring(String(String.UnicodeScalarView(printable)))
        text = text.drop(while: \.isWhitespace)
        while let last = text.last, last.isWhitespace { text.removeLast() }
        return text.isEmpty ? nil : String(text.prefix(100))
    }

    /// The bytes of a tag that contains text or uninterpreted bytes.
    package func bytes(_ tag: UInt16, in directory: Directory) -> ArraySlice<UInt8>? {
        guard let entry = directory.entries[tag], [1, 2, 7].contains(entry.type) else { return nil }
        return content(of: entry, unit: 1)
    }

    /// The 32-bit numbers in the bytes of a tag, in the byte order of this structure.
    package func words(in value: ArraySlice<UInt8>) -> [UInt32] {
        stride(from: value.startIndex, to: value.endIndex - 3, by: 4).compactMap { word(at: $0 - bytes.startIndex) }
    }

    /// The first number of a tag that contains 8-, 16- or 32-bit numbers.
    package func number(_ tag: UInt16, in directory: Directory) -> UInt32? {
        guard let entry = directory.entries[tag], entry.count >= 1 else { return nil }
        switch entry.type {
        case 1: return content(of: entry, unit: 1).map { number($0.prefix(1)) }
        case 3: return content(of: entry, unit: 2).map { number($0.prefix(2)) }
        case 4: return content(of: entry, unit: 4).map { number($0.prefix(4)) }
        default: return nil
        }
    }

    /// The fractions of a tag; nil if their number is not `count`, or a denominator is zero.
    package func fractions(_ tag: UInt16, count: Int, in directory: Directory) -> [Double]? {
        guard let entry = directory.entries[tag], entry.type == 5, entry.count == count,
            let content = content(of: entry, unit: 8)
        else { return nil }
        var values: [Double] = []
        for index in 0..<count {
            let fraction = content.dropFirst(8 * index)
            let denominator = number(fraction.dropFirst(4).prefix(4))
            guard denominator != 0 else { return nil }
            values.append(Double(number(fraction.prefix(4))) / Double(denominator))
        }
        return values
    }

    /// The bytes at an offset from the TIFF header; nil if they are not all available.
    package func slice(at offset: UInt32, count: UInt32) -> ArraySlice<UInt8>? {
        content(at: Int(offset), count: Int(count))
    }

    /// An entry's values, which are in the entry itself if they fit into four bytes.
    private func content(of entry: Entry, unit: Int) -> ArraySlice<UInt8>? {
        // Both factors are below 2^32, so products and sums fit into 64 bits.
        let length = Int(entry.count) * unit
        guard length > 0 else { return nil }
        let start = length <= 4 ? entry.position : word(at: entry.position).map(Int.init)
        return start.flatMap { content(at: $0, count: length) }
    }

    private func content(at position: Int, count: Int) -> ArraySlice<UInt8>? {
        guard position >= 0 else { return nil }
        guard position + count <= bytes.count else { return reading?(position, count) }
        let start = bytes.startIndex + position
        return bytes[start..<start + count]
    }

    private func short(at position: Int) -> UInt16? {
        content(at: position, count: 2).map { UInt16(number($0)) }
    }

    private func word(at position: Int) -> UInt32? { content(at: position, count: 4).map(number) }

    private func number(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        isLittleEndian
            ? bytes.reversed().reduce(0) { $0 << 8 | UInt32($1) } : bytes.reduce(0) { $0 << 8 | UInt32($1) }
    }
}
