import Images

/// What editors of the press wrote beside the pixels: the application record of the Information Interchange Model
/// (IPTC-NAA IIM 4.2), as it is or among Photoshop's image resources. Every length in it comes from a stranger: what
/// reaches beyond the bytes ends the reading.
struct IPTCRecord {
    private(set) var title: String?
    private(set) var keywords: [String] = []
    private(set) var placeNames = ImageFacts.PlaceNames()
    private var date: [UInt8]?
    private var time: [UInt8]?

    /// When the picture's content came to be.
    var created: PictureTime? { date.flatMap { PictureTime(iptc: $0, time: time) } }

    /// Nil unless there are data sets in the block: those of a JPEG's APP13, a TIFF's tag, or bare ones.
    init?(_ block: ArraySlice<UInt8>) {
        var bytes = block
        if bytes.starts(with: Self.photoshop) { bytes = bytes.dropFirst(Self.photoshop.count) }
        if bytes.starts(with: Self.resource) {
            guard let found = Self.dataSets(among: bytes) else { return nil }
            bytes = found
        }
        guard bytes.first == Self.tagMarker else { return nil }
        read(bytes)
    }

    private static let photoshop = Array("Photoshop 3.0\0".utf8)
    private static let resource = Array("8BIM".utf8)
    private static let tagMarker: UInt8 = 0x1c

    /// The image resource 0x0404 (Adobe Photoshop file formats specification, "Image resource blocks").
    private static func dataSets(among resources: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        var rest = resources
        while rest.starts(with: resource), rest.count >= 12 {
            let start = rest.startIndex
            let number = Int(rest[start + 4]) << 8 | Int(rest[start + 5])
            // The name with its length, together an even number of bytes.
            let name = (Int(rest[start + 6]) + 2) & ~1
            guard rest.count >= 6 + name + 4 else { return nil }
            let head = rest.dropFirst(6 + name)
            let length = head.prefix(4).reduce(0) { $0 << 8 | Int($1) }
            let content = head.dropFirst(4)
            guard length <= content.count else { return nil }
            if number == 0x0404 { return content.prefix(length) }
            rest = content.dropFirst(length + length & 1)
        }
        return nil
    }

    private mutating func read(_ dataSets: ArraySlice<UInt8>) {
        var rest = dataSets
        while rest.count >= 5, rest.first == Self.tagMarker {
            let start = rest.startIndex
            let (record, number) = (rest[start + 1], rest[start + 2])
            var length = Int(rest[start + 3]) << 8 | Int(rest[start + 4])
            rest = rest.dropFirst(5)
            if length & 0x8000 != 0 {
                // The length of the length itself (IIM 1.6.2).
                let count = length & 0x7fff
                guard count <= 4, count <= rest.count else { return }
                length = rest.prefix(count).reduce(0) { $0 << 8 | Int($1) }
                rest = rest.dropFirst(count)
            }
            guard length <= rest.count else { return }
            if record == 2 { take(number, rest.prefix(length)) }
            rest = rest.dropFirst(length)
        }
    }

    private mutating func take(_ number: UInt8, _ value: ArraySlice<UInt8>) {
        func name() -> String? { MetadataText.text(value, upTo: ImageFacts.maximumPlaceName) }
        switch number {
        case 5: title = title ?? MetadataText.text(value, upTo: ImageFacts.maximumTitle)
        case 25:
            let keyword = MetadataText.text(value, upTo: ImageFacts.maximumKeyword)
            MetadataText.add(keyword, to: &keywords, limit: ImageFacts.maximumKeywords)
        case 55: date = date ?? Array(value.prefix(16))
        case 60: time = time ?? Array(value.prefix(16))
        case 90: placeNames.city = placeNames.city ?? name()
        case 92: placeNames.location = placeNames.location ?? name()
        case 95: placeNames.state = placeNames.state ?? name()
        case 101: placeNames.country = placeNames.country ?? name()
        default: break
        }
    }
}
