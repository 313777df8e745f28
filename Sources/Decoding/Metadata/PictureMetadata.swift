import Images
import Time

/// All metadata in a file. Where values differ, XMP takes precedence over IPTC, and IPTC over EXIF: editors write
/// either all of them or the newest one (Metadata Working Group, "Guidelines for handling image metadata", 2.0).
struct PictureMetadata {
    var exif: ExifMetadata?
    var iptc: IPTCRecord?
    var xmp: XMPPacket?

    /// Adds the known values to `metadata`.
    func describe(_ metadata: inout ImageMetadata) {
        exif?.describe(&metadata)
        let times = [xmp?.created, iptc?.created, exif?.taken].compactMap(\.self)
        let digitizations = [xmp?.digitized, iptc?.digitized, exif?.digitized].compactMap(\.self)
        metadata.takenAt = (Self.combined(times) ?? Self.combined(digitizations))?.text
        metadata.rating = (xmp?.rating ?? exif?.rating).flatMap(Self.stars)
        metadata.place = metadata.place ?? xmp?.place
        metadata.title = xmp?.title ?? iptc?.title ?? exif?.title
        metadata.description = xmp?.description ?? iptc?.caption ?? exif?.description
        metadata.keywords =
            [xmp?.keywords, iptc?.keywords, exif?.keywords].compactMap(\.self).first { !$0.isEmpty } ?? []
        var names = ImageMetadata.PlaceNames()
        names.location = xmp?.placeNames.location ?? iptc?.placeNames.location
        names.city = xmp?.placeNames.city ?? iptc?.placeNames.city
        names.state = xmp?.placeNames.state ?? iptc?.placeNames.state
        names.country = xmp?.placeNames.country ?? iptc?.placeNames.country
        if names != ImageMetadata.PlaceNames() { metadata.placeNames = names }
    }

    /// The first of these times, with what it lacks taken from the others.
    private static func combined(_ times: [PictureTime]) -> PictureTime? {
        times.first.map { times.dropFirst().reduce($0) { $0.refined(by: $1) } }
    }

    /// 1 to 5, or -1 for a rejected image; nil if there is no rating, or an invalid one.
    private static func stars(_ rating: Double) -> Int? {
        switch rating.rounded() {
        case -1: -1
        case 1...5: Int(rating.rounded())
        default: nil
        }
    }
}
