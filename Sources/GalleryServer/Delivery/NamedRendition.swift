import HTTPServer
import HTTPTypes
import Images
import Loading
import Renditions

/// The answer that is given most often: a rendition that the URL names by its version, from memory, to a client that
/// wants the whole of it. Its head is the same for all but for the entity tag, and is written once for each format.
enum NamedRendition {
    private static let heads: [String: PreparedHead] = Dictionary(
        uniqueKeysWithValues: OutputFormat.allCases.compactMap { format in
            var headers = SecurityHeaders.picture
            headers[.cacheControl] = Delivery.forEver
            headers[.vary] = "Accept"
            headers[.acceptRanges] = "bytes"
            headers[.contentType] = format.mediaType
            return (try? PreparedHead(headers: headers)).map { (format.mediaType, $0) }
        })

    /// Nil when the request sets conditions or wants a part.
    static func whole(_ rendered: RenditionBytes, _ rendition: Rendition, to request: Request) -> Response? {
        guard !rendered.isStale, !request.headers.asksForLess,
            let head = try? heads[rendered.mediaType]?.adding(
                .eTag, "\"\(RenditionTag.text(of: rendered, rendition))\"")
        else { return nil }
        return .prepared(head, body: .bytes(rendered.bytes))
    }
}

/// What names one encoding of one rendition of one content.
enum RenditionTag {
    static func text(of rendered: RenditionBytes, _ rendition: Rendition) -> String {
        "\(rendered.version)-\(rendition.rawValue)-\(rendered.mediaType.dropFirst("image/".count))"
    }
}
