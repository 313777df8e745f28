import HTTPServer
import Images

/// Builds the paths of renditions; they are built nowhere else.
struct RenditionPath: Sendable {
    /// The pattern of the route.
    static let pattern = "/images/{id}/{rendition}"

    /// The path prefix under which the gallery is served, such as `/gallery`, or empty.
    var basePath = ""
    /// Translates ids for clients.
    var ids = ImageIDCipher.none

    /// The paths for the sender of a request: those of a share lie below its own.
    func inside(_ request: Request) -> RenditionPath {
        guard let key = (request.visitor as? Visitor)?.shareKey else { return self }
        var paths = self
        paths.basePath += SharePaths.start + key
        return paths
    }

    /// Appends `/images/ID/tile?v=V`, without `v` while the version is unknown.
    func append(_ rendition: StaticString, of image: ImageID, _ version: ContentVersion?, to bytes: inout [UInt8]) {
        bytes += basePath.utf8
        Self.append("/images/", to: &bytes)
        ids.seal(image).append(to: &bytes)
        Self.append("/", to: &bytes)
        Self.append(rendition, to: &bytes)
        guard let version else { return }
        Self.append("?v=", to: &bytes)
        version.append(to: &bytes)
    }

    private static func append(_ text: StaticString, to bytes: inout [UInt8]) {
        bytes += UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
    }

    /// `/images/ID/tile?token=T`.
    func path(of rendition: Rendition, image: ImageID, token: String) -> String {
        "\(basePath)/images/\(ids.seal(image))/\(rendition.rawValue)?token=\(token)"
    }
}

extension Rendition {
    /// All names, for messages.
    static let words = names.dropLast().joined(separator: ", ") + " and " + names[names.count - 1]
}
