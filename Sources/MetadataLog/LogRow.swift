import Catalog
import Encodings
import Images
import Postgres

/// An image's metadata as columns of `tessera.metadata`: written as JSON, whose members are the columns, and read from
/// rows, whose columns come in the order of ``Column``.
struct LogRow: JSONWritable {
    enum Column: String, CaseIterable {
        case image, version, examination, width, height, frames, orientation, rating, placeholder, title, description
        case keywords
        case mediaType = "media_type"
        case byteCount = "byte_count"
        case takenAt = "taken_at"
        case isIncomplete = "is_incomplete"
        case isBroken = "is_broken"
        case digest, sidecars
        case make, model, lens, aperture, sensitivity
        case exposureTime = "exposure_time"
        case focalLength = "focal_length"
        case latitude, longitude, altitude
        case location, city, state, country

        /// The columns that describe a picture, rather than its file or its pixels.
        static let ofPicture: Set<Column> = [
            .takenAt, .make, .model, .lens, .exposureTime, .aperture, .sensitivity, .focalLength, .latitude,
            .longitude, .altitude, .rating, .title, .description, .keywords, .location, .city, .state, .country,
        ]
    }

    let shared: SharedMetadata

    init(_ shared: SharedMetadata) { self.shared = shared }

    func write(to json: inout JSONWriter) {
        json.object { writeMembers(to: &$0) }
    }

    private func writeMembers(to json: inout JSONWriter) {
        let metadata = shared.metadata
        func write(_ value: (some JSONWritable)?, _ column: Column) { json.member(named: column.rawValue, value) }
        func write(bits: UInt64?, _ column: Column) { write(bits.map { Int64(bitPattern: $0) }, column) }
        func write(number: Double?, _ column: Column) { write(number.flatMap { $0.isFinite ? $0 : nil }, column) }
        // PostgreSQL's type `text` cannot contain NUL.
        func write(text: String?, _ column: Column) {
            let whole = text.map {
                $0.utf8.contains(0) ? String(decoding: $0.utf8.filter { $0 != 0 }, as: UTF8.self) : $0
            }
            write(whole, column)
        }
        write(bits: shared.image.rawValue, .image)
        write(bits: shared.version?.rawValue, .version)
        write(metadata.readerVersion, .examination)
        write(metadata.width, .width)
        write(metadata.height, .height)
        write(metadata.frames, .frames)
        write(metadata.orientation, .orientation)
        write(metadata.rating, .rating)
        // The hexadecimal format of `bytea`.
        write(metadata.placeholder.map { "\\x" + Hexadecimal.text(of: $0) }, .placeholder)
        write(text: metadata.title, .title)
        write(text: metadata.description, .description)
        // Keywords never contain newlines.
        write(text: metadata.keywords.isEmpty ? nil : metadata.keywords.joined(separator: "\n"), .keywords)
        write(text: metadata.mediaType, .mediaType)
        write(metadata.byteCount, .byteCount)
        write(text: metadata.takenAt, .takenAt)
        write(metadata.isIncomplete, .isIncomplete)
        write(metadata.isBroken, .isBroken)
        write(bits: metadata.digest?.rawValue, .digest)
        write(bits: metadata.sidecars?.rawValue, .sidecars)
        write(text: metadata.camera?.make, .make)
        write(text: metadata.camera?.model, .model)
        write(text: metadata.camera?.lens, .lens)
        write(number: metadata.camera?.aperture, .aperture)
        write(metadata.camera?.sensitivity, .sensitivity)
        write(number: metadata.camera?.exposureTime, .exposureTime)
        write(number: metadata.camera?.focalLength, .focalLength)
        write(number: metadata.place?.latitude, .latitude)
        write(number: metadata.place?.longitude, .longitude)
        write(number: metadata.place?.altitude, .altitude)
        write(text: metadata.placeNames?.location, .location)
        write(text: metadata.placeNames?.city, .city)
        write(text: metadata.placeNames?.state, .state)
        write(text: metadata.placeNames?.country, .country)
    }
}

extension SharedMetadata {
    /// Nil if the row has no image id.
    ///
    /// - Parameter first: The index of the first of the columns in the row.
    init?(_ row: PostgresRow, from first: Int) {
        func at(_ key: LogRow.Column) -> Int { first + LogRow.places[key, default: 0] }
        guard let image = row.integer(at(.image)) else { return nil }
        var metadata = ImageMetadata()
        metadata.readerVersion = row.count(at(.examination))
        metadata.width = row.count(at(.width))
        metadata.height = row.count(at(.height))
        metadata.frames = row.count(at(.frames))
        metadata.orientation = row.count(at(.orientation))
        metadata.rating = row.count(at(.rating))
        metadata.placeholder = row.bytes(at(.placeholder))
        metadata.title = row.text(at(.title))
        metadata.description = row.text(at(.description))
        metadata.keywords = row.text(at(.keywords))?.split(separator: "\n").map(String.init) ?? []
        metadata.mediaType = row.text(at(.mediaType))
        metadata.byteCount = row.integer(at(.byteCount))
        metadata.takenAt = row.text(at(.takenAt))
        metadata.isIncomplete = row.flag(at(.isIncomplete))
        metadata.isBroken = row.flag(at(.isBroken))
        metadata.digest = row.integer(at(.digest)).map { ContentDigest(rawValue: UInt64(bitPattern: $0)) }
        metadata.sidecars = row.integer(at(.sidecars)).map { SidecarVersion(rawValue: UInt64(bitPattern: $0)) }
        var camera = ImageMetadata.Camera()
        camera.make = row.text(at(.make))
        camera.model = row.text(at(.model))
        camera.lens = row.text(at(.lens))
        camera.aperture = row.number(at(.aperture))
        camera.sensitivity = row.count(at(.sensitivity))
        camera.exposureTime = row.number(at(.exposureTime))
        camera.focalLength = row.number(at(.focalLength))
        if camera != ImageMetadata.Camera() { metadata.camera = camera }
        if let latitude = row.number(at(.latitude)), let longitude = row.number(at(.longitude)) {
            metadata.place = ImageMetadata.Place(
                latitude: latitude, longitude: longitude, altitude: row.number(at(.altitude)))
        }
        var names = ImageMetadata.PlaceNames()
        names.location = row.text(at(.location))
        names.city = row.text(at(.city))
        names.state = row.text(at(.state))
        names.country = row.text(at(.country))
        if names != ImageMetadata.PlaceNames() { metadata.placeNames = names }
        self.init(
            image: ImageID(rawValue: UInt64(bitPattern: image)),
            version: row.integer(at(.version)).map { ContentVersion(rawValue: UInt64(bitPattern: $0)) },
            metadata: metadata)
    }
}

extension LogRow {
    fileprivate static let places = Dictionary(
        uniqueKeysWithValues: Column.allCases.enumerated().map { ($1, $0) })
}
