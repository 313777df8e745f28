import FileHeads

/// Rewrites Exif with allowed tags only.
enum RedactedExif {
    /// The longest block, in bytes; the contents of a JPEG's segment are shorter.
    static let longest = 1 << 20

    /// A TIFF structure without tags.
    static let empty: [UInt8] = Array("MM\0*".utf8) + [0, 0, 0, 8, 0, 0, 0, 0, 0, 0]

    /// - Parameters:
    ///   - block: A TIFF header and what follows, perhaps after "Exif\0\0", as in a JPEG.
    /// - Returns: The block's replacement without the zeros after it; empty if nothing of it may stay. Never longer than
    ///   the block.
    static func replacement(for block: ArraySlice<UInt8>, keeping: Redactor.Keeping) -> [UInt8] {
        let prefix = block.starts(with: JPEGSegment.exif) ? JPEGSegment.exif : []
        guard block.count <= longest, let source = TIFFDirectories(Array(block)), let main = source.first else {
            return []
        }
        var entries = allowed(in: main, of: source, tags: keeping == .metadata ? mainTags : mainTags.filter(\.isVisual))
        let exposure = source.number(Tag.exifIFD, in: main).flatMap { source.directory(at: $0) }
        let inner = exposure.map {
            allowed(in: $0, of: source, tags: keeping == .metadata ? exposureTags : exposureTags.filter(\.isVisual))
        }
        var writer = DirectoryWriter(isLittleEndian: source.isLittleEndian)
        if let inner, !inner.isEmpty { entries.append(writer.placeholder(for: Tag.exifIFD)) }
        writer.write(entries)
        if let inner, !inner.isEmpty {
            writer.resolvePlaceholder()
            writer.write(inner)
        }
        let written = prefix + writer.bytes
        // Values that overlap in the source need more room when written separately.
        return entries.isEmpty || written.count > block.count ? [] : written
    }

    private static func allowed(
        in directory: TIFFDirectories.Directory, of source: TIFFDirectories, tags: [Tag]
    ) -> [TIFFDirectories.Value] {
        tags.compactMap { tag in
            guard let value = source.value(tag.number, in: directory) else { return nil }
            if tag.isVisual { return value.count == 1 ? value : nil }
            switch value.type {
            // What follows the end of a text is not part of it.
            case 2: return value.prefix(value.bytes.prefix { $0 != 0 }.count, of: longestText)
            case 1 where windowsTexts.contains(tag.number):
                let letters = stride(from: 0, to: value.bytes.count - 1, by: 2)
                let start = value.bytes.startIndex
                let end = letters.first { value.bytes[start + $0] == 0 && value.bytes[start + $0 + 1] == 0 }
                return value.prefix(end ?? value.bytes.count, of: longestText)
            default: return value.bytes.count <= longestNumbers ? value : nil
            }
        }
    }

    /// In bytes.
    private static let longestText = 4_096
    /// The longest value that is not a text, in bytes: four rationals.
    private static let longestNumbers = 32
    /// In UTF-16.
    private static let windowsTexts: ClosedRange<UInt16> = 0x9c9b...0x9c9f
}

extension TIFFDirectories.Value {
    /// The first bytes of a text, at most `limit`; nil for none.
    fileprivate func prefix(_ length: Int, of limit: Int) -> Self? {
        let bytes = bytes.prefix(min(length, limit))
        return bytes.isEmpty ? nil : Self(tag: tag, type: type, count: bytes.count, bytes: bytes)
    }
}

/// A tag that may stay.
private struct Tag: ExpressibleByIntegerLiteral {
    let number: UInt16
    /// Whether programs need it to show the picture. All of these are single numbers.
    var isVisual = false

    static let exifIFD: UInt16 = 0x8769

    init(integerLiteral number: UInt16) { self.number = number }

    private init(_ number: UInt16, isVisual: Bool) {
        self.number = number
        self.isVisual = isVisual
    }

    static func visual(_ number: UInt16) -> Tag { Tag(number, isVisual: true) }
}

/// In IFD0 (Exif 2.32, 4.6.4; TIFF 6.0), sorted.
private let mainTags: [Tag] = [
    0x010e, 0x010f, 0x0110,  // description, make, model
    .visual(0x0112), .visual(0x011a), .visual(0x011b), .visual(0x0128),  // orientation, resolution and its unit
    0x0131, 0x0132, 0x013b,  // software, date, artist
    .visual(0x0213),  // YCbCr positioning
    0x4746, 0x4749,  // rating
    0x8298,  // copyright
    0x9c9b, 0x9c9c, 0x9c9d, 0x9c9e, 0x9c9f,  // Windows: title, comment, author, keywords, subject
]

/// In the Exif IFD (Exif 2.32, 4.6.5), sorted. Serial numbers and owners, the notes of makers, comments,
/// and the weather are not among them.
private let exposureTags: [Tag] = [
    0x829a, 0x829d, 0x8822, 0x8827, 0x8830, 0x8831, 0x8832, 0x8833, 0x8834, 0x8835,  // time, aperture, program, ISO
    0x9000, 0x9003, 0x9004, 0x9010, 0x9011, 0x9012,  // version, dates and their time zones
    0x9201, 0x9202, 0x9203, 0x9204, 0x9205, 0x9206, 0x9207, 0x9208, 0x9209, 0x920a, 0x9214,  // exposure, flash, subject
    0x9290, 0x9291, 0x9292,  // subsecond times
    .visual(0xa001), 0xa002, 0xa003,  // colour space, size
    0xa20e, 0xa20f, 0xa210, 0xa215, 0xa217,  // focal plane
    0xa301, 0xa401, 0xa402, 0xa403, 0xa404, 0xa405, 0xa406, 0xa407, 0xa408, 0xa409, 0xa40a, 0xa40c,  // modes
    0xa432, 0xa433, 0xa434,  // lens
    .visual(0xa500),  // gamma
]

/// Writes directories one after another, each with its values behind it (TIFF 6.0 §2).
private struct DirectoryWriter {
    private(set) var bytes: [UInt8]
    private let isLittleEndian: Bool
    private var placeholder: Int?

    init(isLittleEndian: Bool) {
        self.isLittleEndian = isLittleEndian
        bytes = Array((isLittleEndian ? "II*\0" : "MM\0*").utf8)
        append(8, 4)
    }

    /// An entry for the position of the next directory.
    func placeholder(for tag: UInt16) -> TIFFDirectories.Value {
        TIFFDirectories.Value(tag: tag, type: 4, count: 1, bytes: [0, 0, 0, 0])
    }

    mutating func write(_ values: [TIFFDirectories.Value]) {
        let values = values.sorted { $0.tag < $1.tag }
        let end = bytes.count + 2 + 12 * values.count + 4
        var outside: [UInt8] = []
        append(values.count, 2)
        for value in values {
            append(Int(value.tag), 2)
            append(Int(value.type), 2)
            append(value.count, 4)
            if value.tag == Tag.exifIFD { placeholder = bytes.count }
            if value.bytes.count <= 4 {
                bytes += value.bytes + Array(repeating: 0, count: 4 - value.bytes.count)
            } else {
                append(end + outside.count, 4)
                outside += value.bytes
                if value.bytes.count % 2 == 1 { outside.append(0) }
            }
        }
        append(0, 4)
        bytes += outside
    }

    /// The next directory begins here.
    mutating func resolvePlaceholder() {
        guard let placeholder else { return }
        bytes.replaceSubrange(placeholder..<placeholder + 4, with: number(bytes.count, 4))
    }

    private mutating func append(_ value: Int, _ width: Int) { bytes += number(value, width) }

    private func number(_ value: Int, _ width: Int) -> [UInt8] {
        let bytes = (0..<width).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        return isLittleEndian ? bytes : bytes.reversed()
    }
}
