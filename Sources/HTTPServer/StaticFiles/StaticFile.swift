import HTTPTypes

/// A file in memory, in each content coding that makes it smaller, with the heads of its responses.
struct StaticFile: Sendable {
    /// The file in one content coding, or in none.
    struct Variant: Sendable {
        let bytes: [UInt8]
        let entityTag: EntityTag
        let head: PreparedHead
        let notModified: PreparedHead
    }

    private let plain: Variant
    private var coded: [String: Variant] = [:]
    /// The codings in `coded`, best first.
    private var codings: [String] = []

    /// - Parameters:
    ///   - name: The file name, whose extension determines the media type.
    ///   - brotli: `bytes` compressed with Brotli, if available.
    init(
        _ name: String, _ bytes: [UInt8], brotli: [UInt8]?, headers: HTTPFields, cacheControl: String
    ) throws(ResponseError) {
        let (type, isCompressible) = MediaTypes.of(name)
        var common = headers
        common[.cacheControl] = cacheControl
        common[.xContentTypeOptions] = "nosniff"
        if isCompressible { common[.vary] = "Accept-Encoding" }
        plain = try Self.variant(bytes, of: bytes, type: type, coding: nil, common)
        guard isCompressible else { return }
        for (coding, compressed) in [("br", brotli), ("gzip", Gzip.compress(bytes, .best))] {
            guard let compressed else { continue }
            coded[coding] = try Self.variant(compressed, of: bytes, type: type, coding: coding, common)
            codings.append(coding)
        }
    }

    private static func variant(
        _ bytes: [UInt8], of plain: [UInt8], type: String, coding: String?, _ common: HTTPFields
    ) throws(ResponseError) -> Variant {
        let entityTag = EntityTag(digestOf: plain, coding: coding)
        var headers = common
        headers[.eTag] = entityTag.description
        let notModified = try PreparedHead(status: .notModified, headers: headers)
        headers[.contentType] = type
        headers[.contentEncoding] = coding
        return Variant(
            bytes: bytes, entityTag: entityTag, head: try PreparedHead(headers: headers), notModified: notModified)
    }

    /// The variant that the client of this request prefers.
    func variant(for request: Request) -> Variant {
        AcceptEncoding.best(of: codings, in: request.headers[.acceptEncoding]).flatMap { coded[$0] } ?? plain
    }
}
