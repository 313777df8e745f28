import FoundationEssentials
import Images

/// One image as the API tells of it. What is not known yet is absent.
struct ImageBody: JSONWritable {
    let image: GalleryImage
    let index: Int

    func write(to json: inout JSONWriter) {
        json.object { writeMembers(to: &$0) }
    }

    func writeMembers(to json: inout JSONWriter) {
        let facts = image.facts
        json.member("id", image.id.description)
        json.member("index", index)
        json.member("name", image.name)
        json.member("width", facts.width)
        json.member("height", facts.height)
        // What the bytes are, as a media type.
        json.member("type", facts.mediaType)
        // The original's size.
        json.member("bytes", facts.byteCount)
        // Frames or pages, where they are several.
        json.member("frames", facts.frames.flatMap { $0 > 1 ? $0 : nil })
        json.member("takenAt", facts.takenAt)
        // A ThumbHash.
        json.member("placeholder", facts.placeholder.map { Data($0).base64EncodedString() })
        // True where the file ends before its picture does; absent otherwise.
        json.member("incomplete", facts.isIncomplete == true ? true : nil)
        // Where each rendition is had; with `v` where the content is known, so that it may be kept for ever.
        json.member("links") { json in
            json.object { json in
                // Four of each image: put together of bytes that are written once.
                let start = Array(RenditionPath.start(of: image.id).utf8)
                let end = Array(RenditionPath.query(of: image.version).utf8)
                for name in Self.links { json.member(name) { $0.value(plain: start, name, end) } }
            }
        }
    }

    /// Renditions by their names on the wire.
    private static let links: [StaticString] = ["preview", "tile", "screen", "original"]
}
