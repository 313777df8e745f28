import Images

/// Where a picture was taken, as XMP's EXIF schema has it (ISO 16684-1 names the types; CIPA DC-010 the properties).
struct XMPPlace {
    var latitude: Double?
    var longitude: Double?
    var altitude: Double?
    var isBelowSea = false

    /// Nil unless both coordinates are known and a receiver set them.
    var place: ImageMetadata.Place? {
        guard let latitude, let longitude else { return nil }
        let altitude = altitude.map { isBelowSea ? -$0 : $0 }
        let place = ImageMetadata.Place(latitude: latitude, longitude: longitude, altitude: altitude)
        return place.isOnEarth ? place.unlessUnset : nil
    }

    /// `48,51,30N`, `48,51.507N` or `48.8584N`: degrees, minutes and seconds, and a letter for the side.
    ///
    /// - Parameter sides: The letters of the positive and the negative side.
    static func degrees(_ text: String, sides: (positive: Character, negative: Character)) -> Double? {
        guard let side = text.last.map({ Character($0.uppercased()) }), side == sides.positive || side == sides.negative
        else { return nil }
        let parts = text.dropLast().split(separator: ",", omittingEmptySubsequences: false).map { Double($0) }
        guard 1...3 ~= parts.count, parts.allSatisfy({ $0.map { $0.isFinite && $0 >= 0 } ?? false }) else { return nil }
        let degrees = parts.reversed().reduce(0) { $0 / 60 + ($1 ?? 0) }
        return side == sides.negative ? -degrees : degrees
    }

    /// `1234/10`, or a plain number.
    static func fraction(_ text: String) -> Double? {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false).map { Double($0) }
        guard 1...2 ~= parts.count, let value = parts[0] else { return nil }
        guard let divisor = parts.count == 2 ? parts[1] : 1 else { return nil }
        let quotient = value / divisor
        return quotient.isFinite ? quotient : nil
    }
}
