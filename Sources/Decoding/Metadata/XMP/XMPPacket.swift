import Images

/// What programs wrote beside the pixels in XMP (ISO 16684-1), in UTF-8, as far as a gallery asks: attributes of a
/// description, simple values, and lists of them. It is written by strangers: it is read in one pass, without recursion,
/// and what it holds is bounded.
struct XMPPacket {
    /// As it is written; nil if it is not.
    private(set) var rating: Double?
    private(set) var title: String?
    private(set) var keywords: [String] = []
    private(set) var placeNames = ImageFacts.PlaceNames()
    private var originalTime: PictureTime?
    private var creationTime: PictureTime?

    /// When the picture was taken.
    var created: PictureTime? { originalTime ?? creationTime }

    private static let maximumLength = 1 << 20
    /// Elements in one another.
    private static let maximumDepth = 64
    /// Bytes of one value, its references not resolved.
    private static let maximumValue = 8 << 10

    private enum Property {
        case title, keyword, rating, city, state, country, location, originalTime, creationTime
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

    init(_ bytes: ArraySlice<UInt8>) {
        var scanner = XMLScanner(bytes.prefix(Self.maximumLength))
        while let token = scanner.next() {
            switch token {
            case .start(let tag):
                guard path.count < Self.maximumDepth else { return }
                begin(tag)
            case .end: end()
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
                take(property, XMLScanner.resolved(value.prefix(Self.maximumValue)), isDefault: true)
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
        case (.dublinCore, "subject"): return .keyword
        case (.xmp, "Rating"): return .rating
        case (.photoshop, "City"): return .city
        case (.photoshop, "State"): return .state
        case (.photoshop, "Country"): return .country
        case (.photoshop, "DateCreated"): return .creationTime
        case (.iptcCore, "Location"): return .location
        case (.exif, "DateTimeOriginal"): return .originalTime
        default: return nil
        }
    }

    private mutating func append(_ text: ArraySlice<UInt8>, isLiteral: Bool) {
        switch path.last {
        case .property, .item:
            let text = text.prefix(Self.maximumValue - min(value.count, Self.maximumValue))
            value += isLiteral ? Array(text) : XMLScanner.resolved(text)
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
        func time() -> PictureTime? { text(64).flatMap { PictureTime(xmp: $0) } }
        switch property {
        case .title:
            guard let title = text(ImageFacts.maximumTitle), self.title == nil || isDefault && !isTitleDefault else {
                return
            }
            self.title = title
            isTitleDefault = isDefault
        case .keyword:
            MetadataText.add(text(ImageFacts.maximumKeyword), to: &keywords, limit: ImageFacts.maximumKeywords)
        case .rating: rating = rating ?? text(32).flatMap(Double.init)
        case .city: placeNames.city = placeNames.city ?? text(ImageFacts.maximumPlaceName)
        case .state: placeNames.state = placeNames.state ?? text(ImageFacts.maximumPlaceName)
        case .country: placeNames.country = placeNames.country ?? text(ImageFacts.maximumPlaceName)
        case .location: placeNames.location = placeNames.location ?? text(ImageFacts.maximumPlaceName)
        case .originalTime: originalTime = originalTime ?? time()
        case .creationTime: creationTime = creationTime ?? time()
        }
    }
}
