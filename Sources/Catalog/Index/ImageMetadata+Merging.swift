import Images

extension ImageMetadata {
    /// Newer facts about the same content, combined with these.
    ///
    /// A complete reading with sidecars, or by a program that reads more, knows all that there is: what it does not find
    /// does not exist. A reading that knows nothing about sidecars does not replace what they say.
    func updated(with newer: ImageMetadata) -> ImageMetadata {
        var metadata = newer.filled(from: self)
        if newer.sidecars == nil, sidecars ?? .none != .none {
            metadata.describe(as: filled(from: newer))
            metadata.readerVersion = readerVersion ?? newer.readerVersion
        } else if let version = newer.readerVersion, newer.isBroken != true,
            newer.sidecars != nil || version > readerVersion ?? version
        {
            metadata.describe(as: newer)
        }
        return metadata
    }

    /// Takes over the values of ``MetadataColumns/description``.
    private mutating func describe(as other: ImageMetadata) {
        (takenAt, camera, place, rating) = (other.takenAt, other.camera, other.place, other.rating)
        (title, description) = (other.title, other.description)
        (keywords, placeNames) = (other.keywords, other.placeNames)
    }

    /// These facts, with unknown values filled in from other facts of the same image.
    func filled(from other: ImageMetadata) -> ImageMetadata {
        var metadata = self
        metadata.width = width ?? other.width
        metadata.height = height ?? other.height
        metadata.mediaType = mediaType ?? other.mediaType
        metadata.byteCount = byteCount ?? other.byteCount
        metadata.frames = frames ?? other.frames
        metadata.placeholder = placeholder ?? other.placeholder
        metadata.takenAt = takenAt ?? other.takenAt
        metadata.orientation = orientation ?? other.orientation
        metadata.camera = camera ?? other.camera
        metadata.place = place ?? other.place
        metadata.isIncomplete = isIncomplete ?? other.isIncomplete
        metadata.isBroken = isBroken ?? other.isBroken
        metadata.rating = rating ?? other.rating
        metadata.title = title ?? other.title
        metadata.description = description ?? other.description
        metadata.keywords = keywords.isEmpty ? other.keywords : keywords
        var names = placeNames ?? ImageMetadata.PlaceNames()
        names.location = names.location ?? other.placeNames?.location
        names.city = names.city ?? other.placeNames?.city
        names.state = names.state ?? other.placeNames?.state
        names.country = names.country ?? other.placeNames?.country
        metadata.placeNames = names == ImageMetadata.PlaceNames() ? nil : names
        metadata.digest = digest ?? other.digest
        metadata.readerVersion = readerVersion ?? other.readerVersion
        metadata.sidecars = sidecars ?? other.sidecars
        return metadata
    }

    /// These facts with all values limited to valid ranges: they come from files, origins and nodes that may be
    /// hostile.
    var bounded: ImageMetadata {
        func text(_ value: String?, upTo limit: Int = 256) -> String? {
            guard let value, value.utf8.count > limit else { return value }
            return String(decoding: value.utf8.prefix(limit), as: UTF8.self)
        }
        func finite(_ value: Double?) -> Double? { value.flatMap { $0.isFinite ? $0 : nil } }
        func number<Number: Comparable>(_ value: Number?, in range: ClosedRange<Number>) -> Number? {
            value.flatMap { range.contains($0) ? $0 : nil }
        }
        var metadata = self
        metadata.width = number(width, in: ImageMetadata.sides)
        metadata.height = number(height, in: ImageMetadata.sides)
        metadata.frames = number(frames, in: ImageMetadata.frameCounts)
        metadata.byteCount = number(byteCount, in: 0...Int64.max)
        metadata.orientation = number(orientation, in: 1...8)
        metadata.readerVersion = readerVersion.map { min(max($0, 1), ImageMetadata.currentReader) }
        metadata.camera?.sensitivity = number(camera?.sensitivity, in: ImageMetadata.sensitivities)
        metadata.mediaType = text(mediaType)
        metadata.takenAt = text(takenAt)
        metadata.placeholder = placeholder.flatMap { $0.count <= 64 ? $0 : nil }
        metadata.camera?.make = text(camera?.make)
        metadata.camera?.model = text(camera?.model)
        metadata.camera?.lens = text(camera?.lens)
        metadata.camera?.exposureTime = finite(camera?.exposureTime)
        metadata.camera?.aperture = finite(camera?.aperture)
        metadata.camera?.focalLength = finite(camera?.focalLength)
        metadata.place?.altitude = finite(place?.altitude)
        metadata.rating = rating.flatMap { $0 == -1 || (1...5).contains($0) ? $0 : nil }
        metadata.title = text(title, upTo: ImageMetadata.maximumTitle)
        metadata.description = text(description, upTo: ImageMetadata.maximumDescription)
        metadata.keywords = keywords.prefix(ImageMetadata.maximumKeywords).compactMap {
            $0.isEmpty || $0.contains(where: \.isNewline) ? nil : text($0, upTo: ImageMetadata.maximumKeyword)
        }
        metadata.placeNames?.location = text(placeNames?.location)
        metadata.placeNames?.city = text(placeNames?.city)
        metadata.placeNames?.state = text(placeNames?.state)
        metadata.placeNames?.country = text(placeNames?.country)
        if let place, !place.isOnEarth { metadata.place = nil }
        return metadata
    }
}
