import Images

/// The paths at which renditions are had; made and read in this one place.
enum RenditionPath {
    static let pattern = "/images/{id}/{rendition}"

    /// `/images/ID/tile?v=V`, or without `v` while the content is unknown.
    static func path(of rendition: Rendition, image: ImageID, version: ContentVersion?) -> String {
        let path = "/images/\(image)/\(rendition.rawValue)"
        guard let version else { return path }
        return path + "?v=\(version)"
    }

    /// `/images/ID/tile?token=T`.
    static func path(of rendition: Rendition, image: ImageID, token: String) -> String {
        "/images/\(image)/\(rendition.rawValue)?token=\(token)"
    }
}

extension Rendition {
    /// All that there are, for people.
    static let words = "preview, tile, screen, original, 160, 320, 640, 1280, 1600, 2560 and full"
}
