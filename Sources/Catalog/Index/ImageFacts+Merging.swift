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
        return facts
    }

    /// These facts within the bounds of what can be: what is learnt comes from files and origins that may be hostile.
    var bounded: ImageFacts {
        func text(_ value: String?) -> String? { value.map { String(decoding: $0.utf8.prefix(256), as: UTF8.self) } }
        func finite(_ value: Double?) -> Double? { value.flatMap { $0.isFinite ? $0 : nil } }
        var facts = self
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
        if let place, !place.latitude.isFinite || !place.longitude.isFinite { facts.place = nil }
        return facts
    }
}
