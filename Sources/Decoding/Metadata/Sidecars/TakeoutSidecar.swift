import Encodings
import Images
import Time

/// The JSON that Google Takeout exports with a picture. Its `title` is only the file's original name.
struct TakeoutSidecar {
    private var takenAt: PictureTime?
    private var place: ImageMetadata.Place?
    private var description: String?
    /// The names of people in the picture.
    private var people: [String] = []

    /// Nil unless the file is such JSON.
    init?(_ bytes: [UInt8]) {
        guard let text = String(validating: bytes, as: UTF8.self), let value = JSONValue(text),
            value.member("photoTakenTime") != nil || value.member("geoData") != nil
        else { return nil }
        takenAt = value.member("photoTakenTime")?.member("timestamp")?.seconds.flatMap(Self.time)
        // People may have corrected the first one; the second one is the camera's.
        place = ["geoData", "geoDataExif"].lazy.compactMap { value.member($0).flatMap(Self.place) }.first
        description = Self.text(value.member("description"), upTo: ImageMetadata.maximumDescription)
        guard case .list(let people) = value.member("people") else { return }
        for person in people {
            let name = Self.text(person.member("name"), upTo: ImageMetadata.maximumKeyword)
            MetadataText.add(name, to: &self.people, limit: ImageMetadata.maximumKeywords)
        }
    }

    /// Adds the known values to `metadata`.
    func describe(_ metadata: inout ImageMetadata) {
        metadata.takenAt = takenAt?.text
        metadata.place = place
        metadata.description = description
        metadata.keywords = people
    }

    /// 0 is the time of pictures without one.
    private static func time(_ seconds: Int64) -> PictureTime? {
        seconds == 0 ? nil : PictureTime(secondsSinceEpoch: seconds)
    }

    private static func place(_ value: JSONValue) -> ImageMetadata.Place? {
        guard let latitude = value.member("latitude")?.finite, let longitude = value.member("longitude")?.finite else {
            return nil
        }
        let altitude = value.member("altitude")?.finite.flatMap { $0 == 0 ? nil : $0 }
        let place = ImageMetadata.Place(latitude: latitude, longitude: longitude, altitude: altitude)
        return place.isOnEarth ? place.unlessUnset : nil
    }

    private static func text(_ value: JSONValue?, upTo limit: Int) -> String? {
        guard case .text(let text) = value else { return nil }
        return MetadataText.text(text.unicodeScalars, upTo: limit)
    }
}

extension JSONValue {
    fileprivate func member(_ name: String) -> JSONValue? {
        if case .object(let members) = self { members[name] } else { nil }
    }

    /// A whole number, or the text of one.
    fileprivate var seconds: Int64? {
        switch self {
        case .integer(let number): Int64(number)
        case .text(let text): Int64(text)
        default: nil
        }
    }

    fileprivate var finite: Double? {
        switch self {
        case .integer(let number): Double(number)
        case .number(let number): number.isFinite ? number : nil
        default: nil
        }
    }
}
