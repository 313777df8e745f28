import HTTPDates
import HTTPServer
import HTTPTypes
import Images
import Loading
import Locking
import Renditions

/// The answer that is given most often: a rendition from memory, to a client that wants the whole of it. Its head is
/// written once and kept for the next.
final class RenditionHeads: Sendable {
    private struct Key: Hashable {
        let version: ContentVersion
        let rendition: Rendition
        let mediaType: String
        let isIncomplete: Bool
        let isNamed: Bool
    }

    /// How many heads are kept, of some hundred bytes each; then all are let go, for it costs little to begin anew.
    private static let capacity = 4_096

    private let heads = Guarded<[Key: PreparedHead]>([:])

    /// Nil when the request sets conditions or wants a part.
    ///
    /// - Parameter isNamed: whether the URL names this very content, so that the answer is true for ever.
    func whole(_ rendered: RenditionBytes, _ rendition: Rendition, isNamed: Bool, to request: Request) -> Response? {
        guard !rendered.isStale, !request.headers.asksForLess,
            let head = head(of: rendered, rendition, isNamed: isNamed)
        else {
            return nil
        }
        return .prepared(head, body: .bytes(rendered.bytes))
    }

    /// - Parameter isNamed: as for `whole`.
    func head(of rendered: RenditionBytes, _ rendition: Rendition, isNamed: Bool) -> PreparedHead? {
        let key = Key(
            version: rendered.version, rendition: rendition, mediaType: rendered.mediaType,
            isIncomplete: rendered.isIncomplete, isNamed: isNamed)
        if let known = heads.withLock({ $0[key] }) { return known }
        guard let head = try? PreparedHead(headers: Self.headers(of: rendered, rendition, isNamed)) else { return nil }
        heads.withLock { heads in
            if heads.count >= Self.capacity { heads.removeAll(keepingCapacity: true) }
            heads[key] = head
        }
        return head
    }

    private static func headers(of rendered: RenditionBytes, _ rendition: Rendition, _ isNamed: Bool) -> HTTPFields {
        var headers = SecurityHeaders.picture
        headers[.cacheControl] = isNamed ? Delivery.forEver : Delivery.revalidated
        headers[.vary] = "Accept"
        headers[.acceptRanges] = "bytes"
        headers[.contentType] = rendered.mediaType
        headers[.eTag] = EntityTag(RenditionTag.text(of: rendered, rendition))?.description
        headers[.lastModified] = rendered.modified.map { HTTPDate(seconds: $0).description }
        if rendered.isIncomplete { headers[.tesseraIncomplete] = "1" }
        return headers
    }
}

/// What names one encoding of one rendition of one content.
enum RenditionTag {
    static func text(of rendered: RenditionBytes, _ rendition: Rendition) -> String {
        "\(rendered.version)-\(rendition.rawValue)-\(rendered.mediaType.dropFirst("image/".count))"
    }
}
