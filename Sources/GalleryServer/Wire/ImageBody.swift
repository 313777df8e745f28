import Encodings
import Images
import Time

/// One image in the API. Members whose value is not known yet are absent.
struct ImageBody: JSONWritable {
    let image: GalleryImage
    /// Nil for an image that stands for a folder.
    let index: Int?
    let paths: RenditionPath
    var showsTitle = true

    func write(to json: inout JSONWriter) {
        json.object { json in
            writeMembers(to: &json)
            json.member(
                "title",
                !showsTitle
                    ? nil
                    : image.metadata.heading.map {
                        $0.count > Self.titleLength ? $0.prefix(Self.titleLength - 1) + "…" : $0
                    })
        }
    }

    /// The most characters of a title in a page of images.
    private static let titleLength = 120

    /// The members of an image, except for its title.
    func writeMembers(to json: inout JSONWriter) {
        json.member("id") { $0.value { paths.ids.encrypt(image.id).append(to: &$0) } }
        json.member("index", index)
        json.member("name", image.name)
        json.member("width", image.metadata.width)
        json.member("height", image.metadata.height)
        // The media type of the bytes.
        json.member("type", image.metadata.mediaType)
        // The size of the original.
        json.member("bytes", image.metadata.byteCount)
        // The number of frames or pages, if there are several.
        json.member("frames", image.metadata.frames.flatMap { $0 > 1 ? $0 : nil })
        if let taken = image.metadata.takenAt.map({ PictureTime.dateTime($0) }) {
            json.member("takenAt", taken.text)
            // How much of an incomplete date is known; absent if the time is known.
            json.member("takenPrecision", taken.precision?.rawValue)
            // Where the date comes from if it is not metadata.
            json.member("takenFrom", image.isDateFromName ? "name" : nil)
        }
        // A ThumbHash.
        if let placeholder = image.metadata.placeholder {
            json.member("placeholder") { $0.value { Base64.standard.append(placeholder, to: &$0) } }
        }
        // True if the file is truncated; otherwise absent.
        json.member("incomplete", image.metadata.isIncomplete == true ? true : nil)
        // The URL of each rendition that the sender may have, with `v` if the version is known, so that it can be cached
        // forever.
        json.member("links") { json in
            json.object { json in
                for (name, class_) in Self.links
                where class_ == .renditions || paths.mayDownloadOriginal(ofType: image.metadata.mediaType) {
                    json.member(name) { $0.value { paths.append(name, of: image.id, image.version, class_, to: &$0) } }
                }
            }
        }
    }

    /// Rendition names on the wire.
    private static let links: [(StaticString, SignedLinks.Class)] = [
        ("preview", .renditions), ("tile", .renditions), ("screen", .renditions), ("original", .originals),
    ]
}
