import Images

/// The paths of renditions; the only place where they are built.
enum RenditionPath {
    static let pattern = "/images/{id}/{rendition}"

    /// Appends `/images/ID/tile?v=V`, without `v` while the version is unknown.
    static func append(
        _ rendition: StaticString, of image: ImageID, _ version: ContentVersion?, to bytes: inout [UInt8]
    ) {
        append("/images/", to: &bytes)
        image.append(to: &bytes)
        append("/", to: &bytes)
        append(rendition, to: &bytes)
        guard let version else { return }
        append("?v=", to: &bytes)
        version.append(to: &bytes)
    }

    private static func append(_ text: StaticString, to bytes: inout [UInt8]) {
        bytes += UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
    }

    /// `/images/ID/tile?token=T`.
    static func path(of rendition: Rendition, image: ImageID, token: String) -> String {
        "/images/\(image)/\(rendition.rawValue)?token=\(token)"
    }
}

extension Rendition {
    /// All names, for messages.
    static let words = names.dropLast().joined(separator: ", ") + " and " + names[names.count - 1]
}
