import FoundationEssentials
import Images

/// One image as the API tells of it. What is not known yet is absent.
struct ImageBody: Encodable, Sendable {
    let id: String
    let index: Int
    let name: String
    let width: Int?
    let height: Int?
    /// What the bytes are, as a media type.
    let type: String?
    /// The original's size.
    let bytes: Int64?
    /// How many frames or pages it has, where they are several.
    let frames: Int?
    let takenAt: String?
    /// A ThumbHash in base64.
    let placeholder: String?
    /// True where the file ends before its picture does; absent otherwise.
    let incomplete: Bool?
    let links: Links

    init(_ image: GalleryImage, at index: Int) {
        id = image.id.description
        self.index = index
        name = image.name
        width = image.facts.width
        height = image.facts.height
        type = image.facts.mediaType
        bytes = image.facts.byteCount
        frames = image.facts.frames.flatMap { $0 > 1 ? $0 : nil }
        takenAt = image.facts.takenAt
        placeholder = image.facts.placeholder.map { Data($0).base64EncodedString() }
        incomplete = image.facts.isIncomplete == true ? true : nil
        links = Links(image)
    }

    /// Where each rendition is had; with `v` where the content is known, so that it may be kept for ever.
    struct Links: Encodable, Sendable {
        let preview: String
        let tile: String
        let screen: String
        let original: String

        init(_ image: GalleryImage) {
            preview = RenditionPath.path(of: .preview, image: image.id, version: image.version)
            tile = RenditionPath.path(of: .tile, image: image.id, version: image.version)
            screen = RenditionPath.path(of: .screen, image: image.id, version: image.version)
            original = RenditionPath.path(of: .original, image: image.id, version: image.version)
        }
    }
}
