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
    ///   - isBrotli: Whether it is worth the work of Brotli, too.
    init(
        _ name: String, _ bytes: [UInt8], headers: HTTPFields, cacheControl: String, isBrotli: Bool
    ) throws(ResponseError) {
        let (type, isCompressible) = MediaTypes.of(name)
        var common = headers
        common[.cacheControl] = cacheControl
        common[.xContentTypeOptions] = "nosniff"
        if isCompressible { common[.vary] = "Accept-Encoding" }
        plain = try Self.variant(bytes, of: bytes, type: type, coding: nil, common)
        guard isCompressible else { return }
        for (coding, compressed) in [
            ("br", isBrotli ? Brotli.compress(bytes) : nil), ("gzip", Gzip.compress(bytes, .utmost)),
        ] {
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

    /// The variant that the client of this request likes best.
    func variant(for request: Request) -> Variant {
        AcceptEncoding.best(of: codings, in: request.headers[.acceptEncoding]).flatMap { coded[$0] } ?? plain
    }
}
