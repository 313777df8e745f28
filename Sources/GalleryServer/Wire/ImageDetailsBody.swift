import Images

/// One image with all that its metadata says.
struct ImageDetailsBody: JSONWritable {
    let image: GalleryImage
    /// Where it stands in the sources' own order.
    let index: Int
    /// The folder that it lies in, as ``Catalog/folders(in:)`` names it; nil of what lies in none.
    let folder: String?

    /// The members of a page's image, and beside them what only the details have.
    func write(to json: inout JSONWriter) {
        let facts = image.facts
        json.object { json in
            ImageBody(image: image, index: index).writeMembers(to: &json)
            json.member("folder", folder)
            json.member("orientation", facts.orientation)
            if let camera = facts.camera { json.member("camera") { Self.write(camera, to: &$0) } }
            if let place = facts.place { json.member("place") { Self.write(place, to: &$0) } }
            json.member("rating", facts.rating)
            json.member("title", facts.title)
            if !facts.keywords.isEmpty {
                json.member("keywords") { json in json.list(facts.keywords) { $0.value($1) } }
            }
            if let names = facts.placeNames { json.member("placeNames") { Self.write(names, to: &$0) } }
            json.member("broken", facts.isBroken == true ? true : nil)
        }
    }

    private static func write(_ camera: ImageFacts.Camera, to json: inout JSONWriter) {
        json.object { json in
            json.member("make", camera.make)
            json.member("model", camera.model)
            json.member("lens", camera.lens)
            json.member("exposureTime", camera.exposureTime)
            json.member("aperture", camera.aperture)
            json.member("sensitivity", camera.sensitivity)
            json.member("focalLength", camera.focalLength)
        }
    }

    private static func write(_ place: ImageFacts.Place, to json: inout JSONWriter) {
        json.object { json in
            json.member("latitude", place.latitude)
            json.member("longitude", place.longitude)
            json.member("altitude", place.altitude)
        }
    }

    private static func write(_ names: ImageFacts.PlaceNames, to json: inout JSONWriter) {
        json.object { json in
            json.member("location", names.location)
            json.member("city", names.city)
            json.member("state", names.state)
            json.member("country", names.country)
        }
    }
}
