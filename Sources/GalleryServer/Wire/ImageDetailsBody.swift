import Encodings
import Images

/// One image with all its metadata.
struct ImageDetailsBody: JSONWritable {
    let image: GalleryImage
    /// The position in the sources' own order.
    let index: Int
    /// The folder that contains it, as named by ``Catalog/folders(in:)``; nil if there is none.
    let folder: String?
    let paths: RenditionPath
    var showsMetadata = true
    var showsPlace = true

    /// The members of an image in a page, followed by those that only the details have.
    func write(to json: inout JSONWriter) {
        let metadata = image.metadata
        json.object { json in
            ImageBody(image: image, index: index, paths: paths).writeMembers(to: &json)
            json.member("folder", folder)
            json.member("orientation", metadata.orientation)
            json.member("broken", metadata.isBroken == true ? true : nil)
            if showsPlace {
                if let place = metadata.place { json.member("place") { Self.write(place, to: &$0) } }
                if let names = metadata.placeNames { json.member("placeNames") { Self.write(names, to: &$0) } }
            }
            guard showsMetadata else { return }
            if let camera = metadata.camera { json.member("camera") { Self.write(camera, to: &$0) } }
            json.member("rating", metadata.rating)
            json.member("title", metadata.heading)
            let isDescriptionNew = metadata.title != nil && metadata.title != metadata.description
            json.member("description", isDescriptionNew ? metadata.description : nil)
            json.member("keywords", metadata.keywords.isEmpty ? nil : metadata.keywords)
        }
    }

    private static func write(_ camera: ImageMetadata.Camera, to json: inout JSONWriter) {
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

    private static func write(_ place: ImageMetadata.Place, to json: inout JSONWriter) {
        json.object { json in
            json.member("latitude", place.latitude)
            json.member("longitude", place.longitude)
            json.member("altitude", place.altitude)
        }
    }

    private static func write(_ names: ImageMetadata.PlaceNames, to json: inout JSONWriter) {
        json.object { json in
            json.member("location", names.location)
            json.member("city", names.city)
            json.member("state", names.state)
            json.member("country", names.country)
        }
    }
}

extension ImageMetadata {
    /// A description counts as the title of a picture without one.
    var heading: String? { title ?? description }
}
