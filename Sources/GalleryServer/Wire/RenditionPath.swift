import Accounts
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

    /// Nil in a gallery without accounts.
    var links: SignedLinks?
    /// Adds the links of the principal that the paths are for.
    private var writer: SignedLinks.Writer?
    /// Whether the sender may have originals.
    private var includesOriginals = true
    /// How originals are redacted for the sender; nil if they are sent unchanged.
    private var redaction: OriginalRedaction?

    init(basePath: String = "", ids: ImageIDCipher = .none, links: SignedLinks? = nil) {
        self.basePath = basePath
        self.ids = ids
        self.links = links
    }

    /// The paths for the sender of a request: those of a share lie below its own, those of a principal carry the principal's
    /// links.
    func inside(_ request: Request) -> RenditionPath {
        var paths = self
        paths.includesOriginals = request.principal?.rights.contains(.originals) ?? true
        paths.redaction = OriginalRedaction(for: request)
        if let key = (request.requester as? Requester)?.shareKey {
            paths.basePath += SharePaths.start + key
        } else if let principal = request.principal {
            paths.writer = links?.writer(for: principal)
        }
        return paths
    }

    /// Whether to list an original with this media type; nil while the type is unknown.
    func mayDownloadOriginal(ofType mediaType: String?) -> Bool {
        includesOriginals && redaction.map { $0.applies(to: mediaType) } ?? true
    }

    /// Appends `/images/ID/tile?v=V`, without `v` while the version is unknown; with `r` if there are accounts.
    func append(
        _ rendition: StaticString, of image: ImageID, _ version: ContentVersion?,
        _ class_: SignedLinks.Class = .renditions, to bytes: inout [UInt8]
    ) {
        bytes += basePath.utf8
        Self.append("/images/", to: &bytes)
        ids.encrypt(image).append(to: &bytes)
        Self.append("/", to: &bytes)
        Self.append(rendition, to: &bytes)
        if let version {
            Self.append("?v=", to: &bytes)
            version.append(to: &bytes)
        }
        guard let link = writer?.link(image, version, class_) else { return }
        Self.append(version == nil ? "?r=" : "&r=", to: &bytes)
        link.append(to: &bytes)
    }

    private static func append(_ text: StaticString, to bytes: inout [UInt8]) {
        bytes += UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
    }

    /// `/images/ID/tile?token=T`.
    func path(of rendition: Rendition, image: ImageID, token: String) -> String {
        "\(basePath)/images/\(ids.encrypt(image))/\(rendition.rawValue)?token=\(token)"
    }
}

extension Rendition {
    /// All names, for messages.
    static let words = names.dropLast().joined(separator: ", ") + " and " + names[names.count - 1]
}
