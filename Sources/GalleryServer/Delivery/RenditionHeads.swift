import HTTPServer
import HTTPTypes
import Images
import Loading
import Locking
import Renditions
import Time

/// Caches the heads of the most frequent response: a whole rendition from memory.
final class RenditionHeads: Sendable {
    private struct Key: Hashable {
        let digest: ContentDigest
        let modified: Int64?
        let mediaType: String
        let isIncomplete: Bool
        let isNamed: Bool
    }

    /// The number of cached heads, of a few hundred bytes each. When it is reached all are dropped, since they are
    /// cheap to rebuild.
    private static let capacity = 4_096

    private let isPrivate: Bool
    private let heads = Guarded<[Key: PreparedHead]>([:])

    /// - Parameter isPrivate: Whether caches that several people share must not keep responses.
    init(isPrivate: Bool = false) {
        self.isPrivate = isPrivate
    }

    /// Nil if the request has conditions or a range.
    ///
    /// - Parameter isNamed: Whether the URL names this version, so that the response is immutable.
    func whole(_ rendered: RenditionBytes, isNamed: Bool, to request: Request) -> Response? {
        guard !rendered.isStale, !request.headers.savesData, let head = head(of: rendered, isNamed: isNamed) else {
            return nil
        }
        return .prepared(head, body: .bytes(rendered.bytes))
    }

    /// - Parameter isNamed: Whether the URL names this version, as for `whole`.
    func head(of rendered: RenditionBytes, isNamed: Bool) -> PreparedHead? {
        let key = Key(
            digest: rendered.digest, modified: rendered.modified, mediaType: rendered.mediaType,
            isIncomplete: rendered.isIncomplete, isNamed: isNamed)
        if let known = heads.withLock({ $0[key] }) { return known }
        guard let head = try? PreparedHead(headers: headers(of: rendered, isNamed: isNamed)) else { return nil }
        heads.withLock { heads in
            if heads.count >= Self.capacity { heads.removeAll(keepingCapacity: true) }
            heads[key] = head
        }
        return head
    }

    private func headers(of rendered: RenditionBytes, isNamed: Bool) -> HTTPFields {
        var headers = SecurityHeaders.picture
        headers[.cacheControl] = Delivery.cacheControl(isNamed: isNamed, isPrivate: isPrivate)
        headers[.vary] = "Accept"
        headers[.acceptRanges] = "bytes"
        headers[.contentType] = rendered.mediaType
        headers[.eTag] = EntityTag(of: rendered)?.description
        headers[.lastModified] = rendered.modified.map { HTTPDate(seconds: $0).description }
        if rendered.isIncomplete { headers[.tesseraIncomplete] = "1" }
        return headers
    }
}

extension EntityTag {
    /// Depends on the bytes alone. Nodes that made the same rendition in different ways must not give it the same tag,
    /// or a client could combine parts of both (RFC 9110 §8.8.1).
    init?(of rendered: RenditionBytes) { self.init(rendered.digest.description) }
}
