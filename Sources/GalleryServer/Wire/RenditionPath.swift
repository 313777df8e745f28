import Images

/// The paths at which renditions are had; made and read in this one place.
enum RenditionPath {
    static let pattern = "/images/{id}/{rendition}"

    /// What stands before a rendition's name.
    static func start(of image: ImageID) -> String { "/images/\(image)/" }

    /// What stands after it: nothing while the content is unknown.
    static func query(of version: ContentVersion?) -> String { version.map { "?v=\($0)" } ?? "" }

    /// `/images/ID/tile?token=T`.
    static func path(of rendition: Rendition, image: ImageID, token: String) -> String {
        "/images/\(image)/\(rendition.rawValue)?token=\(token)"
    }
}

extension Rendition {
    /// All that there are, for people.
    static let words = "preview, tile, screen, original, 160, 320, 640, 1280, 1600, 2560, full and pyramid"
}
