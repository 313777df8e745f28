import HTTPTypes

/// A file in memory, in each coding that makes it smaller, with its answers' heads.
struct StaticFile: Sendable {
    /// The file in one coding, or in none.
    struct Variant: Sendable {
        let bytes: [UInt8]
        let entityTag: EntityTag
        let head: PreparedHead
        let notModified: PreparedHead
    }

    private let plain: Variant
    private var coded: [String: Variant] = [:]
    /// Those of `coded`, the best first.
    private var codings: [String] = []

    /// - Parameters:
    ///   - name: By its end the file's type is known.
    ///   - brotli: How much work of Brotli it is worth; nil for none.
    init(
        _ name: String, _ bytes: [UInt8], headers: HTTPFields, cacheControl: String, brotli: Brotli.Effort?
    ) throws(ResponseError) {
        let (type, isCompressible) = MediaTypes.of(name)
        var common = headers
        common[.cacheControl] = cacheControl
        common[.xContentTypeOptions] = "nosniff"
        if isCompressible { common[.vary] = "Accept-Encoding" }
        plain = try Self.variant(bytes, of: bytes, type: type, coding: nil, common)
        guard isCompressible else { return }
        for (coding, tag, compressed) in [
            // What is compressed in two ways has two tags, as other bytes must (RFC 9110, 8.8.1).
            ("br", brotli.map { "br\($0.rawValue)" }, brotli.flatMap { Brotli.compress(bytes, $0) }),
            ("gzip", "gzip", Gzip.compress(bytes, .utmost)),
        ] {
            guard let compressed else { continue }
            coded[coding] = try Self.variant(compressed, of: bytes, type: type, coding: coding, tag: tag, common)
            codings.append(coding)
        }
    }

    private static func variant(
        _ bytes: [UInt8], of plain: [UInt8], type: String, coding: String?, tag: String? = nil,
        _ common: HTTPFields
    ) throws(ResponseError) -> Variant {
        let entityTag = EntityTag(digestOf: plain, coding: tag)
        var headers = common
        headers[.eTag] = entityTag.description
        let notModified = try PreparedHead(status: .notModified, headers: headers)
        headers[.contentType] = type
        headers[.contentEncoding] = coding
        return Variant(
            bytes: bytes, entityTag: entityTag, head: try PreparedHead(headers: headers), notModified: notModified)
    }

    /// The variant that the client of this request likes best.
    func variant(for request: Request) -> Variant {
        AcceptEncoding.best(of: codings, in: request.headers[.acceptEncoding]).flatMap { coded[$0] } ?? plain
    }
}
