import Images
import Time
import XML

/// Reads metadata in XMP (ISO 16684-1), in UTF-8, as far as a gallery needs it: attributes of a description, simple
/// values, and lists of these. The input is untrusted, so it is parsed in one pass without recursion, and the result is
/// bounded.
struct XMPPacket {
    /// The value as written; nil if there is none.
    private(set) var rating: Double?
    private(set) var title: String?
    private(set) var description: String?
    private(set) var keywords: [String] = []
    private(set) var placeNames = ImageMetadata.PlaceNames()
    private var coordinates = XMPPlace()
    private var originalTime: PictureTime?
    private var creationTime: PictureTime?
    /// When the picture became data.
    private(set) var digitized: PictureTime?

    /// Where the picture was taken.
    var place: ImageMetadata.Place? { coordinates.place }

    /// When the picture was taken.
    var created: PictureTime? { originalTime ?? creationTime }

    private static let maximumLength = 1 << 20
    /// The maximum nesting of elements.
    private static let maximumDepth = 64
    /// The maximum length of a value in bytes, before its references are resolved.
    private static let maximumValue = 8 << 10

    private enum Property {
        case title, description, keyword, rating, city, state, country, location, originalTime, creationTime, digitized
        case latitude, longitude, altitude, altitudeReference
    }

    private enum Element {
        case root
        case description
        case property(Property)
        case list
        case item(isDefault: Bool)
        case other
    }

    private var names = XMPNames()
    private var path: [Element] = []
    private var value: [UInt8] = []
    private var isTitleDefault = false
    private var isDescriptionDefault = false

    init(_ bytes: ArraySlice<UInt8>) {
        var scanner = XMLScanner(bytes.prefix(Self.maximumLength))
        while let token = scanner.next() {
            switch token {
            case .start(let tag):
                guard path.count < Self.maximumDepth else { return }
                begin(tag)
            case .end: end()
            case .declaration: break
            case .text(let text): append(text, isLiteral: false)
            case .literal(let text): append(text, isLiteral: true)
            }
        }
    }

    private mutating func begin(_ tag: XMLScanner.Tag) {
        tag.forEachAttribute { names.declare($0, as: $1) }
        let element = element(tag)
        if case .description = element {
            var stated: [(Property, ArraySlice<UInt8>)] = []
            tag.forEachAttribute { name, value in
                if let property = property(name) { stated.append((property, value)) }
            }
            for (property, value) in stated {
                take(property, XMLReferences.resolved(in: value.prefix(Self.maximumValue)), isDefault: true)
            }
        }
        path.append(element)
        value = []
        if tag.isEmpty { end() }
    }

    private func element(_ tag: XMLScanner.Tag) -> Element {
        switch path.last {
        case .root:
            return names.resolve(tag.name, in: .rdf) == "Description" ? .description : .other
        case .description: return property(tag.name).map { .property($0) } ?? .other
        case .property:
            let name = names.resolve(tag.name, in: .rdf)
            return name == "Bag" || name == "Seq" || name == "Alt" ? .list : .other
        case .list:
            guard names.resolve(tag.name, in: .rdf) == "li" else { return .other }
            var isDefault = false
            tag.forEachAttribute { name, value in
                if name.elementsEqual("xml:lang".utf8), value.elementsEqual("x-default".utf8) { isDefault = true }
            }
            return .item(isDefault: isDefault)
        default: return names.resolve(tag.name, in: .rdf) == "RDF" ? .root : .other
        }
    }

    private func property(_ name: ArraySlice<UInt8>) -> Property? {
        guard let (namespace, local) = names.resolve(name) else { return nil }
        switch (namespace, local) {
        case (.dublinCore, "title"): return .title
        case (.dublinCore, "description"): return .description
        case (.dublinCore, "subject"): return .keyword
        case (.xmp, "Rating"): return .rating
        case (.xmp, "CreateDate"), (.exif, "DateTimeDigitized"): return .digitized
        case (.photoshop, "City"): return .city
        case (.photoshop, "State"): return .state
        case (.photoshop, "Country"): return .country
        case (.photoshop, "DateCreated"): return .creationTime
        case (.iptcCore, "Location"): return .location
        case (.exif, "DateTimeOriginal"): return .originalTime
        case (.exif, "GPSLatitude"): return .latitude
        case (.exif, "GPSLongitude"): return .longitude
        case (.exif, "GPSAltitude"): return .altitude
        case (.exif, "GPSAltitudeRef"): return .altitudeReference
        default: return nil
        }
    }

    private mutating func append(_ text: ArraySlice<UInt8>, isLiteral: Bool) {
        switch path.last {
        case .property, .item:
            let text = text.prefix(Self.maximumValue - min(value.count, Self.maximumValue))
            value += isLiteral ? Array(text) : XMLReferences.resolved(in: text)
        default: break
        }
    }

    private mutating func end() {
        switch path.popLast() {
        case .property(let property): take(property, value, isDefault: true)
        case .item(let isDefault):
            if path.count >= 2, case .property(let property) = path[path.count - 2] {
                take(property, value, isDefault: isDefault)
            }
        default: break
        }
        value = []
    }

    private mutating func take(_ property: Property, _ value: [UInt8], isDefault: Bool) {
        func text(_ limit: Int) -> String? { MetadataText.text(value, upTo: limit) }
        func time() -> PictureTime? { text(64).flatMap { PictureTime($0) } }
        func choose(_ alternative: String?, for known: inout String?, _ isKnownDefault: inout Bool) {
            guard let alternative, known == nil || isDefault && !isKnownDefault else { return }
            known = alternative
            isKnownDefault = isDefault
        }
        switch property {
        case .title: choose(text(ImageMetadata.maximumTitle), for: &title, &isTitleDefault)
        case .description: choose(text(ImageMetadata.maximumDescription), for: &description, &isDescriptionDefault)
        case .keyword:
            MetadataText.add(text(ImageMetadata.maximumKeyword), to: &keywords, limit: ImageMetadata.maximumKeywords)
        case .rating: rating = rating ?? text(32).flatMap(Double.init)
        case .city: placeNames.city = placeNames.city ?? text(ImageMetadata.maximumPlaceName)
        case .state: placeNames.state = placeNames.state ?? text(ImageMetadata.maximumPlaceName)
        case .country: placeNames.country = placeNames.country ?? text(ImageMetadata.maximumPlaceName)
        case .location: placeNames.location = placeNames.location ?? text(ImageMetadata.maximumPlaceName)
        case .latitude:
            coordinates.latitude = coordinates.latitude ?? text(64).flatMap { XMPPlace.degrees($0, sides: ("N", "S")) }
        case .longitude:
            coordinates.longitude =
                coordinates.longitude ?? text(64).flatMap { XMPPlace.degrees($0, sides: ("E", "W")) }
        case .altitude: coordinates.altitude = coordinates.altitude ?? text(64).flatMap { XMPPlace.fraction($0) }
        case .altitudeReference: coordinates.isBelowSea = text(4) == "1"
        case .originalTime: originalTime = originalTime ?? time()
        case .creationTime: creationTime = creationTime ?? time()
        case .digitized: digitized = digitized ?? time()
        }
    }
}
