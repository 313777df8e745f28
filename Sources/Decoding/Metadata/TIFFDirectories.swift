/// The directories of a TIFF structure (TIFF 6.0 §2), which is also how EXIF keeps what it knows. Every offset and count
/// in it comes from a stranger: what lies outside of the bytes is as good as absent.
struct TIFFDirectories {
    /// The entries of one directory, by tag.
    struct Directory {
        fileprivate var entries: [UInt16: Entry] = [:]
        /// Where the following directory is; 0 or nonsense if there is none.
        fileprivate(set) var next: UInt32 = 0
    }

    fileprivate struct Entry {
        let type: UInt16
        let count: UInt32
        /// Where the four bytes are that hold the value or its offset.
        let position: Int
    }

    private static let maximumEntries = 512

    private let bytes: ArraySlice<UInt8>
    private let isLittleEndian: Bool

    /// Reads from a block that may begin with "Exif\0\0", as in a JPEG. Nil unless a TIFF header follows.
    init?(_ block: [UInt8]) {
        let prefix: [UInt8] = [0x45, 0x78, 0x69, 0x66, 0, 0]
        bytes = block.starts(with: prefix) ? block.dropFirst(prefix.count) : block[...]
        guard bytes.count >= 8 else { return nil }
        switch Array(bytes.prefix(4)) {
        case [0x49, 0x49, 0x2a, 0]: isLittleEndian = true
        case [0x4d, 0x4d, 0, 0x2a]: isLittleEndian = false
        default: return nil
        }
    }

    /// The first directory; for EXIF it describes the picture.
    var first: Directory? { word(at: 4).flatMap { directory(at: $0) } }

    func directory(at offset: UInt32) -> Directory? {
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

    /// The text of a tag: printable, without the padding, at most 100 characters; nil if nothing is left.
    func text(_ tag: UInt16, in directory: Directory) -> String? {
        guard let entry = directory.entries[tag], entry.type == 2, let range = range(of: entry, unit: 1) else {
            return nil
        }
        let letters = bytes[range].prefix(1024).prefix { $0 != 0 }
        let printable = String(decoding: letters, as: UTF8.self).unicodeScalars
            .filter { !($0.properties.generalCategory == .control) && $0 != "\u{fffd}" }
        var text = Substring(String(String.UnicodeScalarView(printable)))
        text = text.drop(while: \.isWhitespace)
        while let last = text.last, last.isWhitespace { text.removeLast() }
        return text.isEmpty ? nil : String(text.prefix(100))
    }

    /// The bytes of a tag that holds a text or bytes without a meaning of their own.
    func bytes(_ tag: UInt16, in directory: Directory) -> ArraySlice<UInt8>? {
        guard let entry = directory.entries[tag], [1, 2, 7].contains(entry.type) else { return nil }
        return range(of: entry, unit: 1).map { bytes[$0] }
    }

    /// The numbers of 32 bits that bytes of a tag hold, in the order of the bytes of this structure.
    func words(in value: ArraySlice<UInt8>) -> [UInt32] {
        stride(from: value.startIndex, to: value.endIndex - 3, by: 4).compactMap { word(at: $0 - bytes.startIndex) }
    }

    /// The first number of a tag that holds bytes, 16 or 32 bits.
    func number(_ tag: UInt16, in directory: Directory) -> UInt32? {
        guard let entry = directory.entries[tag], entry.count >= 1 else { return nil }
        switch entry.type {
        case 1: return range(of: entry, unit: 1).map { UInt32(bytes[$0.lowerBound]) }
        case 3:
            return range(of: entry, unit: 2).flatMap { short(at: $0.lowerBound - bytes.startIndex).map(UInt32.init) }
        case 4: return range(of: entry, unit: 4).flatMap { word(at: $0.lowerBound - bytes.startIndex) }
        default: return nil
        }
    }

    /// The fractions of a tag; nil if there are not `count` or one of them has no value.
    func fractions(_ tag: UInt16, count: Int, in directory: Directory) -> [Double]? {
        guard let entry = directory.entries[tag], entry.type == 5, entry.count == count,
            let range = range(of: entry, unit: 8)
        else { return nil }
        var values: [Double] = []
        for index in 0..<count {
            let position = range.lowerBound - bytes.startIndex + 8 * index
            guard let numerator = word(at: position), let denominator = word(at: position + 4), denominator != 0
            else { return nil }
            values.append(Double(numerator) / Double(denominator))
        }
        return values
    }

    /// The bytes between two offsets from the TIFF header; nil where they are not all there.
    func slice(at offset: UInt32, count: UInt32) -> ArraySlice<UInt8>? {
        let start = bytes.startIndex + Int(offset)
        let end = start + Int(count)
        guard end <= bytes.endIndex else { return nil }
        return bytes[start..<end]
    }

    /// Where the values of an entry are; they are in the entry itself if they fit into four bytes.
    private func range(of entry: Entry, unit: Int) -> Range<Int>? {
        // Both factors are below 2^32, so neither product nor sum leaves 64 bits.
        let length = Int(entry.count) * unit
        guard length > 0 else { return nil }
        let start = length <= 4 ? entry.position : word(at: entry.position).map(Int.init)
        guard let start, start + length <= bytes.count else { return nil }
        return bytes.startIndex + start..<bytes.startIndex + start + length
    }

    private func short(at position: Int) -> UInt16? {
        guard position >= 0, position + 2 <= bytes.count else { return nil }
        let start = bytes.startIndex + position
        let (first, second) = (UInt16(bytes[start]), UInt16(bytes[start + 1]))
        return isLittleEndian ? second << 8 | first : first << 8 | second
    }

    private func word(at position: Int) -> UInt32? {
        guard let first = short(at: position), let second = short(at: position + 2) else { return nil }
        return isLittleEndian ? UInt32(second) << 16 | UInt32(first) : UInt32(first) << 16 | UInt32(second)
    }
}
