import FoundationEssentials
import GRDB
import Images

/// How `ImageFacts` is written as columns of the index.
enum FactsColumns {
    static let names =
        [
            "width", "height", "mediaType", "byteCount", "frames", "placeholder", "takenAt", "orientation",
            "make", "model", "lens", "exposureTime", "aperture", "sensitivity", "focalLength",
            "latitude", "longitude", "altitude", "isIncomplete",
        ] + third

    /// Those that came with the third form of the index.
    static let third = [
        "isBroken", "rating", "title", "keywords", "location", "city", "state", "country", "examination",
    ]

    static func values(of facts: ImageFacts) -> [DatabaseValue] {
        let camera = facts.camera
        let place = facts.place
        let values: [(any DatabaseValueConvertible)?] = [
            facts.width, facts.height, facts.mediaType, facts.byteCount, facts.frames,
            facts.placeholder.map { Data($0) },
            facts.takenAt, facts.orientation,
            camera?.make, camera?.model, camera?.lens, camera?.exposureTime, camera?.aperture, camera?.sensitivity,
            camera?.focalLength,
            place?.latitude, place?.longitude, place?.altitude,
            facts.isIncomplete, facts.isBroken, facts.rating, facts.title,
            // No keyword has a line's end in it.
            facts.keywords.isEmpty ? nil : facts.keywords.joined(separator: "\n"),
            facts.placeNames?.location, facts.placeNames?.city, facts.placeNames?.state, facts.placeNames?.country,
            facts.examination,
        ]
        return values.map { $0?.databaseValue ?? .null }
    }

    /// - Parameter first: where the first of `names` stands in the row.
    static func facts(_ row: Row, from first: Int) -> ImageFacts {
        var facts = ImageFacts()
        // Columns of this index have the types that were written; a damaged value reads as nothing, never as a trap.
        func value<Value: DatabaseValueConvertible>(_ column: Int) -> Value? {
            Value.fromDatabaseValue(row[first + column] as DatabaseValue)
        }
        facts.width = value(0)
        facts.height = value(1)
        facts.mediaType = value(2)
        facts.byteCount = value(3)
        facts.frames = value(4)
        facts.placeholder = (value(5) as Data?).map { Array($0) }
        facts.takenAt = value(6)
        facts.orientation = value(7)
        var camera = ImageFacts.Camera()
        camera.make = value(8)
        camera.model = value(9)
        camera.lens = value(10)
        camera.exposureTime = value(11)
        camera.aperture = value(12)
        camera.sensitivity = value(13)
        camera.focalLength = value(14)
        if camera != ImageFacts.Camera() { facts.camera = camera }
        if let latitude: Double = value(15), let longitude: Double = value(16) {
            facts.place = ImageFacts.Place(latitude: latitude, longitude: longitude, altitude: value(17))
        }
        facts.isIncomplete = value(18)
        facts.isBroken = value(19)
        facts.rating = value(20)
        facts.title = value(21)
        facts.keywords = (value(22) as String?)?.split(separator: "\n").map(String.init) ?? []
        var names = ImageFacts.PlaceNames()
        names.location = value(23)
        names.city = value(24)
        names.state = value(25)
        names.country = value(26)
        if names != ImageFacts.PlaceNames() { facts.placeNames = names }
        facts.examination = value(27)
        return facts
    }
}
