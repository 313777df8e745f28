import Images

/// One image as the API tells of it. What is not known yet is absent.
struct ImageBody: JSONWritable {
    let image: GalleryImage
    let index: Int

    func write(to json: inout JSONWriter) {
        json.object { writeMembers(to: &$0) }
    }

    func writeMembers(to json: inout JSONWriter) {
        json.member("id") { $0.value { image.id.append(to: &$0) } }
        json.member("index", index)
        json.member("name", image.name)
        json.member("width", image.facts.width)
        json.member("height", image.facts.height)
        // What the bytes are, as a media type.
        json.member("type", image.facts.mediaType)
        // The original's size.
        json.member("bytes", image.facts.byteCount)
        // Frames or pages, where they are several.
        json.member("frames", image.facts.frames.flatMap { $0 > 1 ? $0 : nil })
        json.member("takenAt", image.facts.takenAt)
        // A ThumbHash.
        if let placeholder = image.facts.placeholder { json.member("placeholder") { $0.value(base64: placeholder) } }
        // True where the file ends before its picture does; absent otherwise.
        json.member("incomplete", image.facts.isIncomplete == true ? true : nil)
        // Where each rendition is had; with `v` where the content is known, so that it may be kept for ever.
        json.member("links") { json in
            json.object { json in
                for name in Self.links {
                    json.member(name) { $0.value { RenditionPath.append(name, of: image.id, image.version, to: &$0) } }
                }
            }
        }
    }

    /// Renditions by their names on the wire.
    private static let links: [StaticString] = ["preview", "tile", "screen", "original"]
}
