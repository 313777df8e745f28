import FoundationEssentials
import GRDB
import Images

/// Maps `ImageMetadata` to columns of the index.
enum MetadataColumns {
    static let names =
        [
            "width", "height", "mediaType", "byteCount", "frames", "placeholder", "takenAt", "orientation",
            "make", "model", "lens", "exposureTime", "aperture", "sensitivity", "focalLength",
            "latitude", "longitude", "altitude", "isIncomplete",
        ] + third + later

    /// Columns added in the third schema version.
    static let third = [
        "isBroken", "rating", "title", "keywords", "location", "city", "state", "country", "examination",
    ]

    /// Columns added after the third schema version. Programs that do not know them can still use the index, so the
    /// schema version stays.
    static let later = ["digest", "sidecars", "description"]

    /// The columns that describe a picture, rather than its file or its pixels.
    static let description: Set<String> = [
        "takenAt", "make", "model", "lens", "exposureTime", "aperture", "sensitivity", "focalLength",
        "latitude", "longitude", "altitude", "rating", "title", "keywords", "location", "city", "state", "country",
        "description",
    ]

    static func values(of metadata: ImageMetadata) -> [DatabaseValue] {
        let camera = metadata.camera
        let place = metadata.place
        let values: [(any DatabaseValueConvertible)?] = [
            metadata.width, metadata.height, metadata.mediaType, metadata.byteCount, metadata.frames,
            metadata.placeholder.map { Data($0) },
            metadata.takenAt, metadata.orientation,
            camera?.make, camera?.model, camera?.lens, camera?.exposureTime, camera?.aperture, camera?.sensitivity,
            camera?.focalLength,
            place?.latitude, place?.longitude, place?.altitude,
            metadata.isIncomplete, metadata.isBroken, metadata.rating, metadata.title,
            // Keywords never contain newlines.
            metadata.keywords.isEmpty ? nil : metadata.keywords.joined(separator: "\n"),
            metadata.placeNames?.location, metadata.placeNames?.city, metadata.placeNames?.state,
            metadata.placeNames?.country,
            metadata.readerVersion,
            metadata.digest.map { Int64(bitPattern: $0.rawValue) },
            metadata.sidecars.map { Int64(bitPattern: $0.rawValue) },
            metadata.description,
        ]
        return values.map { $0?.databaseValue ?? .null }
    }

    /// - Parameter first: The index of the first of `names` in the row.
    static func metadata(_ row: StoredRow, from first: Int32) -> ImageMetadata {
        var metadata = ImageMetadata()
        metadata.width = row.count(first)
        metadata.height = row.count(first + 1)
        metadata.mediaType = row.text(first + 2)
        metadata.byteCount = row.integer(first + 3)
        metadata.frames = row.count(first + 4)
        metadata.placeholder = row.bytes(first + 5)
        metadata.takenAt = row.text(first + 6)
        metadata.orientation = row.count(first + 7)
        var camera = ImageMetadata.Camera()
        camera.make = row.text(first + 8)
        camera.model = row.text(first + 9)
        camera.lens = row.text(first + 10)
        camera.exposureTime = row.number(first + 11)
        camera.aperture = row.number(first + 12)
        camera.sensitivity = row.count(first + 13)
        camera.focalLength = row.number(first + 14)
        if camera != ImageMetadata.Camera() { metadata.camera = camera }
        if let latitude = row.number(first + 15), let longitude = row.number(first + 16) {
            metadata.place = ImageMetadata.Place(
                latitude: latitude, longitude: longitude, altitude: row.number(first + 17))
        }
        metadata.isIncomplete = row.flag(first + 18)
        metadata.isBroken = row.flag(first + 19)
        metadata.rating = row.count(first + 20)
        metadata.title = row.text(first + 21)
        metadata.keywords = row.text(first + 22)?.split(separator: "\n").map(String.init) ?? []
        var names = ImageMetadata.PlaceNames()
        names.location = row.text(first + 23)
        names.city = row.text(first + 24)
        names.state = row.text(first + 25)
        names.country = row.text(first + 26)
        if names != ImageMetadata.PlaceNames() { metadata.placeNames = names }
        metadata.readerVersion = row.count(first + 27)
        metadata.digest = row.integer(first + 28).map { ContentDigest(rawValue: UInt64(bitPattern: $0)) }
        metadata.sidecars = row.integer(first + 29).map { SidecarVersion(rawValue: UInt64(bitPattern: $0)) }
        metadata.description = row.text(first + 30)
        return metadata
    }
}
