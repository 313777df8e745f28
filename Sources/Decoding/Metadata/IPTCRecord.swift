import Images
import Time

/// Metadata that press software wrote: the application record of the Information Interchange Model (IPTC-NAA IIM 4.2),
/// by itself or among Photoshop's image resources. No length in it is trusted: reading stops where one reaches beyond
/// the bytes.
struct IPTCRecord {
    private(set) var title: String?
    private(set) var caption: String?
    private(set) var keywords: [String] = []
    private(set) var placeNames = ImageMetadata.PlaceNames()
    private var date: [UInt8]?
    private var time: [UInt8]?
    private var digitizedDate: [UInt8]?
    private var digitizedTime: [UInt8]?

    /// When the image's content was created.
    var created: PictureTime? { date.flatMap { PictureTime(iptc: $0, time: time) } }

    /// When the image became data.
    var digitized: PictureTime? { digitizedDate.flatMap { PictureTime(iptc: $0, time: digitizedTime) } }

    /// Nil unless the block contains data sets: the contents of a JPEG's APP13, of a TIFF's tag, or bare data sets.
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
            // The name with its length byte, padded to an even number of bytes.
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
                // An extended data set: the number of bytes of the length itself (IIM 1.6.2).
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
        func name() -> String? { MetadataText.text(value, upTo: ImageMetadata.maximumPlaceName) }
        switch number {
        case 5: title = title ?? MetadataText.text(value, upTo: ImageMetadata.maximumTitle)
        case 25:
            let keyword = MetadataText.text(value, upTo: ImageMetadata.maximumKeyword)
            MetadataText.add(keyword, to: &keywords, limit: ImageMetadata.maximumKeywords)
        case 55: date = date ?? Array(value.prefix(16))
        case 60: time = time ?? Array(value.prefix(16))
        case 62: digitizedDate = digitizedDate ?? Array(value.prefix(16))
        case 63: digitizedTime = digitizedTime ?? Array(value.prefix(16))
        case 90: placeNames.city = placeNames.city ?? name()
        case 92: placeNames.location = placeNames.location ?? name()
        case 95: placeNames.state = placeNames.state ?? name()
        case 120: caption = caption ?? MetadataText.text(value, upTo: ImageMetadata.maximumDescription)
        case 101: placeNames.country = placeNames.country ?? name()
        default: break
        }
    }
}
