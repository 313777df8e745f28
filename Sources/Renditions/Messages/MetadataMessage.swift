import Images

extension ImageMetadata {
    /// The media types that an original can have.
    fileprivate static let mediaTypes = Set(ImageFormat.all.filter { $0.decoder != nil }.flatMap(\.mediaTypes))
}

extension MessageWriter {
    package mutating func metadata(_ metadata: ImageMetadata) {
        let write = { (writer: inout MessageWriter, value: Int) in writer.number(Int64(value)) }
        optional(metadata.width, write)
        optional(metadata.height, write)
        optional(metadata.mediaType) { $0.text($1) }
        optional(metadata.byteCount) { $0.number($1) }
        optional(metadata.frames, write)
        optional(metadata.placeholder) { $0.block($1) }
        optional(metadata.takenAt) { $0.text($1) }
        optional(metadata.orientation, write)
        optional(metadata.isIncomplete) { $0.flag($1) }
        optional(metadata.camera) { writer, camera in
            for text in [camera.make, camera.model, camera.lens] { writer.optional(text) { $0.text($1) } }
            for value in [camera.exposureTime, camera.aperture, camera.focalLength] {
                writer.optional(value) { $0.number($1.bitPattern) }
            }
            writer.optional(camera.sensitivity, write)
        }
        optional(metadata.place) { writer, place in
            writer.number(place.latitude.bitPattern)
            writer.number(place.longitude.bitPattern)
            writer.optional(place.altitude) { $0.number($1.bitPattern) }
        }
        optional(metadata.isBroken) { $0.flag($1) }
        optional(metadata.rating, write)
        optional(metadata.title) { $0.text($1, upTo: ImageMetadata.maximumTitle) }
        optional(metadata.description) { $0.text($1, upTo: ImageMetadata.maximumDescription) }
        let keywords = metadata.keywords.prefix(ImageMetadata.maximumKeywords)
        number(UInt8(keywords.count))
        for keyword in keywords { text(keyword, upTo: ImageMetadata.maximumKeyword) }
        optional(metadata.placeNames) { writer, names in
            for name in [names.location, names.city, names.state, names.country] {
                writer.optional(name) { $0.text($1, upTo: ImageMetadata.maximumPlaceName) }
            }
        }
        optional(metadata.digest) { $0.number($1.rawValue) }
        optional(metadata.readerVersion, write)
    }
}

extension MessageReader {
    /// Facts within plausible limits.
    package mutating func metadata() throws(MessageError) -> ImageMetadata {
        var metadata = ImageMetadata()
        metadata.width = try optional { reader throws(MessageError) in
            try reader.count(in: ImageMetadata.sides, "width")
        }
        metadata.height = try optional { reader throws(MessageError) in
            try reader.count(in: ImageMetadata.sides, "height")
        }
        metadata.mediaType = try optional { reader throws(MessageError) in
            let type = try reader.text(upTo: 64, "mediaType")
            guard ImageMetadata.mediaTypes.contains(type) else { throw MessageError("mediaType is \(type)") }
            return type
        }
        metadata.byteCount = try optional { reader throws(MessageError) in
            try reader.integer(in: 0...Int64.max, "byteCount")
        }
        metadata.frames = try optional { reader throws(MessageError) in
            try reader.count(in: ImageMetadata.frameCounts, "frames")
        }
        metadata.placeholder = try optional { reader throws(MessageError) in
            Array(try reader.block(upTo: 25, "placeholder"))
        }
        metadata.takenAt = try optional { reader throws(MessageError) in try reader.text(upTo: 64, "takenAt") }
        metadata.orientation = try optional { reader throws(MessageError) in
            Int(try reader.integer(in: 1...8, "orientation"))
        }
        metadata.isIncomplete = try optional { reader throws(MessageError) in try reader.flag() }
        metadata.camera = try optional { reader throws(MessageError) in try reader.camera() }
        metadata.place = try optional { reader throws(MessageError) in try reader.place() }
        metadata.isBroken = try optional { reader throws(MessageError) in try reader.flag() }
        metadata.rating = try optional { reader throws(MessageError) in
            let rating = Int(try reader.integer(in: -1...5, "rating"))
            guard rating != 0 else { throw MessageError("a rating of nothing") }
            return rating
        }
        metadata.title = try optional { reader throws(MessageError) in
            try reader.text(upTo: ImageMetadata.maximumTitle, "title")
        }
        metadata.description = try optional { reader throws(MessageError) in
            try reader.text(upTo: ImageMetadata.maximumDescription, "description")
        }
        metadata.keywords = try keywords()
        metadata.placeNames = try optional { reader throws(MessageError) in try reader.placeNames() }
        metadata.digest = try optional { reader throws(MessageError) in
            ContentDigest(rawValue: try reader.number(UInt64.self))
        }
        metadata.readerVersion = try optional { reader throws(MessageError) in
            Int(try reader.integer(in: 1...Int64(ImageMetadata.currentReader), "examination"))
        }
        return metadata
    }

    private mutating func keywords() throws(MessageError) -> [String] {
        let count = Int(try number(UInt8.self))
        guard count <= ImageMetadata.maximumKeywords else { throw MessageError("\(count) keywords") }
        var keywords: [String] = []
        for _ in 0..<count { keywords.append(try text(upTo: ImageMetadata.maximumKeyword, "keyword")) }
        return keywords
    }

    private mutating func placeNames() throws(MessageError) -> ImageMetadata.PlaceNames {
        func name(_ reader: inout MessageReader) throws(MessageError) -> String? {
            try reader.optional { reader throws(MessageError) in
                try reader.text(upTo: ImageMetadata.maximumPlaceName, "place")
            }
        }
        var names = ImageMetadata.PlaceNames()
        names.location = try name(&self)
        names.city = try name(&self)
        names.state = try name(&self)
        names.country = try name(&self)
        return names
    }

    private mutating func camera() throws(MessageError) -> ImageMetadata.Camera {
        // Texts have at most 100 characters, each of which may take several bytes.
        func text(_ reader: inout MessageReader) throws(MessageError) -> String? {
            try reader.optional { reader throws(MessageError) in try reader.text(upTo: 2_048, "camera") }
        }
        func number(_ reader: inout MessageReader) throws(MessageError) -> Double? {
            try reader.optional { reader throws(MessageError) in try reader.finite("camera") }
        }
        var camera = ImageMetadata.Camera()
        camera.make = try text(&self)
        camera.model = try text(&self)
        camera.lens = try text(&self)
        camera.exposureTime = try number(&self)
        camera.aperture = try number(&self)
        camera.focalLength = try number(&self)
        camera.sensitivity = try optional { reader throws(MessageError) in
            try reader.count(in: ImageMetadata.sensitivities, "sensitivity")
        }
        return camera
    }

    private mutating func place() throws(MessageError) -> ImageMetadata.Place {
        let (latitude, longitude) = (try finite("latitude"), try finite("longitude"))
        let altitude = try optional { reader throws(MessageError) in try reader.finite("altitude") }
        let place = ImageMetadata.Place(latitude: latitude, longitude: longitude, altitude: altitude)
        guard place.isOnEarth else { throw MessageError("a location outside the earth") }
        return place
    }

    private mutating func count(in range: ClosedRange<Int>, _ field: String) throws(MessageError) -> Int {
        Int(try integer(in: Int64(range.lowerBound)...Int64(range.upperBound), field))
    }
}
