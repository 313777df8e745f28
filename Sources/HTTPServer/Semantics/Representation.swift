import HTTPTypes
import Time

/// Content with its validators. Answers GET and HEAD with all of it, a range of it, or a 304.
public struct Representation: Sendable {
    /// Where the bytes are.
    public enum Content: Sendable {
        case bytes([UInt8])
        case file(FileRegion)

        var length: Int64 {
            switch self {
            case .bytes(let bytes): Int64(bytes.count)
            case .file(let region): region.length
            }
        }
    }

    /// The bytes.
    public var content: Content
    /// The value of `Content-Type`.
    public var mediaType: String
    /// Identifies the content for conditional requests; nil if there is no tag.
    public var entityTag: EntityTag?
    /// When the content last changed; nil if unknown.
    public var lastModified: HTTPDate?
    /// Further fields, for instance `Cache-Control` and `Vary`. A 304 has them, too.
    public var headers: HTTPFields

    public init(
        _ content: Content, mediaType: String, entityTag: EntityTag? = nil, lastModified: HTTPDate? = nil,
        headers: HTTPFields = [:]
    ) {
        self.content = content
        self.mediaType = mediaType
        self.entityTag = entityTag
        self.lastModified = lastModified
        self.headers = headers
    }

    /// A 200, 206, 304, 412 or 416, depending on the request's conditions and range.
    public func response(to request: Request) -> Response {
        var headers = headers
        if let entityTag { headers[.eTag] = entityTag.description }
        if let lastModified { headers[.lastModified] = lastModified.description }
        let condition = ConditionalRequest(request)
        switch condition.evaluate(entityTag: entityTag, lastModified: lastModified) {
        case .notModified: return Response(status: .notModified, headers: headers)
        case .preconditionFailed: return Problem(.preconditionFailed).response
        case .proceed: break
        }
        headers[.acceptRanges] = "bytes"
        // RFC 9110 §14.2: ranges are defined only for GET.
        let allowsRange =
            request.method == .get && condition.allowsRange(entityTag: entityTag, lastModified: lastModified)
        switch ByteRange(allowsRange ? request.headers[.range] : nil, length: content.length) {
        case .whole:
            headers[.contentType] = mediaType
            return Response(headers: headers, body: body(0..<content.length))
        case .part(let range):
            headers[.contentType] = mediaType
            headers[.contentRange] = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(content.length)"
            return Response(status: .partialContent, headers: headers, body: body(range))
        case .unsatisfiable:
            return Problem(.rangeNotSatisfiable, headers: [.contentRange: "bytes */\(content.length)"]).response
        }
    }

    private func body(_ range: Range<Int64>) -> ResponseBody {
        let isWhole = range == 0..<content.length
        return switch content {
        case .bytes(let bytes): .bytes(isWhole ? bytes : Array(bytes[Int(range.lowerBound)..<Int(range.upperBound)]))
        case .file(let region): .file(isWhole ? region : region.part(range))
        }
    }
}
