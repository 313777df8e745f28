import HTTPDates
import HTTPTypes

/// A content with its validators: answers GET and HEAD with all of it, a part of it, or the word that the client has it.
public struct Representation: Sendable {
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

    public var content: Content
    public var mediaType: String
    public var entityTag: EntityTag?
    public var lastModified: HTTPDate?
    /// Further fields, for instance `Cache-Control` and `Vary`. They go with a 304 too.
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

    /// 200, 206, 304, 412 or 416, as conditions and range of the request say.
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
        // RFC 9110 §14.2: a range means something to GET alone.
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
