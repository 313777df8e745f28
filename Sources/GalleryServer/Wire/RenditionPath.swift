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
