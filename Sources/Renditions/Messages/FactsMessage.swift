import Images

extension ImageFacts {
    /// What originals may be.
    fileprivate static let mediaTypes: Set<String> = [
        "image/jpeg", "image/png", "image/apng", "image/vnd.mozilla.apng", "image/gif", "image/webp", "image/heic",
        "image/heif", "image/heic-sequence", "image/heif-sequence", "image/avif", "image/avif-sequence", "image/avis",
        "image/tiff", "image/svg+xml", "image/jxl",
    ]
}

extension MessageWriter {
    package mutating func facts(_ facts: ImageFacts) {
        let write = { (writer: inout MessageWriter, value: Int) in writer.number(Int64(value)) }
        optional(facts.width, write)
        optional(facts.height, write)
        optional(facts.mediaType) { $0.text($1) }
        optional(facts.byteCount) { $0.number($1) }
        optional(facts.frames, write)
        optional(facts.placeholder) { $0.block($1) }
        optional(facts.takenAt) { $0.text($1) }
        optional(facts.orientation, write)
        optional(facts.isIncomplete) { $0.flag($1) }
        optional(facts.camera) { writer, camera in
            for text in [camera.make, camera.model, camera.lens] { writer.optional(text) { $0.text($1) } }
            for value in [camera.exposureTime, camera.aperture, camera.focalLength] {
                writer.optional(value) { $0.number($1.bitPattern) }
            }
            writer.optional(camera.sensitivity, write)
        }
        optional(facts.place) { writer, place in
            writer.number(place.latitude.bitPattern)
            writer.number(place.longitude.bitPattern)
            writer.optional(place.altitude) { $0.number($1.bitPattern) }
        }
        optional(facts.isBroken) { $0.flag($1) }
        optional(facts.rating, write)
        optional(facts.title) { $0.text($1, upTo: ImageFacts.maximumTitle) }
        let keywords = facts.keywords.prefix(ImageFacts.maximumKeywords)
        number(UInt8(keywords.count))
        for keyword in keywords { text(keyword, upTo: ImageFacts.maximumKeyword) }
        optional(facts.placeNames) { writer, names in
            for name in [names.location, names.city, names.state, names.country] {
                writer.optional(name) { $0.text($1, upTo: ImageFacts.maximumPlaceName) }
            }
        }
        optional(facts.digest) { $0.number($1.rawValue) }
        optional(facts.examination, write)
    }
}

extension MessageReader {
    /// Facts within the bounds of what can be.
    package mutating func facts() throws(MessageError) -> ImageFacts {
        var facts = ImageFacts()
        facts.width = try optional { reader throws(MessageError) in try reader.count(in: ImageFacts.sides, "width") }
        facts.height = try optional { reader throws(MessageError) in try reader.count(in: ImageFacts.sides, "height") }
        facts.mediaType = try optional { reader throws(MessageError) in
            let type = try reader.text(upTo: 64, "mediaType")
            guard ImageFacts.mediaTypes.contains(type) else { throw MessageError("mediaType is \(type)") }
            return type
        }
        facts.byteCount = try optional { reader throws(MessageError) in
            try reader.integer(in: 0...Int64.max, "byteCount")
        }
        facts.frames = try optional { reader throws(MessageError) in
            try reader.count(in: ImageFacts.frameCounts, "frames")
        }
        facts.placeholder = try optional { reader throws(MessageError) in
            Array(try reader.block(upTo: 25, "placeholder"))
        }
        facts.takenAt = try optional { reader throws(MessageError) in try reader.text(upTo: 64, "takenAt") }
        facts.orientation = try optional { reader throws(MessageError) in
            Int(try reader.integer(in: 1...8, "orientation"))
        }
        facts.isIncomplete = try optional { reader throws(MessageError) in try reader.flag() }
        facts.camera = try optional { reader throws(MessageError) in try reader.camera() }
        facts.place = try optional { reader throws(MessageError) in try reader.place() }
        facts.isBroken = try optional { reader throws(MessageError) in try reader.flag() }
        facts.rating = try optional { reader throws(MessageError) in
            let rating = Int(try reader.integer(in: -1...5, "rating"))
            guard rating != 0 else { throw MessageError("a rating of nothing") }
            return rating
        }
        facts.title = try optional { reader throws(MessageError) in
            try reader.text(upTo: ImageFacts.maximumTitle, "title")
        }
        facts.keywords = try keywords()
        facts.placeNames = try optional { reader throws(MessageError) in try reader.placeNames() }
        facts.digest = try optional { reader throws(MessageError) in
            ContentDigest(rawValue: try reader.number(UInt64.self))
        }
        facts.examination = try optional { reader throws(MessageError) in
            Int(try reader.integer(in: 1...Int64(ImageFacts.presentExamination), "examination"))
        }
        return facts
    }

    private mutating func keywords() throws(MessageError) -> [String] {
        let count = Int(try number(UInt8.self))
        guard count <= ImageFacts.maximumKeywords else { throw MessageError("\(count) keywords") }
        var keywords: [String] = []
        for _ in 0..<count { keywords.append(try text(upTo: ImageFacts.maximumKeyword, "keyword")) }
        return keywords
    }

    private mutating func placeNames() throws(MessageError) -> ImageFacts.PlaceNames {
        func name(_ reader: inout MessageReader) throws(MessageError) -> String? {
            try reader.optional { reader throws(MessageError) in
                try reader.text(upTo: ImageFacts.maximumPlaceName, "place")
            }
        }
        var names = ImageFacts.PlaceNames()
        names.location = try name(&self)
        names.city = try name(&self)
        names.state = try name(&self)
        names.country = try name(&self)
        return names
    }

    private mutating func camera() throws(MessageError) -> ImageFacts.Camera {
        // Texts of at most 100 characters, each perhaps of several bytes.
        func text(_ reader: inout MessageReader) throws(MessageError) -> String? {
            try reader.optional { reader throws(MessageError) in try reader.text(upTo: 2_048, "camera") }
        }
        func number(_ reader: inout MessageReader) throws(MessageError) -> Double? {
            try reader.optional { reader throws(MessageError) in try reader.finite("camera") }
        }
        var camera = ImageFacts.Camera()
        camera.make = try text(&self)
        camera.model = try text(&self)
        camera.lens = try text(&self)
        camera.exposureTime = try number(&self)
        camera.aperture = try number(&self)
        camera.focalLength = try number(&self)
        camera.sensitivity = try optional { reader throws(MessageError) in
            try reader.count(in: ImageFacts.sensitivities, "sensitivity")
        }
        return camera
    }

    private mutating func place() throws(MessageError) -> ImageFacts.Place {
        let (latitude, longitude) = (try finite("latitude"), try finite("longitude"))
        let altitude = try optional { reader throws(MessageError) in try reader.finite("altitude") }
        let place = ImageFacts.Place(latitude: latitude, longitude: longitude, altitude: altitude)
        guard place.isOnEarth else { throw MessageError("a place outside of the earth") }
        return place
    }

    private mutating func count(in range: ClosedRange<Int>, _ field: String) throws(MessageError) -> Int {
        Int(try integer(in: Int64(range.lowerBound)...Int64(range.upperBound), field))
    }
}
