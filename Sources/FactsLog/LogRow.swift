import Catalog
import Images
import Postgres

/// What is known of an image as the columns of `tessera.facts`: written as JSON, whose members are the columns, and read
/// from rows, in the order of the cases.
struct LogRow: Encodable {
    enum CodingKeys: String, CodingKey, CaseIterable {
        case image, version, examination, width, height, frames, orientation, rating, placeholder, title, keywords
        case mediaType = "media_type"
        case byteCount = "byte_count"
        case takenAt = "taken_at"
        case isIncomplete = "is_incomplete"
        case isBroken = "is_broken"
        case digest
        case make, model, lens, aperture, sensitivity
        case exposureTime = "exposure_time"
        case focalLength = "focal_length"
        case latitude, longitude, altitude
        case location, city, state, country
    }

    let shared: SharedFacts

    init(_ shared: SharedFacts) { self.shared = shared }

    func encode(to encoder: any Encoder) throws {
        var row = encoder.container(keyedBy: CodingKeys.self)
        let facts = shared.facts
        func number(_ value: Double?, _ key: CodingKeys) throws {
            try row.encodeIfPresent(value.flatMap { $0.isFinite ? $0 : nil }, forKey: key)
        }
        // PostgreSQL's text has no nought in it.
        func text(_ value: String?, _ key: CodingKeys) throws {
            let whole = value.map {
                $0.utf8.contains(0) ? String(decoding: $0.utf8.filter { $0 != 0 }, as: UTF8.self) : $0
            }
            try row.encodeIfPresent(whole, forKey: key)
        }
        try row.encode(Int64(bitPattern: shared.image.rawValue), forKey: .image)
        try row.encodeIfPresent(shared.version.map { Int64(bitPattern: $0.rawValue) }, forKey: .version)
        try row.encodeIfPresent(facts.examination, forKey: .examination)
        try row.encodeIfPresent(facts.width, forKey: .width)
        try row.encodeIfPresent(facts.height, forKey: .height)
        try row.encodeIfPresent(facts.frames, forKey: .frames)
        try row.encodeIfPresent(facts.orientation, forKey: .orientation)
        try row.encodeIfPresent(facts.rating, forKey: .rating)
        try row.encodeIfPresent(facts.placeholder.map(Self.hexadecimal), forKey: .placeholder)
        try text(facts.title, .title)
        // No keyword has a line's end in it.
        try text(facts.keywords.isEmpty ? nil : facts.keywords.joined(separator: "\n"), .keywords)
        try text(facts.mediaType, .mediaType)
        try row.encodeIfPresent(facts.byteCount, forKey: .byteCount)
        try text(facts.takenAt, .takenAt)
        try row.encodeIfPresent(facts.isIncomplete, forKey: .isIncomplete)
        try row.encodeIfPresent(facts.isBroken, forKey: .isBroken)
        try row.encodeIfPresent(facts.digest.map { Int64(bitPattern: $0.rawValue) }, forKey: .digest)
        try text(facts.camera?.make, .make)
        try text(facts.camera?.model, .model)
        try text(facts.camera?.lens, .lens)
        try number(facts.camera?.aperture, .aperture)
        try row.encodeIfPresent(facts.camera?.sensitivity, forKey: .sensitivity)
        try number(facts.camera?.exposureTime, .exposureTime)
        try number(facts.camera?.focalLength, .focalLength)
        try number(facts.place?.latitude, .latitude)
        try number(facts.place?.longitude, .longitude)
        try number(facts.place?.altitude, .altitude)
        try text(facts.placeNames?.location, .location)
        try text(facts.placeNames?.city, .city)
        try text(facts.placeNames?.state, .state)
        try text(facts.placeNames?.country, .country)
    }

    /// As `bytea` is written.
    private static func hexadecimal(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789abcdef".utf8)
        let text = bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
        return "\\x" + String(decoding: text, as: UTF8.self)
    }
}

extension SharedFacts {
    /// Nil where the row names no image.
    ///
    /// - Parameter first: where the first of the columns stands.
    init?(_ row: PostgresRow, from first: Int) {
        func at(_ key: LogRow.CodingKeys) -> Int { first + LogRow.places[key, default: 0] }
        guard let image = row.integer(at(.image)) else { return nil }
        var facts = ImageFacts()
        facts.examination = row.count(at(.examination))
        facts.width = row.count(at(.width))
        facts.height = row.count(at(.height))
        facts.frames = row.count(at(.frames))
        facts.orientation = row.count(at(.orientation))
        facts.rating = row.count(at(.rating))
        facts.placeholder = row.bytes(at(.placeholder))
        facts.title = row.text(at(.title))
        facts.keywords = row.text(at(.keywords))?.split(separator: "\n").map(String.init) ?? []
        facts.mediaType = row.text(at(.mediaType))
        facts.byteCount = row.integer(at(.byteCount))
        facts.takenAt = row.text(at(.takenAt))
        facts.isIncomplete = row.flag(at(.isIncomplete))
        facts.isBroken = row.flag(at(.isBroken))
        facts.digest = row.integer(at(.digest)).map { ContentDigest(rawValue: UInt64(bitPattern: $0)) }
        var camera = ImageFacts.Camera()
        camera.make = row.text(at(.make))
        camera.model = row.text(at(.model))
        camera.lens = row.text(at(.lens))
        camera.aperture = row.number(at(.aperture))
        camera.sensitivity = row.count(at(.sensitivity))
        camera.exposureTime = row.number(at(.exposureTime))
        camera.focalLength = row.number(at(.focalLength))
        if camera != ImageFacts.Camera() { facts.camera = camera }
        if let latitude = row.number(at(.latitude)), let longitude = row.number(at(.longitude)) {
            facts.place = ImageFacts.Place(
                latitude: latitude, longitude: longitude, altitude: row.number(at(.altitude)))
        }
        var names = ImageFacts.PlaceNames()
        names.location = row.text(at(.location))
        names.city = row.text(at(.city))
        names.state = row.text(at(.state))
        names.country = row.text(at(.country))
        if names != ImageFacts.PlaceNames() { facts.placeNames = names }
        self.init(
            image: ImageID(rawValue: UInt64(bitPattern: image)),
            version: row.integer(at(.version)).map { ContentVersion(rawValue: UInt64(bitPattern: $0)) }, facts: facts)
    }
}

extension LogRow {
    fileprivate static let places = Dictionary(
        uniqueKeysWithValues: CodingKeys.allCases.enumerated().map { ($1, $0) })
}
