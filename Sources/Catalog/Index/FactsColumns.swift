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
        ] + third + later

    /// Those that came with the third form of the index.
    static let third = [
        "isBroken", "rating", "title", "keywords", "location", "city", "state", "country", "examination",
    ]

    /// Those that came since: programs that do not know them can go on with the index, so it has the same form.
    static let later = ["digest"]

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
            facts.digest.map { Int64(bitPattern: $0.rawValue) },
        ]
        return values.map { $0?.databaseValue ?? .null }
    }

    /// - Parameter first: where the first of `names` stands in the row.
    static func facts(_ row: StoredRow, from first: Int32) -> ImageFacts {
        var facts = ImageFacts()
        facts.width = row.count(first)
        facts.height = row.count(first + 1)
        facts.mediaType = row.text(first + 2)
        facts.byteCount = row.integer(first + 3)
        facts.frames = row.count(first + 4)
        facts.placeholder = row.bytes(first + 5)
        facts.takenAt = row.text(first + 6)
        facts.orientation = row.count(first + 7)
        var camera = ImageFacts.Camera()
        camera.make = row.text(first + 8)
        camera.model = row.text(first + 9)
        camera.lens = row.text(first + 10)
        camera.exposureTime = row.number(first + 11)
        camera.aperture = row.number(first + 12)
        camera.sensitivity = row.count(first + 13)
        camera.focalLength = row.number(first + 14)
        if camera != ImageFacts.Camera() { facts.camera = camera }
        if let latitude = row.number(first + 15), let longitude = row.number(first + 16) {
            facts.place = ImageFacts.Place(latitude: latitude, longitude: longitude, altitude: row.number(first + 17))
        }
        facts.isIncomplete = row.flag(first + 18)
        facts.isBroken = row.flag(first + 19)
        facts.rating = row.count(first + 20)
        facts.title = row.text(first + 21)
        facts.keywords = row.text(first + 22)?.split(separator: "\n").map(String.init) ?? []
        var names = ImageFacts.PlaceNames()
        names.location = row.text(first + 23)
        names.city = row.text(first + 24)
        names.state = row.text(first + 25)
        names.country = row.text(first + 26)
        if names != ImageFacts.PlaceNames() { facts.placeNames = names }
        facts.examination = row.count(first + 27)
        facts.digest = row.integer(first + 28).map { ContentDigest(rawValue: UInt64(bitPattern: $0)) }
        return facts
    }
}
