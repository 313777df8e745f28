import Images

/// All that is written beside the pixels, by whom ever. Where they differ XMP goes before IPTC, and that before EXIF: who
/// edits a picture writes all of them or the newest (Metadata Working Group, "Guidelines for handling image metadata",
/// 2.0).
struct PictureMetadata {
    var exif: ExifMetadata?
    var iptc: IPTCRecord?
    var xmp: XMPPacket?

    /// Adds what is known to `facts`.
    func describe(_ facts: inout ImageFacts) {
        exif?.describe(&facts)
        let times = [xmp?.created, iptc?.created, exif?.taken].compactMap(\.self)
        if let first = times.first {
            facts.takenAt = times.dropFirst().reduce(first) { $0.refined(by: $1) }.text
        }
        facts.rating = (xmp?.rating ?? exif?.rating).flatMap(Self.stars)
        facts.title = xmp?.title ?? iptc?.title ?? exif?.title
        facts.keywords = [xmp?.keywords, iptc?.keywords, exif?.keywords].compactMap(\.self).first { !$0.isEmpty } ?? []
        var names = ImageFacts.PlaceNames()
        names.location = xmp?.placeNames.location ?? iptc?.placeNames.location
        names.city = xmp?.placeNames.city ?? iptc?.placeNames.city
        names.state = xmp?.placeNames.state ?? iptc?.placeNames.state
        names.country = xmp?.placeNames.country ?? iptc?.placeNames.country
        if names != ImageFacts.PlaceNames() { facts.placeNames = names }
    }

    /// 1 to 5, or -1 for a rejected picture; nil where none were given, and for what is no rating.
    private static func stars(_ rating: Double) -> Int? {
        switch rating.rounded() {
        case -1: -1
        case 1...5: Int(rating.rounded())
        default: nil
        }
    }
}
