import Images

extension ImageFacts {
    /// These facts, with what they do not know taken from others of the same image.
    func filled(from other: ImageFacts) -> ImageFacts {
        var facts = self
        facts.width = width ?? other.width
        facts.height = height ?? other.height
        facts.mediaType = mediaType ?? other.mediaType
        facts.byteCount = byteCount ?? other.byteCount
        facts.frames = frames ?? other.frames
        facts.placeholder = placeholder ?? other.placeholder
        facts.takenAt = takenAt ?? other.takenAt
        facts.orientation = orientation ?? other.orientation
        facts.camera = camera ?? other.camera
        facts.place = place ?? other.place
        facts.isIncomplete = isIncomplete ?? other.isIncomplete
        facts.isBroken = isBroken ?? other.isBroken
        facts.rating = rating ?? other.rating
        facts.title = title ?? other.title
        facts.keywords = keywords.isEmpty ? other.keywords : keywords
        var names = placeNames ?? ImageFacts.PlaceNames()
        names.location = names.location ?? other.placeNames?.location
        names.city = names.city ?? other.placeNames?.city
        names.state = names.state ?? other.placeNames?.state
        names.country = names.country ?? other.placeNames?.country
        facts.placeNames = names == ImageFacts.PlaceNames() ? nil : names
        facts.digest = digest ?? other.digest
        facts.examination = examination ?? other.examination
        return facts
    }

    /// These facts within the bounds of what can be: what is learnt comes from files, origins and nodes that may be hostile.
    var bounded: ImageFacts {
        func text(_ value: String?, upTo limit: Int = 256) -> String? {
            guard let value, value.utf8.count > limit else { return value }
            return String(decoding: value.utf8.prefix(limit), as: UTF8.self)
        }
        func finite(_ value: Double?) -> Double? { value.flatMap { $0.isFinite ? $0 : nil } }
        func number<Number: Comparable>(_ value: Number?, in range: ClosedRange<Number>) -> Number? {
            value.flatMap { range.contains($0) ? $0 : nil }
        }
        var facts = self
        facts.width = number(width, in: ImageFacts.sides)
        facts.height = number(height, in: ImageFacts.sides)
        facts.frames = number(frames, in: ImageFacts.frameCounts)
        facts.byteCount = number(byteCount, in: 0...Int64.max)
        facts.orientation = number(orientation, in: 1...8)
        facts.examination = examination.map { min(max($0, 1), ImageFacts.presentExamination) }
        facts.camera?.sensitivity = number(camera?.sensitivity, in: ImageFacts.sensitivities)
        facts.mediaType = text(mediaType)
        facts.takenAt = text(takenAt)
        facts.placeholder = placeholder.flatMap { $0.count <= 64 ? $0 : nil }
        facts.camera?.make = text(camera?.make)
        facts.camera?.model = text(camera?.model)
        facts.camera?.lens = text(camera?.lens)
        facts.camera?.exposureTime = finite(camera?.exposureTime)
        facts.camera?.aperture = finite(camera?.aperture)
        facts.camera?.focalLength = finite(camera?.focalLength)
        facts.place?.altitude = finite(place?.altitude)
        facts.rating = rating.flatMap { $0 == -1 || (1...5).contains($0) ? $0 : nil }
        facts.title = text(title, upTo: ImageFacts.maximumTitle)
        facts.keywords = keywords.prefix(ImageFacts.maximumKeywords).compactMap {
            $0.isEmpty || $0.contains(where: \.isNewline) ? nil : text($0, upTo: ImageFacts.maximumKeyword)
        }
        facts.placeNames?.location = text(placeNames?.location)
        facts.placeNames?.city = text(placeNames?.city)
        facts.placeNames?.state = text(placeNames?.state)
        facts.placeNames?.country = text(placeNames?.country)
        if let place, !place.isOnEarth { facts.place = nil }
        return facts
    }
}
